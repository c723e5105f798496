"""`python -m capa_tui` and the `capa-tui` command."""

import sys


def main() -> None:
    """Run the command line and exit with its code."""
    from capa_tui.cli import main as run

    sys.exit(run())


if __name__ == "__main__":
    main()

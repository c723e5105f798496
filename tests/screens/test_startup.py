"""First paint needs no data: what is loaded when, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import textwrap

HEAVY = ("pydantic", "sqlite_utils", "sqlite3", "pysqlite3", "numpy", "scipy", "litellm", "markdown_it")


def run(source: str) -> str:
    """What a program prints, in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_the_application_loads_nothing_heavy() -> None:
    assert (
        run(f"""
        import sys, capa_tui.app
        print([one for one in {HEAVY!r} if one in sys.modules])
    """)
        == "[]"
    )


def test_the_first_frame_is_painted_before_anything_heavy_is_loaded() -> None:
    assert (
        run(f"""
        import asyncio, sys, tempfile, pathlib
        from capa_tui.app import participant_app

        async def main():
            seen = []
            app = participant_app(pathlib.Path(tempfile.mkdtemp()) / "lab.db", "none", "K7")
            opening = app._opening
            async def watched(app):
                strips = app.screen._compositor.render_strips()
                seen.append("opening" in "".join(strip.text for strip in strips))
                seen.append([one for one in {HEAVY!r} if one in sys.modules])
                return await opening(app)
            app._opening = watched
            async with app.run_test() as pilot:
                while app.failure is None:
                    await pilot.pause()
            app._services.close()
            print(seen, type(app.failure).__name__)
        asyncio.run(main())
    """)
        == "[True, []] UnknownStudyError"
    )

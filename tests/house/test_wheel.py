"""The wheel, installed in a clean environment away from the sources, runs every command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from capa_tui.cli import COMMANDS

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.wheel, pytest.mark.xdist_group("wheel")]


def run(*words: str | Path, cwd: Path, env: dict[str, str] | None = None, stdin: str = "") -> str:
    done = subprocess.run(
        [str(one) for one in words],
        cwd=cwd,
        env=env,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`capa-tui` in an environment that holds the wheel and its pinned requirements, and nothing else."""
    work = tmp_path_factory.mktemp("wheel")
    uv = shutil.which("uv")
    requirements = ROOT / "requirements" / "run.txt"
    python = work / "venv" / "bin" / "python"
    if uv:
        run(uv, "build", "--wheel", "--quiet", "--out-dir", work / "dist", ROOT, cwd=work)
        (wheel,) = (work / "dist").glob("*.whl")
        run(uv, "venv", "--quiet", "--python", sys.executable, work / "venv", cwd=work)
        install = [uv, "pip", "install", "--quiet", "--python", str(python)]
    else:
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        run(*pip, "wheel", "--no-deps", "--wheel-dir", work / "dist", ROOT, cwd=work)
        (wheel,) = (work / "dist").glob("*.whl")
        run(sys.executable, "-m", "venv", work / "venv", cwd=work)
        install = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    run(*install, "--require-hashes", "-r", requirements, cwd=work)
    run(*install, "--no-deps", wheel, cwd=work)
    return work / "venv" / "bin" / "capa-tui"


def test_every_command_runs_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    used = set()
    home = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "XDG_DATA_HOME": str(tmp_path / "data")}

    def capa(*words: str | Path, stdin: str = "") -> str:
        used.add(str(words[0]))
        return run(installed, *words, cwd=tmp_path, env=home | {"CAPA_TUI_DB": "lab.db"}, stdin=stdin)

    capa("new", "mine", "--kind", "annotation")
    capa("check", "mine")
    assert json.loads(capa("load", "mine"))["items"] >= 72
    codes = capa("codes", "mine", "--n", "2").split()
    assert len(codes) == 2
    first = json.loads(capa("run", "mine", "--participant", codes[0], "--jsonl").splitlines()[0])
    assert first["kind"] == "consent"
    assert "Consent" in capa("run", "mine", "--participant", codes[0], "--plain")
    assert codes[0] in capa("status", "mine")
    capa("release", "mine", "--participant", codes[1])
    assert "kappa" in capa("agreement", "mine")
    for name in ("jsonl", "csv", "hf", "label-studio"):
        capa("export", "mine", "--format", name, "--out", f"out-{name}")
    capa("import", "out-jsonl", "--db", "copy.db")
    capa("merge", "lab.db", "copy.db", "--into", "all.db")
    capa("backup", "backup.db")
    capa("erase", "mine", "--participant", codes[0], "--reason", "a test")
    capa("verify")
    assert "sqlite" in capa("doctor")
    assert '"ask"' in capa("demo", "--jsonl")
    capa("new", "play", "--kind", "roleplay")
    capa("load", "play")
    assert '"groups"' in capa("evaluate", "play", "--json")
    capa("run", "play", "--participant", "ada", "--plain")
    assert capa("saw", "play", "--participant", "ada") == ""
    judged = subprocess.run(
        [installed, "judge", "play", "--references"],
        cwd=tmp_path,
        env=home,
        capture_output=True,
        text=True,
        timeout=600,
    )
    used.add("judge")
    # 3: a machine without a sandbox, where every verdict is `not_run`.
    assert judged.returncode in (0, 3), judged.stderr
    assert used == set(COMMANDS)


def test_the_wheel_holds_what_the_program_reads(installed: Path) -> None:
    (site,) = installed.parents[1].glob("lib/python*/site-packages")
    tracked = subprocess.run(
        ["git", "ls-files", "capa_tui", "screens", "storage", "studies"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert tracked
    assert [one for one in tracked if not (site / one).is_file()] == []

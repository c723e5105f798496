"""Reading lines: whole, in order, and never in the way of the program's end."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys

import pytest

from capa_tui.lines import Lines, text_of


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        ([b"one\ntwo\n"], [b"one", b"two"]),
        ([b"o", b"ne\nt", b"wo"], [b"one", b"two"]),
        ([b"\n\n"], [b"", b""]),
        ([], []),
        ([b"x" * 200_000 + b"\n"], [b"x" * 200_000]),
    ],
)
async def test_lines_come_whole_whatever_the_chunks(chunks: list[bytes], lines: list[bytes]) -> None:
    read, write = os.pipe()
    with os.fdopen(read, "rb") as source:
        reader = Lines(source)

        def feed() -> None:
            with os.fdopen(write, "wb", buffering=0) as out:
                for chunk in chunks:
                    out.write(chunk)

        fed = asyncio.create_task(asyncio.to_thread(feed))
        seen = []
        while (line := await reader.next()) is not None:
            seen.append(line)
        await fed
    assert seen == lines


async def test_the_end_is_the_end_however_often_one_asks() -> None:
    read, write = os.pipe()
    with os.fdopen(read, "rb") as source:
        reader = Lines(source)
        os.close(write)
        assert [await asyncio.wait_for(reader.next(), 20) for _ in range(3)] == [None] * 3


async def test_closing_ends_the_input_whatever_still_waits() -> None:
    read, write = os.pipe()
    with os.fdopen(read, "rb") as source:
        reader = Lines(source)
        os.write(write, b"one\ntwo\n")
        assert await reader.next() == b"one"
        reader.close()
        assert await asyncio.wait_for(reader.next(), 20) is None
        os.close(write)


@pytest.mark.parametrize(
    ("typed", "encoding", "text"),
    [
        ("naïve 日本".encode(), None, "naïve 日本"),
        ("naïve".encode("latin-1"), "latin-1", "naïve"),
        (b"\xff", "utf-8", "\ufffd"),
    ],
)
def test_what_is_typed_is_utf8_or_in_the_encoding_of_the_locale(
    typed: bytes, encoding: str | None, text: str
) -> None:
    assert text_of(typed, encoding) == text


def test_a_program_that_ends_while_its_input_is_open_ends_quietly() -> None:
    script = (
        "import asyncio, sys\n"
        "from capa_tui.lines import Lines\n"
        "async def main():\n"
        "    print((await Lines(sys.stdin.buffer).next()).decode(), flush=True)\n"
        "asyncio.run(main())\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as program:
        assert program.stdin and program.stdout and program.stderr
        program.stdin.write(b"hello\n")
        program.stdin.flush()
        assert program.stdout.readline() == b"hello\n"
        assert program.wait(20) == 0
        assert program.stderr.read() == b""

"""Code that tries to be accepted, to get out, or to do harm, with the verdict that is right for it.

The task is `add(a, b)`. Nothing here imports pytest, so that another interpreter can run it.
"""

# ruff: noqa: E501 - a table of short programs

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass, field

ADD = "def check(candidate):\n    assert candidate(1, 2) == 3\n    assert candidate(-1, 5) == 4\n"
GOOD = "def add(a, b):\n    return a + b\n"
SECRET = "@SECRET@"
"""Replaced by the path of a file outside of the sandbox."""
SHORT = 0.4
"""Time limit of what is meant to meet it."""


@dataclass(frozen=True)
class Attack:
    """One piece of code and what must come of it."""

    name: str
    code: str
    verdict: str
    tests: str = ADD
    landlock: str = ""
    """The verdict without a mount and a pid namespace, where it is another."""
    limit: float = 20.0
    isolations: tuple[str, ...] = ("bubblewrap", "landlock")
    also: tuple[str, ...] = field(default=())
    """Verdicts that other interpreters may give."""

    def expected(self, isolation: str) -> tuple[str, ...]:
        """Every right verdict."""
        return ((self.landlock if isolation == "landlock" else "") or self.verdict, *self.also)


def body(text: str) -> str:
    """`add` with these lines for a body."""
    return "def add(a, b):\n" + "".join(f"    {line}\n" for line in text.strip("\n").split("\n"))


def raising(text: str) -> str:
    return body(f"raise {text}")


def returning(text: str, before: str = "") -> str:
    return f"{before}\n" + body(f"return {text}")


def tests(*lines: str) -> str:
    return "def check(candidate):\n" + "".join(f"    {line}\n" for line in lines)


EQUAL = "class E{0}:\n    __eq__ = lambda s, o: True\n    __ne__ = lambda s, o: False\n    __hash__ = None\n"
NAMES_ITS_CLASS = "class E:\n    __class__ = property(lambda s: int)\n    __eq__ = lambda s, o: True\n"
FORGE = """
import os, sys
sys.path.append("/")
proxy = sys.modules["capa_tui.sandbox.proxy"]
def send(kind, data):
    os.write(3, kind + len(data).to_bytes(4, "little") + data)
"""
SYSCALLS = """
import ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
arm = platform.machine() == "aarch64"
def add(a, b):
    numbers = {calls}
    return [libc.syscall(pair[arm], 0, 0, 0, 0, 0) for pair in numbers]
"""

FORGED_RESULTS = [
    Attack("object equal to everything", EQUAL.format("") + body("return E()"), "failed_assertion"),
    *(
        Attack(f"{base} equal to everything", EQUAL.format(f"({base})") + body(f"return E({value})"), "failed_assertion")
        for base, value in (("int", "0"), ("str", "''"), ("float", "0.5"), ("list", "[]"), ("dict", "{}"), ("set", ""),
                            ("tuple", "()"), ("bytes", "b''"), ("complex", "0j"), ("frozenset", ""))
    ),
    Attack("int that denies to be equal", "class E(int):\n    __eq__ = lambda s, o: False\n    __hash__ = None\n"
           + body("return E(a + b)"), "passed"),
    Attack("object that lies about its class", NAMES_ITS_CLASS + body("return E()"), "failed_assertion"),
    Attack("mock.ANY", body("from unittest.mock import ANY\nreturn ANY"), "failed_assertion"),
    Attack("reflected operators", "class E:\n    __radd__ = __rsub__ = __req__ = __eq__ = lambda s, o: 3\n"
           + body("return E()"), "failed_assertion"),
    Attack("answers every method", "class E:\n    __getattr__ = lambda s, n: lambda *a: True\n" + body("return E()"),
           "unsupported", tests("assert candidate(1, 2).bit_count() == 2")),
    Attack("answers every comparison", "class E:\n    __lt__ = __gt__ = __le__ = __ge__ = lambda s, o: True\n"
           + body("return E()"), "exception", tests("assert candidate(1, 2) > 2")),
    Attack("has every length", "class E:\n    __len__ = lambda s: 3\n    __getitem__ = lambda s, i: 3\n"
           + body("return E()"), "exception", tests("assert len(candidate(1, 2)) == 3")),
    Attack("generator for a value", body("yield a + b"), "failed_assertion"),
    Attack("generator for a list", body("yield a + b"), "failed_assertion", tests("assert candidate(1, 2) == [3]")),
    Attack("coroutine", "async " + GOOD, "failed_assertion"),
    Attack("function for a value", body("return lambda: a + b"), "failed_assertion"),
    Attack("fewer results than asked for", returning("iter(())"), "failed_assertion",
           tests("assert list(candidate(1, 2)) == [3]")),
    Attack("NotImplemented", returning("NotImplemented"), "failed_assertion"),
    Attack("list that holds itself", body("x = []\nx.append(x)\nreturn x"), "failed_assertion"),
    Attack("list as deep as can be", body("x = []\nfor _ in range(100_000):\n    x = [x]\nreturn x"), "exception"),
]  # fmt: skip

ENDINGS = [
    Attack("sys.exit in the call", body("import sys\nsys.exit(0)"), "exception"),
    Attack("SystemExit", raising("SystemExit"), "exception"),
    Attack("sys.exit at import", "import sys\nsys.exit(0)", "exception"),
    Attack("os._exit in the call", body("import os\nos._exit(0)"), "killed"),
    Attack("os._exit at import", "import os\nos._exit(0)", "killed"),
    Attack("os._exit behind a bare except", body("import os\nos._exit(0)"), "killed",
           tests("try:", "    assert candidate(1, 2) == 3", "except:", "    pass")),
    Attack("timeout behind a bare except", body("while True: pass"), "timeout",
           tests("try:", "    assert candidate(1, 2) == 3", "except:", "    pass"), limit=SHORT),
    Attack("exec of another program", body("import os, sys\nos.execv(sys.executable, [sys.executable, '-c', ''])"),
           "killed", landlock="exception"),
    Attack("kills itself", body("import os\nos.kill(os.getpid(), 9)"), "killed"),
    Attack("aborts", body("import os\nos.abort()"), "killed"),
    Attack("alarm", body("import signal, time\nsignal.setitimer(signal.ITIMER_REAL, 0.001)\ntime.sleep(9)"), "killed"),
    Attack("closes its descriptors", body("import os\nos.closerange(3, 64)\nreturn a + b"), "killed"),
    Attack("segmentation fault", body("import ctypes\nctypes.string_at(0)"), "killed"),
    Attack("C stack", "import sys\nsys.setrecursionlimit(10**9)\nclass E:\n    def __repr__(s): return repr([s])\n"
           + body("return repr(E())"), "killed", also=("exception",)),
    *(Attack(f"raises {one}", raising(one), "exception") for one in
      ("StopIteration", "StopAsyncIteration", "KeyboardInterrupt", "GeneratorExit", "BaseException", "RecursionError",
       "AssertionError", "OSError(2, 'x')", "UnicodeDecodeError('utf-8', b'', 0, 1, 'x')", "ExceptionGroup('x', [OSError()])")),
    Attack("StopIteration that would end the tests' loop", raising("StopIteration"), "exception",
           tests("assert all(map(lambda x: candidate(*x) == 3, [(1, 2)]))")),
    Attack("its own exception class", "class E(BaseException): pass\n" + raising("E"), "exception"),
    Attack("exception without a text", "class E(Exception):\n    __str__ = lambda s: 1 / 0\n" + raising("E"), "exception"),
    Attack("exception without arguments", "class E(Exception):\n    args = property(lambda s: 1 / 0)\n" + raising("E"),
           "exception"),
    Attack("exception with a text without end", raising("ValueError('x' * 10**8)"), "exception"),
    Attack("exception whose text never comes", "class E(Exception):\n    def __str__(s):\n        while True: pass\n"
           + raising("E"), "timeout", limit=SHORT),
    Attack("recursion", body("return add(a, b)"), "exception"),
    Attack("reads its input", body("return int(input())"), "exception"),
    Attack("threads", body("import threading\nthreading.Thread(target=print).start()\nreturn a + b"), "exception"),
    Attack("a thread left running",
           "import threading\nthreading.Thread(target=lambda: [0 for _ in iter(int, 1)]).start()\n" + GOOD, "exception"),
    Attack("executor", body("from concurrent.futures import ThreadPoolExecutor\n"
                            "return ThreadPoolExecutor().submit(sum, (a, b)).result()"), "exception"),
]  # fmt: skip

TIMES = [
    Attack("endless call", body("while True: pass"), "timeout", limit=SHORT),
    Attack("endless import", "while True: pass", "timeout", limit=SHORT),
    Attack("catches everything", body("while True:\n    try:\n        while True: pass\n    except BaseException: pass"),
           "timeout", limit=SHORT),
    Attack("ignores signals", "import signal\nfor n in range(1, 64):\n    try: signal.signal(n, signal.SIG_IGN)\n"
           "    except (OSError, ValueError): pass\nimport itertools\n" + body("return sum(itertools.repeat(1))"),
           "timeout", limit=SHORT),
    Attack("a number that never ends", body("return 9**9**9"), "timeout", limit=SHORT, also=("memory_limit",)),
    Attack("a pattern that never ends", body("import re\nreturn re.match('(a+)+$', 'a' * 64 + 'b')"), "timeout", limit=SHORT),
    Attack("sleeps", body("import time\ntime.sleep(1e6)"), "timeout", limit=SHORT),
    Attack("stops itself", body("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\nreturn a + b"), "timeout", limit=SHORT),
    Attack("an iterator without end", body("while True: yield 1"), "timeout", tests("assert list(candidate(1, 2)) == [3]"),
           limit=SHORT),
    Attack("calls the tests' function without end", "def add(f, b):\n    while True: f()\n", "timeout",
           tests("candidate(lambda: 1, 2)"), limit=SHORT),
    Attack("colliding keys", body("return {n * (2**61 - 1): 0 for n in range(10**6)}"), "timeout", limit=SHORT),
]  # fmt: skip

AMOUNTS = [
    Attack("memory at once", body("return bytearray(8 << 30)"), "memory_limit"),
    Attack("memory bit by bit", body("x = []\nwhile True: x.append(bytes(10**6))"), "memory_limit"),
    Attack("memory at import", "x = bytearray(8 << 30)", "memory_limit"),
    Attack("memory after raising its limits",
           body("import resource\ntry: resource.setrlimit(resource.RLIMIT_AS, (-1, -1))\nexcept (ValueError, OSError): pass\n"
                "return bytearray(2 << 30)"), "memory_limit"),
    Attack("mapped memory", body("import mmap\nreturn mmap.mmap(-1, 2 << 30)"), "exception", also=("memory_limit",)),
    Attack("a result too large to send", body("return 'x' * (100 << 20)"), "memory_limit"),
    Attack("a result of very many parts", body("return [0.5, None] * (33 << 20)"), "memory_limit"),
    Attack("prints without end", body("while True: print('x' * 1000)"), "output_limit"),
    Attack("writes without end", body("import os\nwhile True: os.write(1, b'x' * 60000)"), "output_limit"),
    Attack("complains without end", body("import sys\nwhile True: print('x' * 1000, file=sys.stderr)"), "output_limit"),
    Attack("prints 17 MiB and is right", body("print('x' * (17 << 20))\nreturn a + b"), "output_limit"),
    Attack("prints 5 MiB and is right", body("print('x' * (2 << 20))\nreturn a + b"), "passed"),
    Attack("fills its files", body("import tempfile\nf = tempfile.TemporaryFile()\nwhile True: f.write(bytes(1 << 20))"),
           "exception"),
    Attack("fills its folder", body("n = 0\nwhile True:\n    n += 1\n    open(f'/tmp/{n}', 'wb').write(bytes(8 << 20))"),
           "exception"),
    Attack("writes to memory that is a file", body("open('/dev/shm/x', 'wb').write(bytes(1))\nreturn a + b"), "exception"),
    Attack("writes to the library", body("import os\nopen(os.path.dirname(os.__file__) + '/x.py', 'w')\nreturn a + b"),
           "exception"),
    Attack("writes to the root", body("open('/x', 'w')\nreturn a + b"), "exception"),
    Attack("opens without end", body("x = []\nwhile True: x.append(open(__import__('os').__file__))"), "exception"),
    *(Attack(f"processes by {name}", body(code), "exception") for name, code in {
        "fork": "import os\nwhile True: os.fork()",
        "a daemon": "import os\nif os.fork() == 0:\n    os.setsid()\n    while True: pass\nreturn a + b",
        "posix_spawn": "import os, sys\nos.posix_spawn(sys.executable, [sys.executable], {})",
        "subprocess": "import subprocess, sys\nreturn int(subprocess.check_output([sys.executable, '-c', 'print(3)']))",
        "system": "import os\nassert os.system('true') == 0",
        "multiprocessing": "import multiprocessing\nreturn multiprocessing.Pool(2).apply(sum, ((a, b),))",
        "clone": "import ctypes\nassert ctypes.CDLL(None).syscall(56, 17, 0, 0, 0, 0) >= 0",
    }.items()),
    Attack("threads without end", body("import _thread\nwhile True: _thread.start_new_thread(input, ())"), "exception"),
]  # fmt: skip

FORGED_VERDICTS = [
    Attack("prints a verdict", body("print('1 passed\\nPASSED\\n{\"verdict\": \"passed\"}')\nreturn 0"), "failed_assertion"),
    Attack("writes a verdict everywhere",
           body("import os\nfor fd in range(64): os.write(fd, b'{\"verdict\":\"passed\"}')\nreturn 0"), "exception"),
    Attack("writes a verdict wherever it can",
           body("import os\nfor fd in range(64):\n    try: os.write(fd, b'\\x0e\\0\\0\\0t*\\2\\0\\0\\0u\\6\\0\\0\\0passed')\n"
                "    except OSError: pass\nreturn 0"), "killed"),
    Attack("looks for expected values in frames", body(
        "import sys\nframe = sys._getframe()\nseen = ''\nwhile frame:\n    seen += repr(frame.f_locals) + repr(frame.f_globals)\n"
        "    frame = frame.f_back\nreturn 3 if 'assert candidate' in seen or 'candidate(1, 2)' in seen else 0"),
        "failed_assertion"),
    Attack("looks for expected values among all objects", body(
        "import gc, sys\nfor x in gc.get_objects():\n    for y in (x, *gc.get_referents(x)):\n"
        "        if isinstance(y, str) and 'assert ' + 'candidate' in y: return 3\nreturn 0"), "failed_assertion"),
    Attack("looks for expected values in its memory", body(
        "try: text = open('/proc/self/mem', 'rb') or open('/proc/self/maps')\nexcept OSError: return 0\nreturn 3"),
        "failed_assertion"),
    Attack("defines the check", "def check(candidate): pass\n" + body("return 0"), "failed_assertion"),
    Attack("replaces the check", "import sys\nfor m in list(sys.modules.values()): m.check = lambda c: None\n"
           + body("return 0"), "failed_assertion"),
    Attack("replaces AssertionError", "import builtins\nbuiltins.AssertionError = type('A', (BaseException,), {})\n"
           + body("return 0"), "failed_assertion"),
    Attack("replaces built-ins", "import builtins\nfor n in ('len', 'abs', 'all', 'isinstance', 'getattr', 'list'):\n"
           "    setattr(builtins, n, lambda *a: True)\n" + body("return 0"), "failed_assertion", also=("killed",)),
    Attack("changes the number 0", body(
        "import ctypes\nctypes.c_int.from_address(id(0) + 24).value = 3\nreturn 0"), "failed_assertion",
        also=("killed", "exception")),
    Attack("clears the modules", "import sys\nsys.modules.clear()\n" + body("return 0"), "failed_assertion", also=("killed",)),
    Attack("takes over its end", "import gc, sys\nproxy = sys.modules['capa_tui.sandbox.proxy']\n"
           "for x in gc.get_objects():\n    if isinstance(x, proxy.Peer): x.perform = lambda *a: True\n" + body("return 0"),
           "failed_assertion"),
    Attack("answers ahead", FORGE + body("send(b'=', proxy.encode(('ok', 0, ()), None)[0])\nreturn 3"), "failed_assertion"),
    Attack("answers with the tests' own objects", FORGE + body(
        "send(b'=', b't*\\3\\0\\0\\0u\\2\\0\\0\\0okO\\0\\x63\\0\\0\\0t*\\0\\0\\0\\0')\nreturn 3"), "killed"),
    Attack("answers for loading", FORGE + "send(b'=', proxy.encode(('ok', ('function', int, ''), ()), None)[0])\n"
           + body("return 0"), "exception"),
    Attack("answers that it cannot be loaded", FORGE + "send(b'=', proxy.encode(('ok', ('passed', None, ''), ()), None)[0])\n"
           + body("return 0"), "killed"),
    Attack("changes what it was not given", FORGE + body(
        "send(b'=', proxy.encode(('ok', 0, ((7, []),)), None)[0])\nreturn 3"), "killed"),
    Attack("asks for what was not shown", FORGE + body(
        "send(b'?', proxy.encode(('call', 9, (), {}), None)[0])\nreturn 0"), "failed_assertion"),
    Attack("promises more than it sends", FORGE + body("import os\nos.write(3, b'=\\0\\0\\0\\3')\nreturn 3"), "timeout", limit=SHORT),
    Attack("promises too much", FORGE + body("import os\nos.write(3, b'=\\xff\\xff\\xff\\xff')\nreturn 3"), "killed"),
    Attack("names a function to be called there", FORGE + body(
        "send(b'=', b't*\\3\\0\\0\\0u\\2\\0\\0\\0okB\\4\\0\\0\\0exect*\\0\\0\\0\\0')\nreturn 3"), "killed"),
    Attack("does as if its test had failed on purpose", "def add(f, b):\n    try: f()\n    except BaseException: pass\n",
           "failed_assertion", tests("def callback():", "    assert False", "candidate(callback, 1)")),
]  # fmt: skip

OUTSIDE = [
    Attack("reads a file", body(f"return open({SECRET!r}).read()"), "exception"),
    Attack("reads a file by a link", body(
        f"import os\nos.symlink({SECRET!r}, '/tmp/l')\nreturn open('/tmp/l').read()"), "exception"),
    Attack("reads a file by a hard link", body(
        f"import os\nos.link({SECRET!r}, '/tmp/l')\nreturn open('/tmp/l').read()"), "exception"),
    Attack("reads a file by /proc", body(f"return open('/proc/self/root' + {SECRET!r}).read()"), "exception"),
    Attack("reads a file by dots", body(f"return open('/tmp/../..' + {SECRET!r}).read()"), "exception"),
    Attack("lists a folder", body(f"import os\nreturn os.listdir(os.path.dirname({SECRET!r}))"), "exception"),
    Attack("lists homes", body("import os\nreturn [os.listdir(one) for one in ('/home', '/root/..')] and 3"), "exception"),
    Attack("writes beside a file", body(f"open({SECRET!r} + '.out', 'w')\nreturn a + b"), "exception"),
    Attack("empties a file", body(f"import os\nos.truncate({SECRET!r}, 0)\nreturn a + b"), "exception"),
    Attack("removes a file", body(f"import os\nos.unlink({SECRET!r})\nreturn a + b"), "exception"),
    Attack("renames a file", body(f"import os\nos.rename({SECRET!r}, {SECRET!r} + '2')\nreturn a + b"), "exception"),
    Attack("changes a file's mode", body(f"import os\nos.chmod({SECRET!r}, 0o777)\nreturn a + b"), "exception"),
    Attack("changes a file's times", body(f"import os\nos.utime({SECRET!r}, (0, 0))\nreturn a + b"), "exception"),
    Attack("changes a file's attributes", body(f"import os\nos.setxattr({SECRET!r}, 'user.x', b'')\nreturn a + b"), "exception"),
    Attack("finds nothing of the environment", body(
        "import glob, os\nfor path in glob.glob('/proc/*/environ'):\n    try:\n        if open(path).read(): return 3\n"
        "    except OSError: pass\nreturn 3 if {'HOME', 'PATH', 'USER', 'CANARY'} & {*os.environ} else 0"), "failed_assertion"),
    Attack("imports what is installed", body("import pytest\nreturn a + b"), "exception"),
    Attack("imports the program", body("import capa_tui\nreturn a + b"), "exception"),
    Attack("reads what is installed", body(
        "import glob, sys\nfor path in glob.glob(sys.prefix + '/lib/python*/*-packages/*/*.py'):\n    open(path)\n    return 3\nreturn 0"),
        "failed_assertion", landlock="exception", also=("failed_assertion",)),
    Attack("connects", body("import socket\nsocket.create_connection(('127.0.0.1', 9))\nreturn a + b"), "exception"),
    Attack("listens", body("import socket\nsocket.create_server(('127.0.0.1', 0))\nreturn a + b"), "exception"),
    Attack("abstract socket", body(
        "import socket\nsocket.socket(socket.AF_UNIX).bind('\\0capa')\nreturn a + b"), "exception"),
    Attack("sends without a connection", body(
        "import socket\nx, y = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\nx.sendto(b'x', '/dev/log')\nreturn a + b"),
        "exception"),
    Attack("asks for a name", body("import socket\nreturn socket.gethostbyname('localhost')"), "exception"),
    Attack("signals everybody", body(
        "import os\nfor pid in (os.getppid(), -1, 1):\n    try: os.kill(pid, 9)\n    except PermissionError: pass\n"
        "    except ProcessLookupError: pass\nreturn a + b"), "passed"),
    Attack("signals its group", body("import os\nos.killpg(os.getppid(), 9)\nreturn a + b"), "exception"),
    Attack("makes namespaces and reaches into the kernel", SYSCALLS.format(calls=[
        (101, 117), (272, 97), (165, 40), (425, 425), (319, 279), (56, 220), (435, 435), (310, 270), (321, 280),
        (29, 194), (41, 198), (155, 41), (161, 51), (308, 268), (323, 282), (250, 219), (434, 434), (447, 447),
        (462 + 1, 462 + 1), (9999, 9999)]), "passed", tests("assert candidate(1, 2) == [-1] * 20")),
    *(Attack(name, code, "exception", isolations=("landlock",)) for name, code in {
        "signals when something can be read": body(
            "import fcntl, os\nfcntl.fcntl(3, fcntl.F_SETSIG, 9)\nreturn a + b"),
        "signals by an owner": body("import fcntl, os\nfcntl.fcntl(3, fcntl.F_SETOWN, os.getppid())\nreturn a + b"),
        "signals by an owner of a socket": body(
            "import fcntl, os, struct\nfcntl.ioctl(3, 0x8901, struct.pack('i', os.getppid()))\nreturn a + b"),
        "limits its parent": body("import os, resource\nresource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1))\nreturn a + b"),
        "slows its parent down": body("import os\nos.setpriority(os.PRIO_PROCESS, os.getppid(), 19)\nreturn a + b"),
        "moves its parent": body("import os\nos.sched_setaffinity(os.getppid(), {0})\nreturn a + b"),
        "looks at its parent": body("import os\nos.kill(os.getppid(), 0)\nreturn a + b"),
        "empties a file that it may read": body("import os\nos.open(os.__file__, os.O_RDONLY | os.O_TRUNC)\nreturn a + b"),
        "leaves its group": body("import os\nos.setpgid(0, os.getppid())\nreturn a + b"),
        "runs another program": body("import os\nos.execv('/bin/true', ['true'])\nreturn a + b"),
    }.items()),
    Attack("outlives its parent", "import ctypes\n" + body(
        "return ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)"), "passed", tests("assert candidate(1, 2) == -1"),
        isolations=("landlock",)),
]  # fmt: skip

HARMLESS = [
    Attack("right", GOOD, "passed"),
    Attack("wrong", body("return a - b"), "failed_assertion"),
    Attack("no value", body("return None"), "failed_assertion"),
    Attack("lambda", "add = lambda a, b: a + b", "passed"),
    Attack("class", "class add(int):\n    def __new__(cls, a, b): return a + b\n", "passed"),
    Attack("built-in", "from operator import add", "passed"),
    Attack("other name", "def plus(a, b): return a + b", "no_function"),
    Attack("no function", "add = 3", "no_function"),
    Attack("method", "class Solution:\n    def add(self, a, b): return a + b\n", "no_function"),
    Attack("cut off", "def add(a, b):\n    return (a +", "syntax_error"),
    Attack("Python 2", GOOD + "print 'x'\n", "syntax_error"),
    Attack("NUL", GOOD + "\0", "syntax_error"),
    Attack("lone surrogate", GOOD + "x = '\ud800'\n", "syntax_error"),
    Attack("too many brackets", "x = " + "(" * 5000 + ")" * 5000, "syntax_error"),
    Attack("empty", " \n", "no_code"),
    Attack("main guard", GOOD + "if __name__ == '__main__':\n    raise SystemExit\n", "passed"),
    Attack("example that fails", GOOD + "print(add(1, '2'))\n", "passed"),
    Attack("example that exits", GOOD + "raise SystemExit(1)\n", "passed"),
    Attack("error before the function", "1 / 0\n" + GOOD, "exception"),
    Attack("closes its output", "import sys\nsys.stdout.close()\nsys.stdout = None\n" + GOOD, "passed"),
    Attack("closes its output for good", "import os\nos.close(1)\nos.close(2)\n" + GOOD, "passed"),
    Attack("takes its output away", "import sys\ndel sys.stdout, sys.stderr, sys.__stdout__\n" + GOOD, "passed"),
    Attack("large numbers", GOOD, "passed", tests("assert candidate(10**20000, -1) == 10**20000 - 1")),
    Attack("strange texts", GOOD, "passed", tests("assert candidate('\\ud800', '\\0') == '\\ud800\\0'")),
    Attack("changes its arguments", body("a.append(b)"), "passed",
           tests("x = [1]", "assert candidate(x, 2) is None", "assert x == [1, 2]")),
    Attack("changes what is inside its arguments", body("a['k'][0].add(b)\na['n'] = a"), "passed",
           tests("x = {'k': ({1},)}", "candidate(x, 2)", "assert x['k'] == ({1, 2},) and x['n'] is x")),
    Attack("returns its argument", body("return a"), "passed", tests("x = [1]", "assert candidate(x, 2) is x")),
    Attack("changes its arguments, then raises", body("a.clear()\nraise KeyError('k')"), "passed",
           tests("x = [1]", "try:", "    candidate(x, 2)", "except KeyError as e:", "    assert e.args == ('k',) and x == []",
                 "else:", "    assert False")),
    Attack("calls what it is given", "def add(f, b): return f(f(b), scale=2)", "passed",
           tests("assert candidate(lambda x, scale=1: (x + 1) * scale, 1) == 6")),
    Attack("lets the tests' exception pass", "def add(f, b): return f()", "passed",
           tests("class Own(Exception): pass", "def f(): raise Own('x')", "try: candidate(f, 1)", "except Own: return",
                 "assert False")),
    Attack("reads the tests' iterator", "def add(i, b): return sum(i) + b", "passed",
           tests("assert candidate(iter([1, 2]), 3) == 6", "assert candidate((n for n in [1]), 1) == 2")),
    Attack("returns a function", "def add(a, b):\n    return lambda c: a + b + c\n", "passed",
           tests("assert candidate(1, 2)(3) == 6")),
    Attack("returns an iterator", body("yield a\nyield b"), "passed",
           tests("assert list(candidate(1, 2)) == [1, 2]", "assert next(candidate(1, 2)) == 1", "assert 2 in candidate(1, 2)")),
    Attack("returns an endless iterator", body("while True:\n    yield a\n    a += b"), "passed",
           tests("import itertools", "assert list(itertools.islice(candidate(1, 2), 3)) == [1, 3, 5]")),
    Attack("numbers of the library", "from fractions import Fraction\nfrom decimal import Decimal\n" + body(
           "return [Fraction(a, b), Decimal(a) / b]"), "passed",
           tests("from fractions import Fraction as F", "from decimal import Decimal as D",
                 "assert candidate(1, 2) == [F(1, 2), D('0.5')]")),
    Attack("containers of the library", "import collections as c\n" + body(
           "return c.Counter(a), c.deque(b, 2), c.OrderedDict(x=1), c.namedtuple('P', 'x')(1), c.defaultdict(int, y=2)"),
           "passed", tests("import collections as c", "x = candidate('aab', [1, 2])",
                           "assert x == ({'a': 2, 'b': 1}, c.deque([1, 2]), {'x': 1}, (1,), {'y': 2})",
                           "assert x[0].most_common(1) == [('a', 2)] and x[4]['z'] == 0")),
    Attack("views", body("return a.keys(), a.items(), sorted(a.values())"), "passed",
           tests("k, i, v = candidate({1: 2}, 0)", "assert k == {1} and i == {(1, 2)} and v == [2]")),
    Attack("types", body("return [type(a), type(b)]"), "passed", tests("assert candidate(1, 'x') == [int, str]")),
    Attack("a right answer that is no plain value", "class P:\n    def __init__(s): s.x = 3\n" + body("return P()"), "unsupported",
           tests("assert candidate(1, 2).x == 3")),
    Attack("a value without the method that is wanted", body("yield 3"), "exception",
           tests("assert candidate(1, 2).upper() == 'X'")),
    Attack("an object of the tests", GOOD, "unsupported", tests("class P: pass", "candidate(P(), 1)")),
    Attack("uses the prompt's names", body("return helper(a) + b"), "passed"),
    Attack("tests without a check", GOOD, "harness_error", "x = 1"),
    Attack("tests that do not compile", GOOD, "harness_error", "def check("),
    Attack("tests that assert with a message", body("return 0"), "failed_assertion", tests("assert candidate(1, 2), 'why'")),
    Attack("async inside", "import asyncio\nasync def plus(a, b):\n    await asyncio.sleep(0)\n    return a + b\n" + body(
           "return asyncio.run(plus(a, b))"), "passed"),
]  # fmt: skip

PROMPT = 'def helper(x):\n    return x\n\n\ndef add(a, b):\n    """Add."""\n'

ATTACKS = [
    *HARMLESS, *FORGED_RESULTS, *FORGED_VERDICTS, *ENDINGS, *TIMES, *AMOUNTS, *OUTSIDE,
]  # fmt: skip
if sys.version_info >= (3, 12) or platform.machine() != "x86_64":  # pragma: no cover
    ATTACKS = [one for one in ATTACKS if one.name not in ("changes the number 0", "processes by clone")]
USERS = [one for n, one in enumerate(ATTACKS) if one in OUTSIDE or n % 4 == 0]
"""What may depend on who the user is, and a part of the rest."""

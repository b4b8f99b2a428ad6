"""Several servers as one: programs that end are restarted, all end with the parent, and the proxy is configured."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dpviz import cli
from dpviz.errors import DpvizError
from dpviz.server import read_flags, server_command, server_options, streamlit_command
from dpviz.ui.serving import health, nginx, workers
from dpviz.ui.serving.careful import COOKIE_SECONDS
from dpviz.ui.serving.health import answers
from dpviz.ui.serving.workers import Child, Keeper, NeverReady

ROOT = Path(__file__).resolve().parents[1]
MOST_SECONDS = 300
"""Nothing takes so long on any machine: what does, hangs."""

STUB = """
import http.server, os, signal, sys, threading
from pathlib import Path

if sys.argv[2:] and sys.argv[2] == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)

class Well(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        answer = str(os.getpid()).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

def end_with_parent():
    while os.read(0, 100):
        pass
    os._exit(0)

if "-c" in sys.argv:  # as nginx is called, whose standard input is nothing
    words = Path(sys.argv[sys.argv.index("-c") + 1]).read_text().split()
    port = words[words.index("listen") + 1].strip(";").rpartition(":")[2]
else:
    port = sys.argv[1]
    threading.Thread(target=end_with_parent, daemon=True).start()
http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Well).serve_forever()
"""
"""A server that says who it is, in place of the app and of the proxy."""


@pytest.fixture
def stub(tmp_path: Path) -> Path:
    path = tmp_path / "stub.py"
    path.write_text(f"#!{sys.executable}\n{STUB}")
    path.chmod(0o755)
    return path


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def child(stub: Path, port: int, *words: str) -> Child:
    return Child("Stub", [sys.executable, str(stub), str(port), *words], f"http://127.0.0.1:{port}/")


def who(port: int) -> int:
    """Process id of the server on a port; 0 if none answers, or not to the end of its answer."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60) as answer:
            return int(answer.read())
    except (OSError, http.client.HTTPException):
        return 0


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + MOST_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


async def until_later(condition: Callable[[], object]) -> None:
    await asyncio.to_thread(until, condition)


def kept(work: Callable[[Keeper, list[str]], Awaitable[None]]) -> list[str]:
    """Let a keeper work, end what it keeps, and return what it said."""
    said: list[str] = []

    async def run() -> None:
        keeper = Keeper(said.append, first_pause=0.01)
        try:
            await asyncio.wait_for(work(keeper, said), MOST_SECONDS)
        finally:
            await keeper.end()

    asyncio.run(run())
    return said


@pytest.mark.parametrize(
    ("said", "well"),
    [
        (b"HTTP/1.0 200 OK\r\n\r\nok", True),
        (b"HTTP/1.0 503 Busy\r\n\r\n", False),
        (b"", False),  # it ends before its answer, and within its first line
        (b"HTT", False),
        (b"nonsense\r\n\r\n", False),
    ],
)
def test_only_a_whole_answer_is_one(port: int, said: bytes, well: bool) -> None:
    address = f"http://127.0.0.1:{port}/"
    assert not answers(address)
    with socket.create_server(("127.0.0.1", port)) as server:

        def serve() -> None:
            with server.accept()[0] as one:
                one.recv(1000)
                one.sendall(said)

        thread = threading.Thread(target=serve)
        thread.start()
        assert answers(address) == well
        thread.join()


def test_a_server_that_takes_a_question_and_says_nothing_does_not_answer(port: int) -> None:
    with socket.create_server(("127.0.0.1", port)) as silent:
        assert not answers(f"http://127.0.0.1:{port}/", seconds=0.1)
        with silent.accept()[0] as asked:
            assert b"GET / HTTP/1.1\r\n" in asked.recv(1000)


def test_no_proxy_of_the_environment_is_asked_for_health(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as sink:
        sink.setblocking(False)
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{sink.getsockname()[1]}")
        monkeypatch.delenv("no_proxy", raising=False)
        assert not answers(f"http://127.0.0.1:{port}/", seconds=0.1)
        with pytest.raises(BlockingIOError):
            sink.accept()


def test_what_dies_comes_back_every_time_and_is_said(stub: Path, port: int) -> None:
    one = child(stub, port)
    seen: list[int] = []

    async def work(keeper: Keeper, said: list[str]) -> None:
        await keeper.start(one)
        for _ in range(3):
            seen.append(who(port))
            os.kill(seen[-1], signal.SIGKILL)
            await until_later(lambda: who(port) not in (0, seen[-1]))
            await asyncio.wait_for(one.ready.wait(), MOST_SECONDS)

    said = kept(work)
    assert len(set(seen)) == 3
    assert sum("ended (signal 9)" in line for line in said) == 3
    assert sum("is ready" in line for line in said) >= 3
    assert who(port) == 0


def stopped(pid: int) -> bool:
    """Whether a process is stopped, as by a debugger or by ``kill -STOP``, or is no more."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "TZX"
    except OSError:
        return True


def impatient(monkeypatch: pytest.MonkeyPatch, answering: Callable[[str], bool]) -> None:
    """Ask a server that is ready all the time; what it answers does not depend on how busy the machine is."""
    monkeypatch.setattr(workers, "CHECK_SECONDS", 0.01)
    monkeypatch.setattr(workers, "answers", answering)


def test_what_hangs_is_replaced_and_nothing_else(stub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def answering(address: str) -> bool:
        at = next(one for one in both if one.address == address)
        while at.process is not None and not stopped(at.process.pid):  # it may stop while it is asked
            if answers(address, 0.5) or at.process.returncode is not None:
                return at.process.returncode is None
        return False

    async def work(keeper: Keeper, said: list[str]) -> None:
        await keeper.start(*both)
        hung, well = map(who, ports)
        os.kill(hung, signal.SIGSTOP)
        await until_later(lambda: "Stub is ready" in "".join(said[said_before(said, "does not answer") :]))
        assert who(ports[0]) not in (0, hung) and who(ports[1]) == well

    impatient(monkeypatch, answering)
    with workers.reserved_ports(2) as ports:
        both = [child(stub, number) for number in ports]
        said = kept(work)
    assert sum("does not answer" in line for line in said) == sum("ended (signal 9)" in line for line in said) == 1


def test_what_hangs_while_it_starts_again_is_replaced_too(
    stub: Path, port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its first start may take as long as it likes, which is said."""
    starts = tmp_path / "starts"
    hanging = f"""
import os, runpy, sys, time
with open({str(starts)!r}, "a") as file:
    print(os.getpid(), file=file)
if len(open({str(starts)!r}).readlines()) == 2:
    time.sleep(1e6)
runpy.run_path({str(stub)!r}, run_name="__main__")
"""
    one = Child("Stub", [sys.executable, "-c", hanging, str(port)], f"http://127.0.0.1:{port}/")
    slow = [False]  # what it answers first of all

    def answering(address: str) -> bool:
        if slow:
            return slow.pop()
        until(lambda: answers(address, MOST_SECONDS) or hangs_or_ended())
        return answers(address, MOST_SECONDS)

    def hangs_or_ended() -> bool:  # whoever asks when all ends would otherwise ask for ever
        now = one.process
        return now is not None and (str(now.pid) in begun()[1:2] or now.returncode is not None)

    def begun() -> list[str]:
        return starts.read_text().split() if starts.exists() else []

    async def work(keeper: Keeper, said: list[str]) -> None:
        await keeper.start(one)
        await until_later(lambda: who(port))
        os.kill(who(port), signal.SIGKILL)
        await until_later(lambda: len(begun()) == 3 and who(port))
        assert who(port) == int(begun()[2])

    impatient(monkeypatch, answering)
    monkeypatch.setattr(workers, "START_SECONDS", 0.0)
    said = kept(work)
    waited = [line for line in said if "is not ready" in line]
    assert waited[0].endswith("it is waited for.") and waited[1].endswith("it is replaced.")


def said_before(said: list[str], words: str) -> int:
    """Number of lines up to the first with these words; all if none has them."""
    return next((number for number, line in enumerate(said) if words in line), len(said))


def test_what_is_late_now_and_then_is_only_busy(stub: Path, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def answering(address: str) -> bool:
        asked.append(len(asked) % workers.MOST_MISSES == 0)  # one answer, then as many misses as it may have but one
        return asked[-1]

    async def work(keeper: Keeper, said: list[str]) -> None:
        await keeper.start(child(stub, port))
        await until_later(lambda: who(port))
        first = who(port)
        await until_later(lambda: len(asked) > 20 * workers.MOST_MISSES)
        assert who(port) == first

    impatient(monkeypatch, answering)
    assert not any("does not answer" in line for line in kept(work))


def test_what_is_never_ready_is_not_tried_for_ever(stub: Path, port: int) -> None:
    broken = Child("Broken", [sys.executable, "-c", "raise SystemExit(3)"], f"http://127.0.0.1:{port}/")

    async def work(keeper: Keeper, said: list[str]) -> None:
        await keeper.start(broken)

    with pytest.raises(NeverReady, match=r"Broken ended \(code 3\) before it was ready"):
        kept(work)


def test_of_what_is_killed_before_it_was_ready_it_is_said_why(port: int) -> None:
    killed = Child("Killed", ["sh", "-c", "kill -KILL $$"], f"http://127.0.0.1:{port}/")

    async def work(keeper: Keeper, said: list[str]) -> None:
        await keeper.start(killed)

    with pytest.raises(NeverReady, match=r"ended \(signal 9\) before it was ready; something killed it.* memory"):
        kept(work)


def test_where_nothing_can_be_kept_every_start_may_compile(
    stub: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow: list[bool] = []  # what it answers first of all, each time it starts
    one = child(stub, port)

    def answering(address: str) -> bool:
        return slow.pop() if slow else answers(address, MOST_SECONDS)

    async def work(keeper: Keeper, said: list[str]) -> None:
        await keeper.start(one)
        first = who(port)
        slow.append(False)
        os.kill(first, signal.SIGKILL)
        await until_later(lambda: who(port) not in (0, first))
        await asyncio.wait_for(one.ready.wait(), MOST_SECONDS)

    monkeypatch.setattr(workers, "answers", answering)
    monkeypatch.setattr(workers, "NOT_KEPT", "nothing can be written")
    monkeypatch.setattr(workers, "START_SECONDS", 0.0)
    said = kept(work)
    assert any(line.endswith("it is waited for.") for line in said)
    assert not any("it is replaced" in line for line in said)


def test_nothing_is_ready_before_all_are(stub: Path) -> None:
    async def work(keeper: Keeper, said: list[str]) -> None:
        await keeper.start(*(child(stub, number) for number in ports))
        assert all(map(who, ports))

    with workers.reserved_ports(3) as ports:
        kept(work)
    assert len(set(ports)) == 3 and not any(map(who, ports))


def test_what_does_not_listen_is_ended_all_the_same(stub: Path, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "GRACE_SECONDS", 0.1)

    async def work(keeper: Keeper, said: list[str]) -> None:
        await keeper.start(child(stub, port, "stubborn"))

    kept(work)
    assert who(port) == 0


WHOLE = """
import sys
from dpviz.server import server_options
from dpviz.ui.serving import workers

stub, port = sys.argv[1:]
workers.server_command = lambda options: [sys.executable, stub, str(options["server.port"])]
workers.nginx.program = lambda: stub
options = ["--workers=2", '--server.address="127.0.0.1"', f"--server.port={port}", "--server.maxUploadSize=20"]
sys.exit(workers.main(options))
"""
"""The program that serves, with stubs for the servers and the proxy."""


@contextlib.contextmanager
def whole(stub: Path, port: int, folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], list[int]]]:
    """The whole once it is ready, and the ports of its workers."""
    folder.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder)}
    log = folder.parent / "log"
    with log.open("wb") as stream, subprocess.Popen(
        [sys.executable, "-c", WHOLE, str(stub), str(port)], env=environment, stdout=stream, stderr=stream
    ) as process:  # fmt: skip
        try:
            until(lambda: "Ready: 2 workers" in log.read_text() or process.poll() is not None)
            assert process.poll() is None, log.read_text()
            (configuration,) = folder.glob("*/nginx.conf")
            yield (
                process,
                sorted({int(number) for number in re.findall(r"127.0.0.1:(\d+) max", configuration.read_text())}),
            )
        finally:
            process.kill()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_everything_ends_in_good_order_with_the_whole(stub: Path, port: int, tmp_path: Path, how: int) -> None:
    with whole(stub, port, tmp_path / "own") as (process, ports):
        assert len(ports) == 2 and all(map(who, [port, *ports]))
        process.send_signal(how)
        assert process.wait(MOST_SECONDS) == 0
        assert not any(map(who, [port, *ports]))
        assert list((tmp_path / "own").iterdir()) == []


def test_everything_ends_when_the_whole_is_killed(stub: Path, port: int, tmp_path: Path) -> None:
    with whole(stub, port, tmp_path / "own") as (process, ports):
        assert all(map(who, [port, *ports]))
        process.kill()
        until(lambda: not any(map(who, [port, *ports])))


def test_a_proxy_that_dies_comes_back(stub: Path, port: int, tmp_path: Path) -> None:
    with whole(stub, port, tmp_path / "own"):
        first = who(port)
        os.kill(first, signal.SIGKILL)
        until(lambda: who(port) not in (0, first))


@pytest.mark.slow
def test_a_worker_that_hangs_is_replaced_behind_the_proxy(stub: Path, port: int, tmp_path: Path) -> None:
    with whole(stub, port, tmp_path / "own") as (_, ports):
        front, hung, well = map(who, [port, *ports])
        os.kill(hung, signal.SIGSTOP)
        until(lambda: "does not answer" in (tmp_path / "log").read_text())
        until(lambda: who(ports[0]) not in (0, hung))
        assert (who(ports[1]), who(port)) == (well, front)


# --- the real server as one of several --------------------------------------------------------------------------------


def headers_of(port: int, path: str, **headers: str) -> list[str]:
    """Cookies that an answer sets."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=MOST_SECONDS)
    connection.request("GET", path, headers=headers)
    try:
        return connection.getresponse().headers.get_all("Set-Cookie", [])
    finally:
        connection.close()


@pytest.mark.slow
def test_a_worker_is_warm_names_itself_and_ends_with_its_parent(port: int, tmp_path: Path) -> None:
    options = server_options("127.0.0.1", port, shared=True, embedders=["https://a.test"])
    (one,) = workers.workers(options, [port], tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(one.command, cwd=tmp_path, env=environment, stdin=subprocess.PIPE) as process:
        try:
            until(lambda: answers(one.address) or process.poll() is not None)
            assert process.poll() is None
            reach = f"Path=/; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=None; Secure; Partitioned"
            named, known = headers_of(port, "/")
            assert known.startswith("dpviz_browser=") and named == f"dpviz_worker=1; {reach}"
            (xsrf,) = headers_of(port, "/_stcore/health")
            assert xsrf.startswith("_streamlit_xsrf=") and xsrf.endswith("; SameSite=None; Secure; Partitioned")
            upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
            upgrade |= {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Origin": f"http://127.0.0.1:{port}"}
            assert headers_of(port, "/_stcore/stream", **upgrade) == [f"dpviz_worker=1; {reach}"]
            assert process.stdin is not None
            process.stdin.close()
            process.wait(MOST_SECONDS)
        finally:
            process.kill()


# --- configuration of the proxy ---------------------------------------------------------------------------------------

Directive = tuple[list[str], list[Any]]


def parsed(text: str) -> list[Directive]:
    """Directives of a configuration: their words, and what is in their braces."""
    tokens = re.findall(r'"[^"]*"|[{};]|[^\s{};"]+', re.sub(r"(?m)#.*$", "", text))
    stack: list[list[Directive]] = [[]]
    words: list[str] = []
    for token in tokens:
        if token == "{":
            stack[-1].append((words, []))
            stack.append(stack[-1][-1][1])
            words = []
        elif token == "}":
            assert not words, f"{words} are not ended"
            stack.pop()
        elif token == ";":
            stack[-1].append((words, []))
            words = []
        else:
            words.append(token)
    assert len(stack) == 1 and not words
    return stack[0]


def blocks(directives: list[Directive], *words: str) -> list[list[Directive]]:
    return [inside for said, inside in directives if said[: len(words)] == list(words)]


def lines(directives: list[Directive]) -> list[str]:
    return [" ".join(words) for words, _ in directives]


def test_every_worker_has_a_name_that_leads_to_it_and_the_others_in_reserve() -> None:
    told = parsed(nginx.configuration(Path("/run/x"), "127.0.0.1", 8501, [9001, 9002, 9003], 20))
    (http_block,) = blocks(told, "http")
    (chosen,) = blocks(http_block, "map", "$cookie_dpviz_worker", "$chosen")
    assert lines(chosen) == ['"1" worker_1', '"2" worker_2', '"3" worker_3', "default $stray"]
    for name, own in (("1", 9001), ("2", 9002), ("3", 9003)):
        (group,) = blocks(http_block, "upstream", f"worker_{name}")
        first, *reserve = lines(group)
        assert first == f"server 127.0.0.1:{own} max_fails=1 fail_timeout=5s"
        assert len(reserve) == 2 and all(line.endswith(" backup") and str(own) not in line for line in reserve)
    for name, how in (("least_busy", "least_conn"), ("by_address", "hash")):
        (group,) = blocks(http_block, "upstream", name)
        method, *servers = lines(group)
        assert method.startswith(how) and len(servers) == 3 and not any("backup" in line for line in servers)


def test_without_a_cookie_what_belongs_to_a_session_goes_by_address() -> None:
    (http_block,) = blocks(parsed(nginx.configuration(Path("/run/x"), "h", 1, [2, 3], 20)), "http")
    (stray,) = blocks(http_block, "map", "$uri", "$stray")
    pattern, where = stray[0][0]
    assert where == "by_address" and lines(stray)[1] == "default least_busy"
    of_a_session = ("/_stcore/stream", "/_stcore/upload_file/a/b", "/media/1.png")
    assert all(re.search(pattern.removeprefix("~"), path) for path in of_a_session)
    assert not any(
        re.search(pattern.removeprefix("~"), path) for path in ("/", "/explore", "/_stcore/health", "/mediae")
    )


def test_the_proxy_listens_where_it_should_and_passes_on_what_the_app_needs() -> None:
    for host, address in (("0.0.0.0", "0.0.0.0:8600"), ("::1", "[::1]:8600")):
        (http_block,) = blocks(parsed(nginx.configuration(Path("/run/x"), host, 8600, [1, 2], 20)), "http")
        (server,) = blocks(http_block, "server")
        assert lines(server)[:2] == [f"listen {address}", "client_max_body_size 21m"]
        for said in (
            "proxy_http_version 1.1",
            "proxy_set_header Host $http_host",
            "proxy_set_header Upgrade $http_upgrade",
            "proxy_set_header Connection $upgraded",
            "proxy_request_buffering off",
            "proxy_max_temp_file_size 0",
        ):
            assert said in lines(server)
        (pages,), (session,) = blocks(server, "location", "/"), blocks(server, "location", "=", "/_stcore/stream")
        assert lines(pages) == ["proxy_pass http://$chosen"] and lines(session)[-1:] == lines(pages)


def test_a_session_may_be_silent_for_an_hour_and_everything_else_goes_on_to_another_server() -> None:
    (http_block,) = blocks(parsed(nginx.configuration(Path("/run/x"), "h", 1, [2, 3], 20)), "http")
    (server,) = blocks(http_block, "server")
    (session,) = blocks(server, "location", "=", "/_stcore/stream")
    for what in ("send", "read"):
        assert f"proxy_{what}_timeout 3600s" in lines(session)
        (words,) = [said for said, _ in server if said[0] == f"proxy_{what}_timeout"]
        silence = workers.MOST_MISSES * health.PATIENCE_SECONDS
        assert 10 <= float(words[1].removesuffix("s")) < silence  # a page is not lost until its server is replaced


def test_the_proxy_answers_for_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    options = server_options("0.0.0.0", 8600, shared=True)
    (http_block,) = blocks(parsed(nginx.configuration(Path("/run/x"), "h", 1, [2, 3], 20)), "http")
    (server,) = blocks(http_block, "server")
    (alone,) = blocks(server, "location", "=", "/_dpviz/proxy")
    assert lines(alone) == ["return 200 ok"]
    monkeypatch.setattr(nginx, "program", lambda: "nginx")
    assert workers.proxy(options, [1, 2], tmp_path).address == "http://localhost:8600/_dpviz/proxy"


def test_everything_the_proxy_writes_is_in_its_own_folder(tmp_path: Path) -> None:
    told = parsed(nginx.configuration(tmp_path, "h", 1, [2, 3], 20))
    (http_block,) = blocks(told, "http")
    places = [words[1] for words, _ in [*told, *http_block] if words[0] == "pid" or words[0].endswith("_temp_path")]
    assert len(places) == 6 and all(Path(place).parent == tmp_path for place in places)


# --- how it is asked for ----------------------------------------------------------------------------------------------


def test_several_workers_have_the_options_of_one_but_for_their_places(tmp_path: Path) -> None:
    command = streamlit_command("0.0.0.0", 8600, workers=3, shared=True, names=["a.org"], embedders=["https://b.org"])
    assert command[2] == "dpviz.ui.serving.workers"
    options = read_flags(command[3:])
    assert options.pop("workers") == 3
    assert options == server_options("0.0.0.0", 8600, shared=True, names=["a.org"], embedders=["https://b.org"])
    for number, one in enumerate(workers.workers(options, [9001, 9002], tmp_path), 1):
        assert one.command[2] == "dpviz.ui.serving"
        own = read_flags(one.command[3:])
        assert (own.pop("worker"), own.pop("runs"), own.pop("bound")) == (str(number), True, True)
        assert own.pop("board") == str(tmp_path / "board.sqlite")
        assert own == {**options, "server.address": "127.0.0.1", "server.port": 9000 + number}
        assert one.address == f"http://127.0.0.1:{9000 + number}/_stcore/health"
    alone = streamlit_command("0.0.0.0", 8600, shared=True)
    assert alone == server_command(server_options("0.0.0.0", 8600, shared=True))


def test_connections_are_as_many_as_the_proxy_takes() -> None:
    say_limits = (
        "import resource; from dpviz.ui.serving import workers; hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]"
    )
    say_limits += "; resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard)); workers.allow_connections()"
    say_limits += "; print(*resource.getrlimit(resource.RLIMIT_NOFILE))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    said = subprocess.run([sys.executable, "-c", say_limits], env=environment, check=True, capture_output=True).stdout
    soft, hard = map(int, said.split())
    assert soft == min(nginx.CONNECTIONS + 100, hard if hard > 0 else sys.maxsize)


def test_without_nginx_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(nginx, "_PLACES", str(tmp_path))
    with pytest.raises(DpvizError, match="apt install nginx-light"):
        nginx.program()
    said: list[str] = []
    monkeypatch.setattr(workers, "say", said.append)
    assert workers.main(streamlit_command("127.0.0.1", 8600, workers=2, shared=True)[3:]) == 1
    assert len(said) == 1 and "apt install nginx-light" in said[0]


@pytest.mark.parametrize("words", [["--workers", "2"], ["--serve", "--workers", "0"], ["--serve", "--workers", "65"]])
def test_impossible_numbers_of_workers_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = cli.main(["app", *words])
    except SystemExit as refused:
        code = refused.code
    assert code and "--workers" in capsys.readouterr().err

"""What people install: the wheel alone must hold the library, the command and the app."""

from __future__ import annotations

import contextlib
import http.client
import os
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.request
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from dpviz import cli
from dpviz.server import app_folder, server_options, streamlit_command
from dpviz.ui.serving.visitors import refusal

ROOT = Path(__file__).resolve().parents[2]
MOST_SECONDS = 300
"""Nothing takes so long on any machine: what does, hangs."""


ALONE = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
"""What an installed command finds in its environment: no way to the checkout."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """Interpreter of a fresh environment that has dpviz from a wheel, and the rest from the tests' environment."""
    folder = tmp_path_factory.mktemp("installed")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / "bin" / "python"
    libraries = sysconfig.get_path("purelib", vars={"base": str(folder / "venv")})
    # Only the folder itself: a .pth file in it, which leads to the checkout, is not followed from here.
    (Path(libraries) / "of_the_tests.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = ["pip", "--python", str(python), "install", "--no-deps", "--no-index", "--no-compile", "--quiet"]
    subprocess.run([sys.executable, "-m", *pip, str(wheel)], check=True, capture_output=True)
    return python


@contextlib.contextmanager
def served(command: list[str], folder: Path, environment: dict[str, str]) -> Iterator[str]:
    """Address of a server that has come up; it is stopped by the process id of the command."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    log = folder / "server.log"
    with (
        log.open("wb") as stream,
        subprocess.Popen(
            [*command, "--port", str(port)], cwd=folder, env=environment, stdout=stream, stderr=stream
        ) as process,
    ):
        try:
            deadline = time.monotonic() + MOST_SECONDS
            while True:
                with contextlib.suppress(OSError):
                    assert urllib.request.urlopen(f"{address}/_stcore/health", timeout=5).read() == b"ok"
                    break
                assert process.poll() is None and time.monotonic() < deadline, log.read_text()
                time.sleep(0.2)
            yield address
        finally:
            process.terminate()
    with pytest.raises(OSError):
        urllib.request.urlopen(address, timeout=5)


def test_the_app_is_served_from_a_wheel(installed, tmp_path):
    command = installed.parent / "dpviz"
    with served([str(command), "app", "--serve"], tmp_path, ALONE) as address:
        assert b"<title>Streamlit</title>" in urllib.request.urlopen(f"{address}/tune", timeout=MOST_SECONDS).read()


LOOK = """
from pathlib import Path
from streamlit.testing.v1 import AppTest
import dpviz, dpviz.ui.pages
from dpviz.server import app_folder
from dpviz.ui.shell.navigation import PAGES
print(Path(dpviz.__file__).parent)
assert (app_folder() / ".streamlit" / "config.toml").is_file()
assert len(dpviz.datasets.names()) > 5
from dpviz.analysis.studies import STUDIES, committed
assert all(committed(name) is not None for name in STUDIES)
app = AppTest.from_file(str(app_folder() / "app.py"), default_timeout=600)
app.switch_page(str(PAGES["data"].file)).run()
assert not app.exception and any("#### Data" in text.value for text in app.markdown), app
"""


def test_the_pages_of_a_wheel_run(installed, tmp_path):
    found = subprocess.run([installed, "-c", LOOK], cwd=tmp_path, env=ALONE, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert Path(found.stdout.splitlines()[-1]).is_relative_to(installed.parents[1])


def test_the_command_of_a_wheel_clusters(installed, tmp_path):
    arguments = ["run", "iris", "--algorithm", "kmeans", "--n-clusters", "2", "--out", "labels.csv"]
    subprocess.run([installed.parent / "dpviz", *arguments], cwd=tmp_path, env=ALONE, check=True, capture_output=True)
    assert len((tmp_path / "labels.csv").read_text().splitlines()) == 151


def test_the_app_is_beside_the_package_or_in_it(tmp_path):
    package = tmp_path / "dpviz"
    package.mkdir()
    assert app_folder(package) == tmp_path
    (package / "app").mkdir()
    assert app_folder(package) == package / "app"
    assert (app_folder() / "app.py").is_file()


def test_a_class_gets_a_smaller_upload_and_no_browser():
    alone, shared = streamlit_command("127.0.0.1", 8501), streamlit_command("0.0.0.0", 8600, shared=True)
    assert {"--server.maxUploadSize=200", '--server.address="127.0.0.1"', "--server.port=8501"} <= set(alone)
    assert {"--server.maxUploadSize=20", '--server.address="0.0.0.0"', "--server.headless=true"} <= set(shared)
    assert "--server.headless=true" not in alone
    for command in (alone, shared):
        assert {"--server.enableCORS=true", "--server.enableXsrfProtection=true"} <= set(command)


def test_names_and_embedding_pages_are_those_that_were_given():
    assert server_options("127.0.0.1", 8501)["server.allowedHosts"] == ["127.0.0.1", "::1", "localhost"]
    for others in (server_options("0.0.0.0", 8501), server_options("127.0.0.1", 8501, shared=True)):
        assert others["server.allowedHosts"] == []  # a proxy may pass on any name
        assert "server.xsrfCookieSameSite" not in others
    named = server_options("127.0.0.1", 1, shared=True, names=["a.org"], embedders=["https://b.org"])
    assert named["server.allowedHosts"] == ["a.org"]
    assert (named["embed"], named["server.xsrfCookieSameSite"]) == (["https://b.org"], "none")


def upgrade(address: str, name: str) -> int:
    """Status of the answer to whoever asks for the app's websocket under some name of the server."""
    host, port = address.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=MOST_SECONDS)
    headers = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    headers |= {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Host": name, "Origin": f"http://{name}"}
    connection.request("GET", "/_stcore/stream", headers=headers)
    try:
        return connection.getresponse().status
    finally:
        connection.close()


def test_the_server_of_a_checkout_sends_careful_headers_and_closes_what_is_nobodys_business(tmp_path):
    options = ["--serve", "--allow-host", "dpviz.test", "--allow-host", "127.0.0.1", "--embed-in", "https://b.test"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with served([sys.executable, "-m", "dpviz.cli", "app", *options], tmp_path, environment) as address:
        assert b"<title>Streamlit</title>" in urllib.request.urlopen(address, timeout=MOST_SECONDS).read()
        for path in ("/", "/tune", "/_stcore/health"):
            headers = urllib.request.urlopen(f"{address}{path}", timeout=MOST_SECONDS).headers
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Referrer-Policy"] == "same-origin"
            policy = headers["Content-Security-Policy"].split("; ")
            assert {"default-src 'self'", "object-src 'none'", "frame-ancestors 'self' https://b.test"} <= set(policy)
        for path in ("/_stcore/metrics", "/_stcore/metrics/", "/_stcore/metrics?families=session_memory"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(f"{address}{path}", timeout=MOST_SECONDS)
        assert upgrade(address, "dpviz.test") == upgrade(address, "127.0.0.1") == 101
        assert upgrade(address, "rebound.test") == 403
    said = (tmp_path / "server.log").read_text()
    assert "otify" not in said, "the folder of the app is watched, and the environment in it with all its files"


@pytest.mark.parametrize("origin", ["moodle.example.org", "https://a.org/path", "https://a.org; script-src *", "*"])
def test_only_an_origin_can_be_let_embed(origin, capsys):
    with pytest.raises(SystemExit):
        cli.main(["app", "--embed-in", origin])
    assert "must be an origin" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "https://x",
        "x:8501",
        "*.",
        "*.*",
        "*x.org",
        "a,b",
        "a b",
        "a/b",
        "x..y",
        ".x",
        "[::1]:80",
        "bücher.de",
        "a\n",
    ],
)
def test_only_a_host_name_can_be_allowed(name, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.parser().parse_args(["app", "--allow-host", name])
    said = capsys.readouterr().err
    assert repr(name) in said and "must be one host name such as dpviz.example.org" in said


@pytest.mark.parametrize(
    "host", ["", "  ", "192.0.2.7", "localhost:80", "nosuch.invalid", "a b", "x" * 70, "http://localhost"]
)
def test_a_server_listens_at_an_address_of_this_machine(host, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.parser().parse_args(["app", "--host", host])
    said = capsys.readouterr().err
    assert f"argument --host: {host!r} must be an address of this machine" in said and "Traceback" not in said


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "localhost"])
def test_addresses_of_this_machine_are_taken(host):
    assert cli.parser().parse_args(["app", "--host", host]).host == host


def test_names_that_requests_can_have_are_allowed():
    names = [
        "localhost",
        "dpviz.example.org",
        "Dpviz.Example.org.",
        "*.example.org",
        "*",
        "192.0.2.7",
        "::1",
        "[::1]",
        "2001:db8::7",
        "my_server",
        "xn--bcher-kva.de",
    ]
    for name in names:
        (allowed,) = cli.parser().parse_args(["app", "--allow-host", name]).allow_host
        host = name.replace("*", "a").encode()
        host = b"[" + host + b"]" if host.count(b":") > 1 and not host.startswith(b"[") else host
        assert refusal({"type": "http", "path": "/", "headers": [(b"host", host + b":8501")]}, [allowed]) == ""

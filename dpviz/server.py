"""The place of the app's scripts, and all options of the server."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dpviz.limits import MAX_CLASS_UPLOAD_MEGABYTES, MAX_UPLOAD_MEGABYTES


def app_folder(package: Path | None = None) -> Path:
    """Folder of ``app.py`` and ``pages``: inside an installed package, beside the package in a checkout.

    Parameters
    ----------
    package : Path, optional
        Folder of the package; the imported one by default.
    """
    package = package or Path(__file__).parent
    installed = package / "app"
    return installed if installed.is_dir() else package.parent


EMBED = "embed"
"""Option of the server besides those of Streamlit: origins whose pages may show the app in a frame."""

BROWSER_COOKIE = "dpviz_browser"
"""Cookie with a secret by which a server knows a browser again, to find the data that it brought."""

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def say(line: str) -> None:
    """Print a line for whoever started a server."""
    print(f"dpviz: {line}", file=sys.stderr, flush=True)


def local_address(host: str, port: int) -> str:
    """Return the address by which this machine reaches a server that listens on ``host``."""
    name = "localhost" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}"


def server_options(
    host: str, port: int, *, shared: bool = False, names: Sequence[str] = (), embedders: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the options of the server, by name.

    Options that do not depend on the users, such as colours and privacy, are in ``.streamlit/config.toml`` of the app.

    Parameters
    ----------
    host : str
        The address to listen on.
    port : int
    shared : bool
        Whether a class shares the server: smaller uploads, no browser opened.
    names : sequence of str
        Names by which browsers reach the server, ``*.example.org`` among them; others are refused. Empty means any
        name, except for a personal server on the local machine, which accepts only its own names: otherwise a foreign
        page whose name resolves to this machine could use it.
    embedders : sequence of str
        Origins such as ``https://moodle.example.org`` whose pages may show the app in a frame. Uploads there need a
        cookie that browsers accept over TLS only.
    """
    if not names and not shared and host in LOOPBACK:
        names = LOOPBACK
    options: dict[str, Any] = {
        "server.address": host,
        "server.port": port,
        "server.enableCORS": True,
        "server.enableXsrfProtection": True,
        "server.maxUploadSize": MAX_UPLOAD_MEGABYTES,
        "server.allowedHosts": list(names),
        EMBED: list(embedders),
    }
    if embedders:
        options["server.xsrfCookieSameSite"] = "none"
    if shared:
        options |= {
            "server.maxUploadSize": MAX_CLASS_UPLOAD_MEGABYTES,
            "server.headless": True,
            "runner.fastReruns": True,
        }
    return options


def streamlit_command(host: str, port: int, **options: Any) -> list[str]:
    """Return the command that serves the app, with the arguments of :func:`server_options`."""
    return server_command(server_options(host, port, **options))


def server_command(options: Mapping[str, Any]) -> list[str]:
    """Return the command of the server with the options of :func:`server_options`, or changed ones."""
    flags = [f"--{name}={json.dumps(value)}" for name, value in options.items()]
    return [sys.executable, "-P", "-m", "dpviz.ui.serving", *flags]  # -P: files of the working folder are data only


def read_flags(flags: Sequence[str]) -> dict[str, Any]:
    """Return the options in a command: the inverse of the function above."""
    parts = (flag.removeprefix("--").partition("=") for flag in flags)
    return {name: json.loads(value) for name, _, value in parts}

"""Where the app's scripts are, and how they are served: the one place for the options of the server."""

from __future__ import annotations

import sys
from pathlib import Path

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


def streamlit_command(host: str, port: int, *, shared: bool = False) -> list[str]:
    """Return the command that serves the app.

    What does not depend on who uses it, such as colours and privacy, is in ``.streamlit/config.toml`` beside the app.

    Parameters
    ----------
    host : str
        The address to listen on.
    port : int
    shared : bool
        Whether a class shares the server: a smaller upload, no browser of its own, no look-out for edited sources.
    """
    options = {
        "server.address": host,
        "server.port": port,
        "server.enableCORS": "true",
        "server.enableXsrfProtection": "true",
        "server.maxUploadSize": MAX_UPLOAD_MEGABYTES,
    }
    if shared:
        options |= {
            "server.maxUploadSize": MAX_CLASS_UPLOAD_MEGABYTES,
            "server.headless": "true",
            "server.fileWatcherType": "none",
            "runner.fastReruns": "true",
        }
    flags = [f"--{name}={value}" for name, value in options.items()]
    return [sys.executable, "-m", "streamlit", "run", str(app_folder() / "app.py"), *flags]

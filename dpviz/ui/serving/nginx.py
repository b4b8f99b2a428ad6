"""The proxy in front of several servers: nginx, configured by a file that is written at every start.

nginx rather than a proxy of our own: all bytes of all sessions pass through it, and it is mature.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from dpviz.errors import DpvizError
from dpviz.server import WORKER_COOKIE

_PLACES = "/usr/sbin:/usr/local/sbin"
"""Further places to look for it: Debian installs it outside the path of users other than root."""
CONNECTIONS = 8192
"""Simultaneous connections: each session takes two, one to the browser and one to its server."""
HEALTH = "/_dpviz/proxy"
"""Address that the proxy answers by itself, so that it is not blamed for a server that hangs."""
_FAILED_SECONDS = 5
_ANSWER_SECONDS, _SESSION_SECONDS = 20, 3600
"""Seconds that the proxy waits for a server: for the next piece of an answer, before it asks another one, and for the
next word of a session, which may be silent as long as nobody touches the page."""

_TEMPLATE = """\
# Written by dpviz for one start; {folder} goes when it stops.
daemon off;
pid {folder}/nginx.pid;
error_log stderr warn;
worker_processes 1;
events {{ worker_connections {connections}; }}

http {{
    access_log off;
    server_tokens off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;

    # A browser goes back to the server that its cookie names. Without one, what belongs to a session goes by the
    # browser's address, and everything else where there is least to do; the server then names itself.
    map $cookie_{cookie} $chosen {{
{by_cookie}
        default $stray;
    }}
    map $uri $stray {{
        ~^/(_stcore/(stream|upload_file)|media)(/|$) by_address;
        default least_busy;
    }}
    upstream least_busy {{
        least_conn;
{all}
    }}
    upstream by_address {{
        hash "$remote_addr $http_x_forwarded_for $http_user_agent" consistent;
{all}
    }}
{each}

    map $http_upgrade $upgraded {{ "" ""; default upgrade; }}
    # A proxy in front of this one may have said how browsers reach it.
    map $http_x_forwarded_proto $protocol {{ "" $scheme; default $http_x_forwarded_proto; }}

    server {{
        listen {address};
        client_max_body_size {upload}m;
        # A link holds a whole run; the usual 8 kB end at some twenty columns with hyperparameters of their own.
        large_client_header_buffers 4 256k;
        proxy_http_version 1.1;
        proxy_set_header Host $http_host;
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection $upgraded;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Forwarded-Proto $protocol;
        proxy_connect_timeout {answer}s;
        proxy_send_timeout {answer}s;
        proxy_read_timeout {answer}s;
        # What users bring and take away is not written to disk.
        proxy_request_buffering off;
        proxy_max_temp_file_size 0;
        location / {{
            proxy_pass http://$chosen;
        }}
        location = /_stcore/stream {{
            proxy_send_timeout {session}s;
            proxy_read_timeout {session}s;
            proxy_pass http://$chosen;
        }}
        location = {health} {{
            return 200 ok;
        }}
    }}
}}
"""


def program() -> str:
    """Return the path of nginx.

    Raises
    ------
    DpvizError
        If it is not installed.
    """
    found = shutil.which("nginx") or shutil.which("nginx", path=_PLACES)
    if found is None:
        raise DpvizError(
            "several workers need nginx, which is not installed. On Debian and Ubuntu: apt install nginx-light, and "
            "systemctl disable --now nginx if its own server on port 80 is not wanted. Or leave out --workers."
        )
    return found


def configuration(folder: Path, host: str, port: int, ports: Sequence[int], upload_megabytes: int) -> str:
    """Return the proxy's configuration.

    Parameters
    ----------
    folder : Path
        For its process id and its temporary files.
    host, port : str, int
        Address where browsers reach it.
    ports : sequence of int
        Ports of the servers on this machine; the first is named “1” in cookies.
    upload_megabytes : int
        Largest upload, in 2²⁰ bytes; the rest of the request may take one more.
    """
    servers = [f"server 127.0.0.1:{number} max_fails=1 fail_timeout={_FAILED_SECONDS}s" for number in ports]
    names = [str(number) for number in range(1, len(ports) + 1)]
    everyone = _lines(2, [f"{server};" for server in servers])
    groups = []
    for name, own in zip(names, servers, strict=True):
        reserve = [f"{other} backup;" for other in servers if other != own]
        groups.append(f"    upstream worker_{name} {{\n{_lines(2, [f'{own};', *reserve])}\n    }}")
    return _TEMPLATE.format(
        folder=folder,
        cookie=WORKER_COOKIE,
        connections=CONNECTIONS,
        by_cookie=_lines(2, [f'"{name}" worker_{name};' for name in names]),
        all=everyone,
        each="\n".join(groups),
        address=f"[{host}]:{port}" if ":" in host else f"{host}:{port}",
        upload=upload_megabytes + 1,
        answer=_ANSWER_SECONDS,
        session=_SESSION_SECONDS,
        health=HEALTH,
    )


def _lines(depth: int, lines: Sequence[str]) -> str:
    return "\n".join("    " * depth + line for line in lines)

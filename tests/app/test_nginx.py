"""A real nginx with the configuration of `deploy` before a real server."""

from __future__ import annotations

import http.client
import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from cspca.experiments.limits import Limits
from tests.browser.harness import Server, free_port, running_server

REPOSITORY = Path(__file__).resolve().parents[2]
CONFIGURATION = (REPOSITORY / "deploy" / "nginx.conf").read_text(encoding="utf-8")
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
OPENSSL = shutil.which("openssl")

pytestmark = pytest.mark.skipif(
    NGINX is None or OPENSSL is None, reason="nginx or openssl is not installed here"
)


@contextmanager
def proxied(server: Server, folder: Path, configuration: str) -> Iterator[int]:
    """Run nginx with a configuration of its own; yield the port of TLS."""
    with free_port() as plain, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
        probe.close()
        certificate, key = folder / "certificate.pem", folder / "key.pem"
        command = [str(OPENSSL), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
        command += ["-subj", "/CN=studio.example.org", "-keyout", str(key)]
        subprocess.run([*command, "-out", str(certificate)], check=True, capture_output=True)
        site = configuration
        for pattern, replacement in (
            (r"listen 80;", f"listen 127.0.0.1:{plain};"),
            (r"listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
            (r"ssl_certificate .*;", f"ssl_certificate {certificate};"),
            (r"ssl_certificate_key .*;", f"ssl_certificate_key {key};"),
            (r"http://127.0.0.1:8501", server.url),
        ):
            assert re.search(pattern, site)
            site = re.sub(pattern, replacement, site)
        places = " ".join(
            f"{kind}_temp_path {folder}/{kind};"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        whole = folder / "whole.conf"
        # Without a user, root's worker is nobody, who may not write into the folder.
        user = "user root;" if os.geteuid() == 0 else ""
        main = f"{user} daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;"
        whole.write_text(f"{main}\nevents {{}}\nhttp {{ access_log off; {places}\n{site}\n}}\n")
        process = subprocess.Popen([str(NGINX), "-c", str(whole), "-e", f"{folder}/early.log"])
        try:
            for _ in range(200):
                with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                assert process.poll() is None, (folder / "error.log").read_text()
                time.sleep(0.05)
            yield port
        finally:
            process.terminate()
            process.wait(20)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture(scope="module")
def port(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with proxied(server, tmp_path_factory.mktemp("nginx"), CONFIGURATION) as port:
        yield port


def ask(
    port: int, method: str, path: str, body: bytes = b"", **headers: str
) -> http.client.HTTPResponse:
    """Ask over TLS; the answer's status and headers are those of nginx."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=60)
    connection.putrequest(method, path, skip_host=True)
    names = {"Host": "studio.example.org", "Content_Length": str(len(body))}
    for name, value in {**names, **headers}.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders(body)
    return connection.getresponse()


def test_a_page_has_the_headers_of_both_and_a_cookie_of_tls(port: int) -> None:
    answer = ask(port, "GET", "/?data=digits", Accept="text/html")
    assert answer.status == 200
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
    # The server believes nginx that this is TLS.
    assert answer.headers["Set-Cookie"].startswith("__Host-cspca_")


def test_what_operates_the_server_is_not_found_outside(port: int, server: Server) -> None:
    for path in ("/healthz", "/_stcore/metrics"):
        assert ask(port, "GET", path).status == 404
    inside = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=60)
    inside.request("GET", "/healthz")
    assert inside.getresponse().status == 200


def test_pages_talk_by_a_websocket(port: int) -> None:
    answer = ask(
        port, "GET", "/_stcore/stream", Upgrade="websocket", Connection="Upgrade",
        Sec_WebSocket_Key="dGhlIHNhbXBsZSBub25jZQ==", Sec_WebSocket_Version="13",
        Sec_WebSocket_Protocol="streamlit", Origin="https://studio.example.org",
    )  # fmt: skip
    assert answer.status == 101


def test_an_upload_comes_through_and_nothing_much_larger(port: int) -> None:
    limit = Limits().upload << 20
    address = "/_stcore/upload_file/no-session/no-file"
    # The server refuses it, there is no such session, and often before it has read it (then 502).
    assert ask(port, "PUT", address, bytes(2 << 20)).status != 413
    most = re.search(r"client_max_body_size (\d+)M;", CONFIGURATION)
    assert most is not None
    assert limit < int(most[1]) << 20 < 1.1 * limit
    answer = ask(port, "PUT", address, Content_Length=str((int(most[1]) << 20) + 1))
    assert answer.status == 413

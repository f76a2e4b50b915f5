"""What the server says beside its pages: headers, the visitor's cookie, its health."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import threading

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileURLsRequest

from cspca.datasets import make_faces
from cspca.experiments.database import VISITOR, cookie_name, owner_secret, owner_token
from cspca.experiments.limits import Limits
from cspca.experiments.log import hashed
from cspca.ui import operator, serving, uploads
from cspca.ui.services import runs, services
from cspca.ui.uploads import UPLOADS
from tests.browser.harness import FIRST_LOOK

MINE = "0123456789abcdef" * 2


def a_page(request):
    """A page that says who asks for it, as it was told; what is sent or deleted is well."""
    if request.method in ("PUT", "DELETE"):
        return Response(status_code=204)
    return HTMLResponse(json.dumps(request.headers.getlist(VISITOR)))


PAGE = Route("/{rest:path}", a_page, methods=["GET", "PUT", "DELETE"])


@pytest.fixture
def ask(server):
    """``ask("/healthz")`` is the status, the headers and the words of the answer."""
    app = Starlette(routes=[*serving.ROUTES, PAGE], middleware=serving.MIDDLEWARE)

    def go(address, method="GET", scheme="http", client="192.0.2.7", **headers):
        path, _, query = address.partition("?")
        headers = {"accept": "text/html,*/*", "host": "studio.example"} | headers
        said = []
        scope = {
            **{"type": "http", "http_version": "1.1", "method": method, "scheme": scheme},
            **{"path": path, "raw_path": path.encode(), "query_string": query.encode()},
            **{"client": (client, 50_000), "server": ("studio.example", 80), "root_path": ""},
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }

        async def receive():
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message):
            said.append(message)

        asyncio.run(app(scope, receive, send))
        found = [(name.decode(), value.decode()) for name, value in said[0]["headers"]]
        body = b"".join(message.get("body", b"") for message in said[1:])
        return said[0]["status"], found, body.decode()

    return go


def cookies(headers):
    return [value for name, value in headers if name == "set-cookie"]


def owner():
    return {"authorization": f"Bearer {owner_token()}"}


def test_every_answer_has_its_headers(ask):
    for address in ("/", "/explore", "/healthz", "/nowhere/at/all"):
        headers = dict(ask(address)[1])
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        policy = headers["content-security-policy"]
        scripts = re.search("script-src ([^;]*)", policy)[1]
        assert "unsafe-inline" not in scripts
        assert "unsafe-eval" not in scripts.replace("wasm-unsafe-eval", "")
        assert "http" not in policy


def test_a_page_gives_a_secret_that_no_script_reads(ask):
    (cookie,) = cookies(ask("/explore?data=digits")[1])
    assert re.match(rf"{cookie_name()}=[0-9a-f]{{32}};", cookie)
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    # Pictures and scripts that a page loads give none: two at once would be two visitors.
    assert cookies(ask("/static/js/index.js", accept="*/*")[1]) == []


def test_with_tls_no_neighbour_of_the_domain_can_plant_the_cookie(ask):
    (cookie,) = cookies(ask("/", scheme="https")[1])
    assert cookie.startswith(f"__Host-{cookie_name()}=")
    # What browsers ask of such a name: else they refuse the cookie.
    assert {"Secure", "HttpOnly", "Path=/"} <= set(cookie.split("; "))
    assert "Domain" not in cookie
    planted = f"{cookie_name()}={MINE}"
    (cookie,) = cookies(ask("/", scheme="https", cookie=planted)[1])
    assert MINE not in cookie
    assert cookies(ask("/", scheme="https", cookie=f"__Host-{planted}")[1]) == []


def test_a_secret_is_kept_and_told_to_the_page_by_the_server_alone(ask):
    for said, told in (
        ({}, []),
        ({"cookie": f"{cookie_name()}={MINE}"}, [MINE]),
        ({"cookie": f"{cookie_name()}={MINE}", "x-cspca-visitor": "0" * 32}, [MINE]),
        ({"x-cspca-visitor": MINE}, []),
        # What is none of ours is no secret.
        ({"cookie": f"{cookie_name()}=guessed"}, []),
    ):
        _, headers, words = ask("/", **said)
        assert json.loads(words) == told
        assert bool(cookies(headers)) is not bool(told)


def test_the_owners_token_leaves_the_address_before_a_page_is_drawn(ask):
    status, headers, _ = ask(f"/runs?data=digits&token={owner_token()}")
    assert status == 303
    assert dict(headers)["location"] == "?data=digits"
    (cookie,) = cookies(headers)
    assert f"={owner_secret()};" in cookie
    assert "HttpOnly" in cookie
    # A wrong one is for the page to answer, which says what to do.
    status, headers, _ = ask("/runs?token=" + "0" * 32)
    assert status == 200
    assert not any(owner_secret() in one for one in cookies(headers))


@pytest.mark.parametrize("base", ["", "/lab/cspca"])
def test_an_address_that_no_page_has_sent_leads_to_no_file(ask, base):
    status, headers, text = ask(f"{base}/files/guessed/cspca-digits-data.npz")
    assert status == 404
    assert text.startswith("There is no such file: ")
    assert dict(headers)["cache-control"] == "no-store"


@pytest.mark.parametrize("base", ["", "/lab/cspca"])
@pytest.mark.parametrize("query", ["", "?data=digits&alpha=0.2"])
def test_whoever_types_the_name_of_the_first_page_gets_there(ask, base, query):
    status, headers, _ = ask(f"{base}/explore{query}")
    assert status == 307
    assert dict(headers)["location"] == f"./{query}"


def test_one_address_cannot_ask_without_end(ask, monkeypatch):
    monkeypatch.setattr(serving, "limits", lambda: Limits(requests=3))
    monkeypatch.setattr(serving.time, "monotonic", lambda: 60.0)
    assert [ask("/")[0] for _ in range(5)] == [200, 200, 200, 429, 429]
    assert ask("/", client="192.0.2.8")[0] == 200
    monkeypatch.setattr(serving.time, "monotonic", lambda: 120.0)
    assert ask("/")[0] == 200


def test_a_class_of_fifty_behind_one_address_may_begin_within_a_minute():
    """Each opens two pages in an empty browser and brings a folder of 400 images, one by one."""
    assert Limits().requests >= 50 * (2 * FIRST_LOOK + 400)


def converse(*messages):
    """What an application hears of these messages of a browser, and what the browser hears."""
    heard, answers = [], []

    async def page(scope, receive, send):
        while heard[-1:] != ["websocket.disconnect"]:
            heard.append((await receive())["type"])
        await send({"type": "websocket.send", "bytes": b"too late"})

    left = [*messages, {"type": "websocket.disconnect", "code": 1000}]

    async def receive():
        return left.pop(0)

    async def send(message):
        answers.append(message)

    scope = {"type": "websocket", "path": "/_stcore/stream", "headers": [], "query_string": b""}
    asyncio.run(serving.Door(page)(scope, receive, send))
    return heard, answers


def test_a_message_larger_than_any_of_our_pages_closes_the_connection(server):
    allowed = {"type": "websocket.receive", "bytes": b"x" * serving.MESSAGE}
    heard, answers = converse(allowed, allowed)
    assert heard == ["websocket.receive", "websocket.receive", "websocket.disconnect"]
    assert [answer["type"] for answer in answers] == ["websocket.send"]
    for content in ({"bytes": b"x" * (serving.MESSAGE + 1)}, {"text": "x" * 10_000_000}):
        heard, answers = converse(allowed, {"type": "websocket.receive", **content}, allowed)
        assert heard == ["websocket.receive", "websocket.disconnect"]
        assert answers == [{"type": "websocket.close", "code": 1009}]


def test_no_message_asks_for_addresses_of_more_files_than_an_upload_has(server):
    def request(count):
        names = FileURLsRequest(request_id="1", file_names=[""] * count, session_id="1")
        message = BackMsg(file_urls_request=names).SerializeToString()
        return {"type": "websocket.receive", "bytes": message}

    heard, answers = converse(request(serving.FILES))
    assert heard == ["websocket.receive", "websocket.disconnect"]
    heard, answers = converse(request(serving.FILES + 1))
    assert heard == ["websocket.disconnect"]
    assert answers == [{"type": "websocket.close", "code": 1009}]


def test_the_owner_learns_what_uploads_hold_and_lets_them_go(ask):
    secret = f"{cookie_name()}={MINE}"
    for headers in ({"cookie": secret}, {"cookie": secret}, {}):
        assert ask(f"/_stcore/upload_file/window/{len(headers)}", "PUT", **headers)[0] == 204
    whose = hashed(MINE)[:8]
    told = json.loads(ask("/healthz", **owner())[2])["uploads"]
    assert told.keys() == {whose, hashed("address 192.0.2.7")[:8]}
    assert "uploads" not in json.loads(ask("/healthz")[2])
    freed = json.loads(ask(f"/healthz?evict={whose}", "POST", **owner())[2])["freed"]
    assert freed == told[whose] > 0
    assert whose not in json.loads(ask("/healthz", **owner())[2])["uploads"]
    UPLOADS.release_of(hashed("address 192.0.2.7"))


def test_the_owners_uploads_are_the_operators(ask):
    cookie = f"{cookie_name()}={owner_secret()}"
    ask("/_stcore/upload_file/window/file", "PUT", cookie=cookie)
    told = json.loads(ask("/healthz", **owner())[2])["uploads"]
    assert list(told) == [hashed("")[:8]]
    assert UPLOADS.release_of(hashed("")) > 0


def test_no_body_is_taken_that_is_larger_than_an_upload(server, monkeypatch):
    monkeypatch.setattr(uploads, "limits", lambda: Limits(upload=7))
    monkeypatch.setattr(config, "set_option", lambda name, size: said.update({name: size}))
    said = {}

    async def begin():
        async with serving.lifespan(None):
            pass

    asyncio.run(begin())
    assert said == {"server.maxUploadSize": 7}


def test_a_server_that_can_work_is_well_and_tells_nothing_of_anybody(ask):
    runs()
    status, _, words = ask("/healthz")
    assert (status, json.loads(words)) == (200, {"status": "well", "faults": []})


def faults(ask):
    status, _, words = ask("/healthz")
    assert status == 503
    return json.loads(words)["faults"]


def test_a_store_that_cannot_be_written_is_told(ask, monkeypatch):
    store = runs().store

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("cspca.experiments.database.write_whole", full)
        (fault,) = faults(ask)
    assert fault.startswith("The store cannot be written")
    assert str(store.home) not in fault
    assert ask("/healthz")[0] == 200


def test_a_full_disk_is_told(ask, monkeypatch):
    usage = shutil.disk_usage(".")
    monkeypatch.setattr(operator.shutil, "disk_usage", lambda _: usage._replace(free=3 << 20))
    assert faults(ask) == ["The disk has 3 MB left, less than one upload may take."]


def test_a_worker_that_does_not_stop_is_told(ask, monkeypatch):
    let_go = threading.Event()
    job = services().jobs.submit(lambda job: bool(let_go.wait(30)))
    services().jobs.cancel(job)
    assert ask("/healthz")[0] == 200
    monkeypatch.setattr("cspca.experiments.jobs.ABANDONED", -1.0)
    assert faults(ask) == ["Workers are stuck, 1 in number: their jobs do not stop."]
    let_go.set()
    assert services().jobs.join(job, 30)
    assert ask("/healthz")[0] == 200


def test_the_owner_learns_who_computes_and_stops_them(ask):
    let_go, secret = threading.Event(), "5ec2e7" * 5

    def work(job):
        while not (job.stop_requested() or let_go.wait(0.01)):
            pass

    jobs = services().jobs
    mine, other = (jobs.submit(work, owner=f"{one} window") for one in (secret, "other"))
    known = hashed(mine)[:8]
    status, _, words = ask("/healthz", **owner())
    told = {job["job"]: job for job in json.loads(words)["jobs"]}
    assert told[known]["visitor"] == hashed(secret)[:8]
    assert secret not in words
    assert ask(f"/healthz?job={known}", "POST")[0] == 403
    assert ask("/healthz?job=", "POST", **owner())[2] == '{"stopped":[]}'
    status, _, words = ask(f"/healthz?job={known}", "POST", **owner())
    assert (status, json.loads(words)) == (200, {"stopped": [known]})
    assert jobs.join(mine, 30)
    assert jobs.view(other).active
    ask(f"/healthz?visitor={hashed('other')[:8]}", "POST", **owner())
    assert jobs.join(other, 30)
    let_go.set()


def test_who_is_evicted_loses_what_the_memory_has_of_them_and_nobody_else(ask):
    def kept():
        return json.loads(ask("/healthz", **owner())[2])["memory"]

    library, names = services().library, {}
    for secret in ("a" * 32, "b" * 32):
        names[secret] = library.add(make_faces(4, 5, 12, random_state=1), secret)
    anna, bert = (hashed(secret)[:8] for secret in names)
    assert min(kept()[anna], kept()[bert]) > 4 * 5 * 12 * 12 * 8
    had = kept()[anna]
    found = json.loads(ask(f"/healthz?visitor={anna}&evict={anna}", "POST", **owner())[2])
    assert found == {"stopped": [], "freed": had}
    assert anna not in kept()
    assert names["a" * 32] not in library
    assert names["b" * 32] in library
    # Nobody's is everybody's: built-in sets stay.
    library.get("digits")
    assert json.loads(ask("/healthz?evict=", "POST", **owner())[2])["freed"] == 0

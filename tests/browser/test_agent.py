"""What a program reads of a page, by Streamlit's agent API."""

import json
import re
from pathlib import Path

from tests.browser.harness import running_server
from tests.browser.test_address import interact

MOST = 20_000
"""Bytes of an answer, without pictures in base64."""

BASE64 = re.compile(r"[A-Za-z0-9+/=]{200,}")


def test_an_answer_is_short_enough_to_be_read(tmp_path: Path) -> None:
    sizes = {}
    with running_server(tmp_path, STREAMLIT_SERVER_ENABLE_AGENT_API="true") as server:
        for page in ("predict", "theory", "runs"):
            answer = interact(server, page=page, query_params={"data": ["digits"]})
            text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
            sizes[page] = len(BASE64.sub("", text).encode())
            assert answer["page"]["url_path"] == page
            if page == "theory":
                # What the figures show is said beside them, and a derivation is drawn on request.
                assert "Why are whole rows zero?" in text
                assert "derivation_1" in [action["key"] for action in answer["actions"]]
    assert max(sizes.values()) <= MOST, sizes

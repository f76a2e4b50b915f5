"""What a page says where a proxy refuses an upload: the server never hears of it."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.harness import Visitor


def test_a_page_says_that_the_proxy_refused_an_upload(visitor: Visitor) -> None:
    visitor.page.route("**/_stcore/upload_file/**", lambda route: route.fulfill(status=413))
    visitor.open("/data?data=digits")
    uploader = visitor.page.locator(".st-key-upload_file_bring input[type=file]")
    refused = visitor.page.locator(".st-key-refused_upload [role=alert]")
    expect(refused).to_be_hidden()
    uploader.set_input_files({"name": "a.csv", "mimeType": "text/csv", "buffer": b"1,2\n3,4\n"})
    expect(refused).to_be_visible()
    expect(refused).to_have_text(re.compile(r"^The proxy .* \(status 413\).* takes 256 MB"))
    visitor.page.keyboard.press("Escape")
    expect(refused).to_be_hidden()

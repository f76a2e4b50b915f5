"""QR codes of links, as drawings that cameras read."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO
from urllib.parse import quote

import segno


@lru_cache(maxsize=64)
def qr_svg(link: str) -> str:
    """The QR code of a link as SVG, or "" where the link is longer than any code can be.

    It is dark on white in both themes, with the margin that cameras need.
    """
    try:
        code = segno.make_qr(link, error="L")
    except segno.DataOverflowError:
        return ""
    drawing = BytesIO()
    code.save(drawing, kind="svg", border=4, light="#fff", xmldecl=False, nl=False, omitsize=True)
    return drawing.getvalue().decode()


def qr_source(link: str) -> str:
    """The QR code of a link as the address of an image, or "" where there is none."""
    svg = qr_svg(link)
    return f"data:image/svg+xml,{quote(svg, safe=' =:/')}" if svg else ""

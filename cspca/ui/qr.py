"""QR codes of links, as SVG."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO
from urllib.parse import quote

import segno


@lru_cache(maxsize=64)
def qr_svg(link: str) -> str:
    """Return the QR code of a link as SVG, or "" if the link is too long for a code.

    It is dark on white in both themes, with the margin that scanners need.
    """
    try:
        code = segno.make_qr(link, error="L")
    except segno.DataOverflowError:
        return ""
    drawing = BytesIO()
    code.save(drawing, kind="svg", border=4, light="#fff", xmldecl=False, nl=False, omitsize=True)
    return drawing.getvalue().decode()


def qr_source(link: str) -> str:
    """Return the QR code of a link as a data URI of an image, or "" if there is none."""
    svg = qr_svg(link)
    return f"data:image/svg+xml,{quote(svg, safe=' =:/')}" if svg else ""

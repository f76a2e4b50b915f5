"""The body: an SVG made here, drawn as it is, so that hovering a joint or a bone says its score.

`st.html` leaves no SVG through, and a picture of one knows no hovering.
"""

from __future__ import annotations

import streamlit as st

from cspca.figures.skeleton import HEIGHT, WIDTH

# The room is kept before the script has run, so that nothing jumps.
_CSS = f"""
.body {{ aspect-ratio: {WIDTH} / {HEIGHT}; max-width: 440px; margin: 0 auto; }}
.stale {{ opacity: .4; }}
"""

# The markup is ours (`skeleton_svg`), and every name in it is escaped there.
_JS = """
export default function ({ data, parentElement }) {
  const body = parentElement.querySelector(".body")
  if (body.dataset.drawn !== data.svg) {
    body.innerHTML = data.svg
    body.dataset.drawn = data.svg
  }
  body.classList.toggle("stale", data.stale)
}
"""

# Registered once, at import: registering again with every mount would replace it under way.
_MOUNT = st.components.v2.component("cspca_body", html='<div class="body"></div>', css=_CSS, js=_JS)


def body(svg: str, *, key: str, stale: bool = False) -> None:
    """Draw a body, an SVG of `skeleton_svg`; dimmed where it is stale. Its node stays."""
    _MOUNT(key=key, data={"svg": svg, "stale": stale})

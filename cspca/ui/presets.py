"""Lessons as data: each opens a page, by a click or a link, with a question and a task."""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from typing import Any, Final, NoReturn

import streamlit as st

from cspca.experiments.fit import Fit
from cspca.experiments.settings import to_query
from cspca.ui import fields, keys, programs, state
from cspca.ui.state import STARTS, View


@dataclass(frozen=True)
class Preset:
    """A lesson: a view with a question, what to do and to look at, and the answer.

    It is opened on its `page`.
    """

    title: str
    question: str
    do: str
    see: str
    answer: str
    icon: str
    view: View
    page: str = "explore"

    @property
    def address(self) -> dict[str, str]:
        """Query that opens the lesson; only on Explore it has the data and the penalties."""
        return state.address_of(self.view) if self.page == "explore" else to_query(self.view)


_FACES, _DIGITS, _SPECTRA = STARTS["faces"], STARTS["digits"], STARTS["spectra"]

PRESETS: Final = (
    Preset(
        "Find the identity pixels",
        "The faces are rendered, so it is known which pixels tell people apart. Does the fit, "
        "which never sees a name, find them?",
        "Raise α step by step.",
        "Which pixels stay longest on the map, and where the known maps below are bright.",
        "In good part, though nobody told it to: it looks for what rebuilds the images. At first "
        "its order agrees at 0.88 with the map of identity and at 0.81 with that of light (1 is "
        "the same order). Plain variance agrees at 0.92 with identity: in these faces, people are "
        "what differs most.",
        ":material/face:",
        View("faces", preset="identity-pixels", fit=_FACES, k=100, truth=True),
    ),
    Preset(
        "Too little, too much",
        "What happens between a penalty of nothing and one that leaves nothing?",
        "Drag the slider “α = β, as shares of their maxima” from its left end to the right.",
        "How many pixels are black, and what the line under the badge says.",
        "At the left end every pixel that varies is kept as it is, and all of these tie; in the "
        "middle their scores differ, and more and more of them are exactly zero; at the right end "
        "nothing is left.",
        ":material/swap_horiz:",
        View("digits", "path", preset="too-little-too-much", fit=Fit(0.02, 0.02), k=20),
    ),
    Preset(
        "Is ten iterations enough?",
        "The paper’s Algorithm 1 looks flat after ten steps. Has it arrived?",
        "Point at both curves at iteration 10, and at their ends.",
        "How far Algorithm 1 stays above the lower bound, and which curve meets it.",
        "No. It flattens early and stays above the optimum. The certified solver’s objective and "
        "the lower bound close in on each other, which proves that nothing better exists.",
        ":material/show_chart:",
        View("faces", preset="ten-iterations", fit=replace(_FACES, solver="both"), k=100),
    ),
    Preset(
        "Digits: which strokes matter?",
        "Handwritten digits of 8 × 8 pixels: which of the 64 are needed to rebuild them?",
        "Click a pixel of the map, then one at its edge; then move k.",
        "What a pixel helps to rebuild, and which strokes are left.",
        "At first 32 of the 64 are in use, nearly all in the four middle columns. The rest is "
        "rebuilt from these, and hardly a digit reaches the left or right edge.",
        ":material/draw:",
        View("digits", preset="digit-strokes", fit=_DIGITS, k=20),
    ),
    Preset(
        "What does scaling do to a map?",
        "Spectra in absorbance: a noisy detector takes over at 1800 nm, and no peak lies there. "
        "What becomes of its points when every point is scaled to the same spread?",
        "Look at the 20 best points. Press “Standardise features” on Data, then open Explore.",
        "At which wavelengths the 20 best points lie, before and after.",
        "The map turns over. In absorbance none of the noisy points is in use, and 12 of the best "
        "20 lie on the three peaks that carry the class (1240, 1480 and 1640 nm): K-means on the "
        "20 finds all blends. Standardised, all 20 are noise, and K-means on them finds hardly "
        "more than chance: noise of 0.006 now counts as much as a peak, and no other point "
        "rebuilds it. The rank correlation of the two maps is −0.12. Points of one axis share a "
        "unit, so how much each varies is part of what was measured.",
        ":material/equalizer:",
        View("spectra", preset="what-scaling-does", fit=_SPECTRA, k=20),
    ),
    Preset(
        "Irreplaceable is not relevant",
        "Genes in modules that rise and fall together, four of which (M01 to M04) tell the types "
        "of samples apart, and 40 lonely genes that tell nothing. Which does the map put first?",
        "Read the names of the 40 best genes. Then move β to 0.1.",
        "How many of the 40 are called lonely.",
        "All 40 are lonely. Any gene of a module can be rebuilt from the others, so each of them "
        "counts for little, also where the module tells the types apart; a lonely gene is rebuilt "
        "by nothing but itself. A larger β makes each direction of the map dearer: one for a whole "
        "module is still worth it, one for a lonely gene is not. At 0.1 none of them is among the "
        "best 40. Importance says how much the map uses a gene to rebuild the samples, at these "
        "penalties; it does not say what the gene is good for.",
        ":material/genetics:",
        View("genes", preset="lonely-genes", fit=Fit(0.05, 0.01), k=40),
    ),
)

LESSONS: Final = (
    *PRESETS,
    Preset(
        "What does robust mean?",
        "The loss adds errors up and does not square them. Does that keep one bad image from "
        "deciding the map?",
        "Drag the image straight up, slowly, to the edge.",
        "When PCA’s axis turns, when CSPCA’s does, and what happens to the image’s own error.",
        "Not from some norm on. While the image is not much farther away than the others its error "
        "counts by its length, not by its square, and CSPCA’s axis stays when PCA’s has turned "
        "already. But what it pulls with still grows with its norm: farther out it is rebuilt to "
        "within 0.05 %, beside the others. At the edge CSPCA’s axis is the image’s: β is a share "
        "of β_max, which the image has raised, so that the others’ direction is no longer worth "
        "its price. The image is rebuilt but for about 1 %, and its small error says nothing for "
        "it. A large influence, its norm against those of all others together, is a reason to "
        "look; a small one is no clearance. Unit norm gives all the same weight, unless the mean "
        "is subtracted afterwards.",
        ":material/balance:",
        View(preset="what-robust-means", picture="outlier"),
        page="theory",
    ),
    Preset(
        "What would you guess? Ten best pixels",
        "The page has α = 0.1. Of its ten best pixels, how many are still among the ten best at "
        "α = 0.5? Write your guess down first.",
        "Press “Only the top 10” under the map, then move α to 0.5.",
        "Which of the ten stay.",
        "Two. Importance says how much the map uses a pixel, for itself and for others, at these "
        "penalties: a ranking belongs to its penalties.",
        ":material/psychology:",
        View("digits", preset="what-would-you-guess", fit=Fit(0.1, 0.02), k=10),
    ),
    Preset(
        "What would you guess? More β",
        "On the whole β lowers the rank. As it goes from 0.001 to 0.1, will more pixels be in use, "
        "or fewer? Write your guess down first.",
        "Move β to 0.1 and leave α where it is.",
        "Pixels in use, and the rank, beside the map.",
        "More: about 300 become about 500, while the rank falls from over 100 to 5. A larger β "
        "never raises the trace norm of the optimum; of the pixels in use it promises nothing, "
        "and on other data even the rank can rise.",
        ":material/psychology:",
        View("faces", preset="guess-more-beta", fit=Fit(0.1, 0.001), k=100),
    ),
    Preset(
        "What would you guess? A copy",
        "The best of 30 pixels of the digits is there twice. At which places of the 31 do the two "
        "stand? Write your guess down first.",
        "Drag to “twice”, then on.",
        "The orange bars, and what they have together.",
        "At 24 and 25. Each shows half of what both show together, and that is more than the "
        "pixel had alone. A low score does not say that a pixel is of no use: here another one "
        "can stand in for it.",
        ":material/psychology:",
        View(preset="guess-copy", picture="copies"),
        page="theory",
    ),
    Preset(
        "What would you guess? Pure noise",
        "Ten columns share two factors, ten are noise that is independent of everything; all 20 "
        "have the same variance. Which ten does CSPCA rank first? Write your guess down first.",
        "Look at β = 0.01, then drag it to 0.3.",
        "The order of orange and blue.",
        "At β = 0.01 all ten of noise: nothing else rebuilds them, while the others rebuild each "
        "other. At β = 0.3 all ten of noise come last. Importance is no sign of a signal.",
        ":material/psychology:",
        View(preset="guess-noise", picture="signal"),
        page="theory",
    ),
)
"""All lessons: the presets, which are in the menu, and those that are opened by links only."""


def menu_of_lessons() -> None:
    """Draw the menu of the presets with their questions."""
    look: dict[str, Any] = {"icon": ":material/school:", "type": "tertiary"}
    # A new key after each choice: Streamlit keeps a popover open through a run of its page.
    key = f"presets_{st.session_state.get(keys.LESSONS_CHOSEN, 0)}"
    with (menu := programs.fold(st.popover, "Lessons", key, **look)):
        if programs.is_drawn(menu):
            _lessons()


def _lessons() -> None:
    for preset in PRESETS:
        options: dict[str, Any] = {"key": f"preset_{preset.view.preset}", "width": "stretch"}
        if st.button(preset.title, icon=preset.icon, **options):
            _choose(preset.page, preset.address)
        st.caption(preset.question)
    options = {"key": "preset_half-ruined", "width": "stretch"}
    if st.button("Half the faces are ruined", icon=":material/person_search:", **options):
        ruined = {"part": "ruined", "wrong": "ruined", "wrong-share": "0.5"}
        _choose("outliers", {"data": state.DATA} | ruined)
    st.caption(
        "Every second face is damaged, and nobody says which. Who finds them, and what is left of "
        "the others?"
    )


def _choose(page: str, address: dict[str, str]) -> NoReturn:
    """Open a lesson and close the menu."""
    session = st.session_state
    session[keys.LESSONS_CHOSEN] = session.get(keys.LESSONS_CHOSEN, 0) + 1
    state.go(page, address)


def follow_link() -> None:
    """Open the lesson that an address names, from any page: ``?lesson=ten-iterations``."""
    name = st.query_params.get("lesson")
    if name is None:
        return
    lessons = {lesson.view.preset: lesson for lesson in LESSONS}
    if name in lessons:
        lesson = lessons[name]
        # Other parameters of the link apply to this view.
        query = {key: text for key, text in st.query_params.items() if key != "lesson"}
        state.go(lesson.page, lesson.address | query)
    state.add_notice(
        f"The link asks for the lesson {name[:40]!r}, which is not known here. There are: "
        f"{', '.join(lessons)}."
    )


def lesson_of(view: View, page: str) -> View | Preset | None:
    """Return the lesson of a view on a page: one written in its link, or that of its preset."""
    if view.question and page == "explore":
        return view
    lessons = {(lesson.view.preset, lesson.page): lesson for lesson in LESSONS}
    return lessons.get((view.preset, page))


def question_of(view: View, page: str = "explore") -> str:
    """Return the question of the lesson of a view on a page; empty if there is none."""
    lesson = lesson_of(view, page)
    return "" if lesson is None else lesson.question


def strip(view: View, page: str = "explore") -> None:
    """Draw the lesson of a view on a page, if there is one."""
    # The container is always drawn: without it, open popovers below would be closed.
    place = st.container()
    lesson = lesson_of(view, page)
    if lesson is None:
        return
    lines = {"Question": lesson.question, "Do": lesson.do, "Look at": lesson.see}
    # The text of a link is never markup.
    content = "".join(
        f"<p><b>{name}</b> {escape(text)}</p>" for name, text in lines.items() if text.strip()
    )
    if lesson.answer.strip():
        content += f"<details><summary>Answer</summary><p>{escape(lesson.answer)}</p></details>"
    with place.container(key="lesson", horizontal=True, vertical_alignment="top"):
        st.html(f'<section aria-label="Lesson" class="cspca-lesson">{content}</section>')
        options: dict[str, Any] = {
            "type": "tertiary",
            "width": "content",
            "help": "Close the lesson; the view stays.",
        }
        st.button("Close", key="close_lesson", icon=":material/close:", on_click=_close, **options)


def maker() -> None:
    """Draw the fields of the visitor's own lesson, which go into the address of the view."""
    st.caption(
        "What you write appears above the view and travels in its link. Set the sliders as the "
        "class should find them, then copy the link."
    )
    for name, label in {
        "question": "Question",
        "do": "What to do",
        "see": "What to look at",
        "answer": "Answer, hidden until opened",
    }.items():
        st.text_input(label, **fields.persistent(f"view_{name}"), max_chars=state.LETTERS)
    st.markdown(state.link_for_projector())


def _close() -> None:
    for name in ("preset", *state.WORDS):
        st.session_state[f"view_{name}"] = ""

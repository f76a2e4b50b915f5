"""Home: the data set in use, its fit running, and where to start."""

import streamlit as st

from cspca.datasets import PICTURE_NOUNS, Dataset, Nouns
from cspca.experiments.jobs import Job
from cspca.ui import films, fit_parts, frame, pictures, state
from cspca.ui.data_page.sources import gallery
from cspca.ui.plain import guide
from cspca.ui.presets import PRESETS


def body(view: state.View, dataset: Dataset) -> None:
    """Draw what is under the title."""
    progress = fit_parts.attach(view, dataset)

    def draw(now: Job) -> None:
        fit_parts.status(now, dataset)
        if now.state != "failed":
            fit_parts.show(now, dataset, view)

    with st.container(key="stage_view"):
        fit_parts.live(progress, draw)
        films.feed(view, dataset, progress, 0)
    if state.bare():
        return
    pictures.strip(dataset, count=40, columns=20)
    st.header("Five things to see", anchor=False)
    with st.container(key="presets"):
        *cells, last = st.columns(len(PRESETS) + 1)
        for preset, cell in zip(PRESETS, cells, strict=True):
            with cell.container(border=True, height="stretch"):
                how = {"key": f"preset_{preset.view.preset}", "width": "stretch"}
                if st.button(preset.title, icon=preset.icon, **how):
                    state.go("explore", state.address_of(preset.view))
                st.caption(preset.question)
        with last.container(border=True, height="stretch"):
            how = {"key": "preset_half-ruined", "width": "stretch"}
            if st.button("Half the images are ruined", icon=":material/person_search:", **how):
                said = {"part": "pictures", "wrong": "ruined", "wrong-share": "0.5"}
                state.go("outliers", {"data": state.DATA} | said)
            st.caption(
                "Every second face is damaged, and nobody says which. Who finds them, and what is "
                "left of the others?"
            )
    st.header("Choose the data", anchor=False)
    gallery(view.data)
    about(dataset.nouns)


def about(nouns: Nouns) -> None:
    """Say what is solved, in the words of the guide, and where to go on."""
    question, _, text = guide("using").split("\n## ")[1].partition("\n")
    st.header(question, anchor=False)
    with st.container(width=860):
        st.markdown(text.replace("image", nouns.sample).replace("pixel", nouns.feature))
    with st.container(horizontal=True):
        state.link("explore", "Move α and β yourself", ":material/tune:")
        state.link("paper", "See whether the paper holds", ":material/menu_book:")
        state.link("guide", "Teach with it", ":material/school:", "teaching")
        state.link("guide", "Read the guide", ":material/help:", "using")


def lead(nouns: Nouns) -> str:
    """Say what the page shows."""
    if nouns == PICTURE_NOUNS:
        scores = (
            "the bright ones are used, black ones are ignored. The brighter a pixel, the more the "
            "map uses it, for itself and for others, at these penalties."
        )
    else:
        scores = (
            "what is bright or high is used, the rest is ignored. The higher the score of a "
            f"{nouns.feature}, the more the map uses it, for itself and for others, at these "
            "penalties."
        )
    return f"Convex sparse PCA rebuilds every {nouns.sample} from few {nouns.features}: {scores}"


frame.page(
    title=lambda nouns: f"Which {nouns.features} matter?",
    lead=lead,
    body=body,
    welcome=True,
)

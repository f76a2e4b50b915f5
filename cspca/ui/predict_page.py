"""The Predict page: choose features, alone or in a class, then see them beside CSPCA's."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from cspca.datasets import BUILTIN, Dataset, Nouns
from cspca.datasets.axis import Axis
from cspca.experiments import predict
from cspca.experiments.classes import GONE, HOURS, Class, ClassError
from cspca.experiments.fit import feature_name, feature_names, no_order_words, tie_at_cut_words
from cspca.experiments.jobs import Job
from cspca.experiments.live import LiveFit
from cspca.figures import pictures as drawn
from cspca.figures.curves import range_choice, selected_ranges
from cspca.figures.meanings import MEANINGS, Meaning
from cspca.figures.pictures import grey, image_alt
from cspca.figures.spread import Mark, spread
from cspca.figures.style import ACCENT, NEUTRAL
from cspca.figures.words import capitalised
from cspca.ui import along, export, fields, fit_parts, follow, keys, pictures, state, visitor
from cspca.ui.components.paint import Mask, mask_text, paint, parse_mask
from cspca.ui.named_features import features_from_text
from cspca.ui.pixel_text import parse_pixels, pixels_text
from cspca.ui.plain import button, facts, noticed, plain
from cspca.ui.qr import qr_svg
from cspca.ui.services import services
from cspca.ui.windows import Glance

TITLES: Final = {
    "yours": "Yours",
    "cspca": "CSPCA",
    "variance": "Largest variance",
    "chance": "Chance",
}
COLOURS: Final = {"yours": "#D55E00", "cspca": ACCENT, "variance": "#009E73", "chance": NEUTRAL}

_CURVES: Final = 12
"""Samples that are drawn along an axis, to choose ranges on."""

MOST_LISTED: Final = 500
"""Most features that are offered in a list, where there is no image; of more, names are written."""

_MOST_NAMED: Final = 12
"""Most features of a choice that are named."""


def body(view: state.View, dataset: Dataset) -> None:
    """Draw the page below its title."""
    room = _room(view, dataset)
    progress = fit_parts.attach(view, dataset)
    is_teacher = room is not None and room.owner == visitor.secret()
    if room is not None and is_teacher:
        _teacher(room, dataset)
    elif room is not None:
        todo = (
            f"Paint up to {room.k:,} pixels, then press Hand in. Only the pixels are sent: no "
            "name, nothing else."
        )
        if _stays(room):
            todo = "What you handed in stays as it is; what you paint now is for you alone."
        st.info(f"**Class {room.code}.** {todo}", icon=":material/groups:")
    images, axis = dataset.kind == "pixels", dataset.axis
    _take_link(dataset)
    instruction = st.container()
    # Curves are as wide as the page, so that a narrow range can be dragged over.
    above = st.container()
    left, right = st.columns([4, 6], gap="large") if axis is None else (above, st.container())
    with right if axis is None else above:
        k, index = _controls(view, dataset, room)
    pupil = room if room is not None and not is_teacher else None
    if pupil is None:
        with instruction:
            st.markdown(_instruction(dataset, k))
    with left:
        if images:
            _painting(dataset, k, index, pupil)
        elif axis is not None:
            _ranges(dataset, axis, k)
        elif dataset.n_features <= MOST_LISTED:
            _list(dataset, k)
        else:
            _named(dataset, k)
    mask = _chosen(dataset)
    if mask is None and st.session_state.get(keys.PREDICT_PREPARED) != dataset.sha256:
        # While the visitor chooses, prepare what every answer needs, and import its libraries.
        st.session_state[keys.PREDICT_PREPARED] = dataset.sha256
        owner, work = f"{visitor.secret()} prepare", lambda _: predict.prepare(dataset)
        services().jobs.submit(work, owner=owner, pinned=True, asked=False)
    if mask is not None and pupil is None:
        with left:
            _in_the_link(mask, dataset)
    with right:
        if pupil is not None and not pupil.revealed:
            _waiting(pupil, dataset)
        elif mask is not None:
            fit_parts.earlier(progress, dataset)
            follow.follow_job(progress)
            _beside(progress, dataset, mask, index)
    result = state.last_result(dataset)
    if mask is not None and result is not None and (pupil is None or pupil.revealed):
        _against_chance(dataset, result, mask)
    if pupil is not None:
        button("Leave the class", "class_leave", "logout", _leave)
    elif room is None and images:
        _with_a_class(view, dataset, k)


# -- choosing ------------------------------------------------------------------------------------


def _controls(view: state.View, dataset: Dataset, room: Class | None) -> tuple[int, int]:
    """Draw the number of features and the choice of an image; return both."""
    nouns, index = dataset.nouns, 0
    left, right = st.columns(2, gap="medium")
    with left:
        if room is not None:
            k = room.k
            st.markdown(f"**{nouns.count_features(k)}** to paint: set by the class")
        else:
            options = fields.count_options(predict.most_painted(dataset.n_features))
            usual = fields.snap(min(view.k, options[-1]), options)
            if st.session_state.setdefault(keys.PREDICT_K, usual) not in options:
                st.session_state[keys.PREDICT_K] = usual
            k = st.select_slider(
                f"{nouns.features.capitalize()} you may choose",
                options,
                **fields.persistent(keys.PREDICT_K),
                help="CSPCA, variance and chance get as many as you have chosen.",
            )
    with right:
        if dataset.kind in ("pixels", "axis"):
            rebuilt = f"Which {nouns.sample} is rebuilt."
            painted = f"Which {nouns.sample} is painted on, and rebuilt."
            help = painted if dataset.kind == "pixels" else rebuilt
            index = pictures.choose(dataset, help=help)
    return int(k), index


def _painting(dataset: Dataset, k: int, index: int, pupil: Class | None) -> None:
    """Draw the image to paint on."""
    chosen, hands_in = _chosen(dataset), pupil is not None and not _stays(pupil)
    if pupil is not None and hands_in:
        before = services().classes.handed_in(pupil, visitor.secret())
        action = "Hand in again" if before else "Hand in"
    else:
        action = "Reveal" if chosen is None else "Reveal again"
    of, typed = st.session_state.get(keys.PAINTED_AS_TEXT, ("", ""))
    paint(
        dataset.image(index),
        k,
        key="paint",
        of=dataset.sha256[:16],
        action=action,
        then=lambda mask: noticed(_take, mask, dataset, pupil),
        start=chosen,
        typed=typed if chosen is not None and of == dataset.sha256 else "",
    )
    _as_text(dataset, k, pupil, hands_in=hands_in)


def _as_text(dataset: Dataset, k: int, pupil: Class | None, *, hands_in: bool) -> None:
    """Draw the last painting as text, which can be edited and submitted."""
    with st.expander("Pixels as text", icon=":material/keyboard:"):
        at, painted = _text_key(dataset), _chosen(dataset)
        st.session_state.setdefault(at, "" if painted is None else pixels_text(painted))
        label = "Hand in these pixels" if hands_in else "Reveal these pixels"
        when = "once they are handed in" if hands_in else "once they are revealed"
        st.text_area(
            "Pixels, as row:column",
            **fields.persistent(at),
            placeholder="3:4, 5:2-8, 7-9:4-6",
            help="Commas between them. 5:2-8 is row 5, columns 2 to 8, and 7-9:4-6 a block. Rows "
            f"and columns count from 1. Painted pixels stand here {when}.",
        )
        button(label, "pixels_button", "keyboard_return", _take_text, dataset, k, pupil)
        if refused := st.session_state.get(keys.PIXELS_REFUSED):
            st.error(plain(refused), icon=":material/error:")


def _text_key(dataset: Dataset) -> str:
    return f"predict_pixels_{dataset.sha256[:8]}"


def _take_text(dataset: Dataset, k: int, pupil: Class | None) -> None:
    """Submit the typed pixels; an error is shown below them."""
    session, shape = st.session_state, dataset.picture_shape
    session.pop(keys.PIXELS_REFUSED, None)
    try:
        mask = parse_pixels(session[_text_key(dataset)], shape)
        if (count := int(mask.sum())) > k:
            raise ValueError(f"These are {count:,} pixels, and you may choose {k:,}.")
        _take(mask, dataset, pupil)
    except ValueError as problem:
        session[keys.PIXELS_REFUSED] = str(problem)
    else:
        session[keys.PAINTED_AS_TEXT] = dataset.sha256, secrets.token_hex(4)


def _ranges(dataset: Dataset, axis: Axis, k: int) -> None:
    """Draw the samples along the axis, on which ranges are chosen by hand or as text."""
    at, session = _text_key(dataset), st.session_state
    session.setdefault(at, "")
    members = pictures.spread_out(dataset.n_samples, _CURVES)
    try:
        mask, problem = axis.from_text(session[at]), ""
    except ValueError as error:
        mask, problem = np.zeros(dataset.n_features, dtype=bool), str(error)
    figure = range_choice(axis, dataset.data[members], axis.ranges(np.flatnonzero(mask)))
    export.show(
        figure,
        "predict_curves",
        of=dataset.name,
        key=f"{at}_chart_{session.get(f'{at}_drawn', 0)}",
        on_select=lambda: _add_range(dataset, axis),
        selection_mode="box",
    )
    st.text_input(
        f"Ranges you would keep, such as {axis.example}",
        **fields.persistent(at),
        help=f"Drag over the {axis.nouns.samples}, or write ranges with commas between them. A "
        f"single value is the {axis.nouns.feature} that is nearest to it.",
    )
    count = int(mask.sum())
    if problem:
        st.error(plain(problem), icon=":material/error:")
    elif count > k:
        st.error(
            f"These are {dataset.nouns.count_features(count)}, and you may choose {k:,}: write "
            "narrower ranges."
        )
    st.caption(f"{count:,} of {dataset.nouns.count_features(k)} chosen.")
    with st.container(horizontal=True):
        options = {"disabled": bool(problem) or not 0 < count <= k}
        button("Reveal", "reveal_button", "visibility", _take, mask, dataset, None, **options)
        button("Clear", "ranges_clear", "clear", _clear_ranges, dataset, disabled=not session[at])


def _add_range(dataset: Dataset, axis: Axis) -> None:
    """Add the range that was dragged over to the text."""
    at, session = _text_key(dataset), st.session_state
    drawn = session.get(f"{at}_drawn", 0)
    values, within = np.array(axis.values), np.zeros(len(axis.values), dtype=bool)
    for low, high in _ends(session.get(f"{at}_chart_{drawn}")):
        within |= (values >= low) & (values <= high)
    try:
        chosen = axis.from_text(session[at]) | within
    except ValueError as problem:
        # What was typed stays, for its writer to mend.
        state.add_notice(str(problem))
        return
    session[at] = axis.as_text(np.flatnonzero(chosen).tolist())
    # A new chart, without the box that was drawn.
    session[f"{at}_drawn"] = drawn + 1


def _ends(message: Any) -> Iterator[tuple[float, float]]:
    """Ends of the boxes that a browser reports; a message of a browser is not trusted."""
    selection = message.get("selection") if isinstance(message, Mapping) else None
    boxes = selection.get("box") if isinstance(selection, Mapping) else None
    for box in boxes if isinstance(boxes, list) else []:
        ends = box.get("x") if isinstance(box, Mapping) else None
        if not isinstance(ends, list | tuple) or len(ends) != 2:
            continue
        if all(isinstance(end, int | float) and math.isfinite(end) for end in ends):
            yield min(ends), max(ends)


def _clear_ranges(dataset: Dataset) -> None:
    st.session_state[_text_key(dataset)] = ""


def _list(dataset: Dataset, k: int) -> None:
    """Draw a list of features to choose from."""
    chosen = st.multiselect(
        f"{dataset.nouns.features.capitalize()} you would keep",
        range(dataset.n_features),
        format_func=lambda number: feature_name(dataset, number),
        max_selections=k,
        **fields.persistent(f"predict_ticked_{dataset.sha256[:8]}"),
    )
    st.caption(f"{len(chosen)} of {dataset.nouns.count_features(k)} chosen.")
    mask = np.zeros(dataset.n_features, dtype=bool)
    mask[chosen] = True
    button("Reveal", "reveal_button", "visibility", _take, mask, dataset, None, disabled=not chosen)


def _named(dataset: Dataset, k: int) -> None:
    """Draw a field for the names of features, of which there are too many for a list."""
    nouns, at = dataset.nouns, _text_key(dataset)
    st.session_state.setdefault(at, "")
    names = feature_names(dataset)
    st.text_area(
        f"{capitalised(nouns.features)} you would keep, by name",
        **fields.persistent(at),
        placeholder="\n".join(names[:3]),
        help="One a line, or with commas between them, such as a column of a spreadsheet.",
    )
    try:
        mask, problem = features_from_text(st.session_state[at], names), ""
    except ValueError as error:
        mask, problem = np.zeros(dataset.n_features, dtype=bool), str(error)
    count = int(mask.sum())
    if count > k:
        problem = f"These are {nouns.count_features(count)}, and you may choose {k:,}."
    if problem:
        st.error(plain(problem), icon=":material/error:")
    st.caption(f"{count:,} of {nouns.count_features(k)} chosen.")
    is_ready = bool(count) and not problem
    button(
        "Reveal", "reveal_button", "visibility", _take, mask, dataset, None, disabled=not is_ready
    )


def _take(mask: Mask, dataset: Dataset, pupil: Class | None) -> None:
    """Store the chosen features; in a class, hand them in."""
    if pupil is not None and not _stays(pupil):
        services().classes.hand_in(pupil.code, visitor.secret(), mask, dataset.sha256)
    _keep(mask, dataset)


def _keep(mask: Mask, dataset: Dataset) -> None:
    """Store the chosen features, as a mask and as text."""
    st.session_state[keys.PAINTED] = dataset.sha256, mask
    if dataset.kind == "pixels":
        st.session_state[_text_key(dataset)] = pixels_text(mask)
    elif dataset.axis is not None:
        st.session_state[_text_key(dataset)] = dataset.axis.as_text(np.flatnonzero(mask))
    elif dataset.n_features > MOST_LISTED:
        chosen = np.flatnonzero(mask).tolist()
        st.session_state[_text_key(dataset)] = "\n".join(
            feature_name(dataset, feature) for feature in chosen
        )
    st.session_state.pop(keys.PIXELS_REFUSED, None)


def _stays(pupil: Class) -> bool:
    """Return whether this visitor has handed in and seen the answer: then it cannot be changed."""
    return pupil.revealed and services().classes.handed_in(pupil, visitor.secret())


def _in_the_link(mask: Mask, dataset: Dataset) -> None:
    """Offer to put the chosen features into the address."""
    st.session_state[keys.PIXELS_IN_LINK] = mask_text(mask)
    st.toggle(
        f"Put these {dataset.nouns.features} into the link",
        **fields.persistent(keys.PREDICT_IN_LINK),
        help="Whoever opens the address of this page then sees what you chose, revealed.",
    )


def _take_link(dataset: Dataset) -> None:
    """Apply the chosen features of a link."""
    text, d = st.session_state.pop(keys.PIXELS_GIVEN, ""), dataset.n_features
    if not text:
        return
    mask = parse_mask({"size": d, "bits": text}, dataset.image_shape or (d,))
    if mask is None:
        state.add_notice(f"The {dataset.nouns.features} in the link are not of this data set.")
        st.rerun()
    _keep(mask, dataset)
    options = fields.count_options(predict.most_painted(d))
    least = min(int(mask.sum()), options[-1])
    st.session_state[keys.PREDICT_K] = next(option for option in options if option >= least)


def _chosen(dataset: Dataset) -> Mask | None:
    """Return the features of this data set that were revealed or handed in."""
    of, mask = st.session_state.get(keys.PAINTED, ("", None))
    return mask if of == dataset.sha256 else None


# -- the answer ----------------------------------------------------------------------------------


def _instruction(dataset: Dataset, k: int) -> str:
    """Return what the visitor can do, and what follows."""
    nouns = dataset.nouns
    verb = "Paint" if dataset.kind == "pixels" else "Choose"
    by_hand = ""
    if dataset.axis is not None:
        by_hand = f"Drag over the {nouns.samples}, or write ranges below them. "
    return (
        f"**{verb} up to {nouns.count_features(k)} that you would keep, then press Reveal.** "
        f"{by_hand}You "
        f"see yours beside as many of CSPCA’s, and how well all {nouns.samples} can be rebuilt "
        "from each choice alone."
    )


def _waiting(pupil: Class, dataset: Dataset) -> None:
    """Draw that the comparison is still to come; it appears as soon as the class reveals it."""
    classes, code = services().classes, pupil.code

    def look() -> Glance:
        now = classes.get(code)
        return Glance(now is None or now.revealed, active=False)

    follow.follow("class", look, Glance(False, active=False), pause=2.0)
    if classes.handed_in(pupil, visitor.secret()):
        st.success(
            "Handed in. The comparison appears here when your teacher reveals it; until then "
            "you can paint on and hand in again.",
            icon=":material/check:",
        )
    else:
        st.markdown("The comparison appears here when your teacher reveals it.")


def _no_best(result: LiveFit, k: int, dataset: Dataset) -> str:
    """Return why CSPCA has no best k features at these penalties; empty if it has."""
    fit, nouns = result.fit, dataset.nouns
    return no_order_words(fit, nouns) or tie_at_cut_words(fit, k, nouns)


def _beside(now: Job, dataset: Dataset, mask: Mask, index: int) -> None:
    """Draw the four choices beside each other, and a sample rebuilt from them."""
    result, nouns = state.last_result(dataset), dataset.nouns
    if now.state == "failed":
        st.error(now.error or "The fit failed.", icon=":material/error:")
        return
    if result is None:
        st.caption("CSPCA’s own fit is still running.")
        return
    why = _no_best(result, int(mask.sum()), dataset)
    if why:
        then = f"CSPCA’s {nouns.features} stand here once its best {mask.sum():,} can be told."
        st.warning(f"{why} {then}", icon=":material/tune:")
        state.link("explore", "Set α and β on Explore", ":material/tune:")
        return
    reveal, rebuilt = _revealed(result, dataset, mask, index)
    if dataset.kind == "pixels":
        _pictures(reveal, rebuilt, dataset, index)
    elif dataset.axis is not None:
        _choices_along(reveal, dataset, dataset.axis)
        along.rebuilt_sample(
            dataset,
            dataset.axis.ranges(reveal.chosen["yours"]),
            dataset.data[index],
            rebuilt["yours"],
            f"{pictures.sample_title(dataset, index)}, from yours",
            box="predict_rebuilt",
        )
    else:
        _choices_by_name(reveal, dataset)
    st.html(facts(_numbers(reveal, nouns)))
    for sentence in predict.verdict(reveal, nouns):
        st.markdown(plain(sentence))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.html("CSPCA’s fit:", width="content")
        fit_parts.badge(now, dataset.nouns)
    used = result.fit.n_kept
    if used < reveal.k:
        st.caption(
            f"CSPCA uses {nouns.count_features(used)} at these penalties; the others of its "
            f"{reveal.k:,} are the nearest to being used."
        )


def _numbers(reveal: predict.Reveal, nouns: Nouns) -> list[tuple[str, str, Meaning]]:
    """Return the numbers of the comparison with their meanings."""
    values: dict[str, Any] = {name: f"{100 * error:.1f} %" for name, error in reveal.errors.items()}
    values.setdefault("variance", "no choice")
    values |= {"draws": len(reveal.draws), "worse": reveal.better("yours"), "k": reveal.k}
    values |= {"d": reveal.n_features, "common": reveal.common, "expected": reveal.common_by_chance}
    for name, error in (("least", reveal.draws.min()), ("most", reveal.draws.max())):
        values[name] = f"{100 * error:.1f} %"
    numbers = {
        "unexplained": ("left unexplained by yours", values["yours"]),
        "draws": ("random draws that do worse", f"{values['worse']} of {values['draws']}"),
        "common": ("in common with CSPCA", f"{reveal.common:,} of {reveal.k:,}"),
    }
    return [(*parts, MEANINGS[name].said(nouns, **values)) for name, parts in numbers.items()]


def _revealed(
    result: LiveFit, dataset: Dataset, mask: Mask, index: int
) -> tuple[predict.Reveal, dict[str, NDArray[Any]]]:
    """Return the comparison, and the image rebuilt from each choice; both are cached."""
    key = dataset.sha256, mask.tobytes(), index
    cached = st.session_state.get(keys.REVEALED)
    if cached is None or cached[0] is not result or cached[1] != key:
        with st.spinner("Rebuilding all of them from each choice…"):
            reveal = predict.reveal(dataset, result.fit.feature_order, mask)
            measure = predict.halves(dataset)
            rebuilt = {name: measure.rebuilt(index, picks) for name, picks in reveal.chosen.items()}
        cached = st.session_state[keys.REVEALED] = result, key, reveal, rebuilt
    return cached[2], cached[3]


def _pictures(
    reveal: predict.Reveal, rebuilt: dict[str, NDArray[Any]], dataset: Dataset, index: int
) -> None:
    image, shape = dataset.image(index), dataset.picture_shape
    below = {
        "yours": f"Yours: {dataset.nouns.count_features(reveal.k)}",
        "cspca": f"CSPCA: {reveal.common:,} of them are yours too "
        f"({reveal.common_by_chance:.1f} by chance)",
        "variance": "Largest variance",
        "chance": f"Chance: one of {len(reveal.draws)} draws",
    }
    masks, rebuilt_figures = [], []
    below = {name: words for name, words in below.items() if name in reveal.chosen}
    for name, words in below.items():
        mask = reveal.mask(name).reshape(shape)
        picture = drawn.masked_rgb(image, mask)
        masks.append(pictures.figure(picture, drawn.mask_alt(mask), words))
        seen = np.clip(rebuilt[name].reshape(shape), 0.0, 1.0)
        off = 100 * float(np.abs(seen - image).mean())
        caption = f"{100 * reveal.errors[name]:.1f} % unexplained; this one {off:.1f} % off"
        rebuilt_figures.append(pictures.figure(grey(seen), image_alt(seen, "Rebuilt"), caption))
    with st.container(key="predict_masks", gap="small"):
        pictures.row(masks)
        pictures.row(rebuilt_figures)


def _choices_along(reveal: predict.Reveal, dataset: Dataset, axis: Axis) -> None:
    """Draw the choices along the axis, a row each."""
    rows = {
        TITLES[name]: (axis.ranges(reveal.chosen[name]), colour)
        for name, colour in COLOURS.items()
        if name in reveal.chosen
    }
    words = " ".join(
        f"{TITLES[name]}: {axis.ranges_in_words(picks)}." for name, picks in reveal.chosen.items()
    )
    figure = selected_ranges(axis, rows, pictures.mean_sample(dataset), words)
    export.show(figure, "predict_ranges", of=dataset.name, name="ranges", heading=True)


def _choices_by_name(reveal: predict.Reveal, dataset: Dataset) -> None:
    """List the features of each choice by name; those that are yours too are in bold."""
    yours = set(reveal.chosen["yours"].tolist())
    lists = []
    for name, chosen in reveal.chosen.items():
        entries = []
        for feature in chosen[:_MOST_NAMED].tolist():
            entry = escape(feature_name(dataset, feature))
            is_common = name != "yours" and feature in yours
            entries.append(f"<li>{f'<b>{entry}</b>' if is_common else entry}</li>")
        lists.append(f"<div><b>{TITLES[name]}</b><ol>{''.join(entries)}</ol></div>")
    with st.container(key="predict_names"):
        st.html(f'<div class="{pictures.masks_class(dataset)}">{"".join(lists)}</div>')
    first = f"The first {_MOST_NAMED} of {reveal.k:,} each. " if reveal.k > _MOST_NAMED else ""
    st.caption(f"{first}In bold: chosen by you too.")


def _against_chance(dataset: Dataset, result: LiveFit, mask: Mask) -> None:
    """Draw the choices in the distribution of random ones."""
    cached = st.session_state.get(keys.REVEALED)
    if (
        _no_best(result, int(mask.sum()), dataset)
        or cached is None
        or cached[1][:2] != (dataset.sha256, mask.tobytes())
    ):
        return
    reveal: predict.Reveal = cached[2]
    marks = [
        Mark(TITLES[name], reveal.errors[name], colour)
        for name, colour in COLOURS.items()
        if name in reveal.errors and name != "chance"
    ]
    figure = spread(
        reveal.draws,
        marks,
        question=f"Is it better than {len(reveal.draws)} random choices?",
        axis="Variance left unexplained (left is better)",
        what="draw",
        several="draws",
    )
    export.show(figure, "predict_chance", of=dataset.name, name="chance", heading=True)
    st.caption(plain(predict.how_measured(reveal, dataset.nouns)))


# -- in a class ----------------------------------------------------------------------------------


def _room(view: state.View, dataset: Dataset) -> Class | None:
    """Return the visitor's class; a code without a class gets a notice and is forgotten."""
    session, classes = st.session_state, services().classes
    code = session.get(keys.CLASS_CODE, "")
    if not code:
        return None
    new = session.get(keys.CLASS_JOINED) != code
    try:
        room = classes.join(code, visitor.secret(), visitor.address()) if new else classes.get(code)
        if room is None:
            raise ClassError(GONE)
        session[keys.CLASS_JOINED] = session[keys.CLASS_CODE] = room.code
        # A whole class sees the same data and the same fit.
        away = room.sha256 != dataset.sha256 or (new and room.owner != visitor.secret())
        moved = session.pop(keys.CLASS_MOVED, "") == room.code
        if away and not moved and state.address_of(view) != room.view:
            session[keys.CLASS_MOVED] = room.code
            state.go("predict", {**room.view, "class": room.code})
    except ClassError as problem:
        session[keys.CLASS_CODE] = ""
        state.add_notice(str(problem))
        st.rerun()
    return room


def _with_a_class(view: state.View, dataset: Dataset, k: int) -> None:
    """Draw how to open a class, and how to join one."""
    with st.expander("Paint with a class", icon=":material/groups:"):
        left, right = st.columns(2, gap="large")
        with left:
            st.markdown(
                f"**For a teacher.** Students open a link, paint {k:,} pixels on their phones and "
                "hand them in; you see how many came, and all of them in one map. Only the pixels "
                f"are sent, nothing is written to disk, and all is forgotten after {HOURS} hours."
            )
            if view.data not in BUILTIN:
                st.caption("Anyone with the code can see this data set.")
            button("Open for a class", "class_open", "groups", _open, view, dataset, k)
        with right:
            st.markdown("**For a student.** Type the code that your teacher shows.")
            st.text_input("Class code", key=keys.CLASS_TYPED, max_chars=12)
            button("Join", "class_join", "login", _join)


def _open(view: state.View, dataset: Dataset, k: int) -> None:
    opened = services().classes.open(
        visitor.secret(), state.address_of(view), dataset.sha256, dataset.n_features, k
    )
    st.session_state[keys.CLASS_CODE] = st.session_state[keys.CLASS_JOINED] = opened.code


def _join() -> None:
    st.session_state[keys.CLASS_CODE] = st.session_state[keys.CLASS_TYPED].strip()


def _leave() -> None:
    st.session_state[keys.CLASS_CODE] = ""


def _close(room: Class) -> None:
    services().classes.close(room)
    _leave()


def _teacher(room: Class, dataset: Dataset) -> None:
    """Draw the class for its teacher: the code, the number of paintings, the paintings."""
    # The code stands for the data and the fit, and is short enough to be typed off a wall.
    page = str(st.context.url or "").partition("?")[0]
    link, wrong = state.open_to_others(f"{page}?class={room.code}")

    classes = services().classes

    def look() -> Glance:
        there = classes.get(room.code) is not None
        handed_in = classes.masks(room).tobytes() if there else b""
        left = classes.minutes_left(room) if there else 0
        state = there, room.revealed, hash(handed_in), left
        return Glance(state, active=False)

    follow.follow("class", look, pause=2.0)
    masks, left = classes.masks(room), classes.minutes_left(room)
    # Until the answer is revealed, the last row of the room must be able to read the code.
    wide = 2 if room.revealed else 3
    with st.container(border=True, key="class_panel"):
        qr, what = st.columns([wide, 8], gap="medium", vertical_alignment="center")
        with qr:
            st.image(qr_svg(link), alt=f"QR code of {link}", width="stretch")
        with what:
            st.html(f'<p class="cspca-code">{room.code}</p>')
            st.caption(
                f"Open for {left // 60} h {left % 60} min more. "
                f"Up to {room.k:,} pixels each; only pixels are sent, no names."
            )
            st.code(link, language=None, wrap_lines=True)
            if wrong:
                st.warning(wrong, icon=":material/wifi_off:")
            with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
                many = "painting" if len(masks) == 1 else "paintings"
                st.markdown(f"**{len(masks)}** {many} handed in")
                st.session_state[keys.CLASS_REVEALED] = room.revealed
                st.toggle(
                    "Reveal to the class",
                    key=keys.CLASS_REVEALED,
                    on_change=_reveal,
                    args=(room,),
                    help="Until this is on, students see that theirs was handed in and no more. "
                    "Switch it on at once if they need not wait.",
                )
                button("Close the class", "class_close", "close", _close, room)
        if room.revealed:
            _together(room, masks, dataset)
        else:
            with st.expander("Look before the class does", icon=":material/visibility_off:"):
                _together(room, masks, dataset)


def _reveal(room: Class) -> None:
    room.revealed = bool(st.session_state[keys.CLASS_REVEALED])


def _together(room: Class, masks: NDArray[np.bool_], dataset: Dataset) -> None:
    """Draw all masks in one map beside CSPCA's, and their overlap with it."""
    result, shape = state.last_result(dataset), dataset.image_shape
    if result is None or shape is None:
        return
    if not len(masks):
        st.caption("The map of the class appears here with the first painting.")
        return
    mean = masks.mean(axis=0).reshape(shape)
    scores, settings, at = result.fit.feature_scores.reshape(shape), result.asked, ""
    if not settings.keep:
        at = f", α = {fields.say(settings.alpha)}, β = {fields.say(settings.beta)}"
    # Large enough for the last row of a room.
    left, right = st.columns([9, 6], gap="large")
    with left:
        most = f"brightest: painted by {int(masks.sum(axis=0).max()):,} of {len(masks):,}"
        pictures.row(
            [
                pictures.figure(
                    drawn.importance_rgb(mean), drawn.importance_alt(mean), f"The class; {most}"
                ),
                pictures.figure(
                    drawn.importance_rgb(scores), drawn.importance_alt(scores), f"CSPCA{at}"
                ),
            ]
        )
    with right:
        _overlap(result, masks, dataset)


def _overlap(result: LiveFit, masks: NDArray[np.bool_], dataset: Dataset) -> None:
    """Draw the share of each painting that is among as many of CSPCA's best pixels."""
    sizes = masks.sum(axis=1)
    reasons = {size: _no_best(result, size, dataset) for size in np.unique(sizes).tolist()}
    counted = [
        (mask, size) for mask, size in zip(masks, sizes.tolist(), strict=True) if not reasons[size]
    ]
    if len(counted) < len(masks):
        st.caption(next(filter(None, reasons.values())))
    if not counted:
        return
    order = result.fit.feature_order
    shares = np.array([mask[order[:size]].sum() / size for mask, size in counted])
    chance = float(np.mean([size for _, size in counted])) / dataset.n_features
    figure = spread(
        shares,
        [
            Mark("Chance", chance, COLOURS["chance"]),
            Mark("Mean of the class", float(shares.mean()), COLOURS["yours"]),
        ],
        question="How many are among as many of CSPCA’s best?",
        axis="Share of a painting",
        what="painting",
        several="paintings",
        zero=True,
    )
    export.show(figure, "class_overlap", of=dataset.name, name="class", heading=True)

"""Epochs of brain waves as EEGLAB, FieldTrip and MNE write them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd

from tests.datasets.kinds import write
from tests.datasets.kinds.catalogue import Case, Mark, Numbers
from tests.datasets.kinds.catalogue import kind as any_kind

kind = partial(any_kind, group="brain waves", from_field=True)
CHANNELS: Final = (
    "Fp1", "Fp2", "F7", "F3", "Fz", "F4", "F8", "T7", "C3", "Cz",
    "C4", "T8", "P7", "P3", "Pz", "P4", "P8", "O1", "O2",
)  # fmt: skip


def epochs(
    n_epochs: int, n_channels: int, n_times: int, rng: np.random.Generator
) -> tuple[Numbers, Numbers, Numbers]:
    """Waves in microvolts (epochs, channels, times), the condition of each epoch, and the times.

    A few sources reach all channels; alpha waves grow to the back; the second condition has a P3.
    """
    times = np.arange(n_times) / 128 - 0.2
    which = rng.permutation(np.arange(n_epochs) % 2)
    frequencies = np.fft.rfftfreq(n_times, 1 / 128)
    shape = (2, n_epochs, 6, len(frequencies))
    real, imaginary = rng.normal(size=shape) / np.maximum(frequencies, 1) ** 0.7
    sources = np.fft.irfft(real + 1j * imaginary, n_times)
    waves = np.einsum("est,sc->ect", sources, rng.normal(size=(6, n_channels)))
    waves *= 8 / waves.std()
    phases = rng.uniform(0, 6, (n_epochs, 1, 1))
    back = np.linspace(0.1, 1, n_channels)[:, None]
    waves += 5 * back * np.sin(2 * np.pi * 10 * times + phases)
    waves += 6 * which[:, None, None] * back * np.exp(-(((times - 0.35) / 0.08) ** 2))
    return waves.astype(np.float32), which, times


def cells(words: Sequence[str]) -> Numbers:
    return np.array(words, dtype=object)[:, None]


def eeglab_fields(waves: Numbers, which: Numbers, times: Numbers, **others: Any) -> dict[str, Any]:
    """The struct EEG of an epoched set."""
    n_epochs, n_channels, n_times = waves.shape
    channels = [(name, 10.0 * place, 0.1 * place) for place, name in enumerate(CHANNELS)]
    events = [
        (f"S {11 + 10 * code}", 26.0 + n_times * place, place + 1.0)
        for place, code in enumerate(which)
    ]
    locations = np.array(channels[:n_channels], [("labels", "O"), ("theta", "O"), ("X", "O")])
    event = np.array(events, [("type", "O"), ("latency", "O"), ("epoch", "O")])
    return {
        "setname": "S1 epochs", "filename": "S1.set", "subject": "", "group": "",
        "condition": "", "nbchan": float(n_channels), "trials": float(n_epochs),
        "pnts": float(n_times), "srate": 128.0, "xmin": times[0], "xmax": times[-1],
        "times": times[None] * 1000, "data": waves.transpose(1, 2, 0), "icawinv": np.zeros((0, 0)),
        "chanlocs": locations[None], "ref": "common", "event": event[None], **others,
    }  # fmt: skip


@kind(
    "a set of EEGLAB with its events",
    variants=3,
    never="Channels are samples, or their names are the classes.",
)
def eeglab_set(variant: int) -> Case:
    rng = write.generator(variant, 230)
    n_epochs, n_channels, n_times = ((40, 8, 64), (36, 19, 50), (50, 12, 50))[variant]
    waves, which, times = epochs(n_epochs, n_channels, n_times, rng)
    fields = eeglab_fields(waves, which, times)
    content = write.mat(**fields) if variant == 0 else write.mat(EEG=fields)
    mark = Mark(
        values=waves.reshape(n_epochs, -1),
        scale="whole",
        labels=[f"S {11 + 10 * code}" for code in which],
    )
    return Case(("S1.set", "S1.mat", "S1.set")[variant], content, mark)


@kind("the first of two files of an EEGLAB set", never="Times or places of channels are read.")
def eeglab_two_files(variant: int) -> Case:
    rng = write.generator(variant, 231)
    fields = eeglab_fields(*epochs(30, 8, 50, rng), data=("S1.fdt", "S1.FDT")[variant])
    content = write.mat(**fields) if variant == 0 else write.mat(EEG=fields)
    return Case("S1.set", content, Mark(refused="onefile"))


@kind("trials of FieldTrip in cells", never="Channels are the samples and classes of their own.")
def fieldtrip(variant: int) -> Case:
    rng = write.generator(variant, 232)
    n_epochs, n_channels, n_times = ((40, 10, 64), (30, 19, 50))[variant]
    waves, which, times = epochs(n_epochs, n_channels, n_times, rng)
    trial, time = (np.empty((1, n_epochs), dtype=object) for _ in range(2))
    for place, wave in enumerate(waves):
        trial[0, place], time[0, place] = wave, times[None]
    data = {
        "hdr": {"Fs": 128.0, "nChans": float(n_channels)},
        "label": cells(CHANNELS[:n_channels]),
        "time": time,
        "trial": trial,
        "fsample": 128.0,
        "sampleinfo": np.c_[np.arange(n_epochs) * 128.0 + 1, np.arange(n_epochs) * 128.0 + 128],
        "trialinfo": which[:, None] + 1.0,
    }
    name = ("data", "data_clean")[variant]
    mark = Mark(
        values=waves.reshape(n_epochs, -1),
        scale="whole",
        labels=write.texts(which + 1),
        may_ask=frozenset({"classes_from"}),
        answers={"classes_from": f"{name}.trialinfo"},
    )
    return Case("clean.mat", write.mat(**{name: data}), mark)


@kind(
    "epochs with names of channels and times beside them",
    variants=3,
    plain=True,
    never="A stack of recordings is shown as photographs.",
)
def named_epochs(variant: int) -> Case:
    rng = write.generator(variant, 233)
    n_epochs, n_channels, n_times = ((40, 19, 64), (36, 16, 50), (30, 12, 70))[variant]
    waves, which, times = epochs(n_epochs, n_channels, n_times, rng)
    names = CHANNELS[:n_channels]
    labels = write.texts(which)
    if variant == 0:
        content = write.npz(X=waves, y=which, ch_names=np.array(names), times=times, sfreq=128.0)
    elif variant == 1:
        labels = write.words(which, "standard target")
        content = write.mat(
            eeg=waves.transpose(1, 2, 0), condition=cells(labels), channels=cells(names), fs=128.0
        )
    else:
        info = {"fs": 128.0, "channels": cells(names)}
        session = {"epochs": waves.transpose(2, 1, 0), "labels": which[None], "info": info}
        content = write.mat(S={"subject": "S3", "session": session})
    mark = Mark(
        values=waves.reshape(n_epochs, -1), scale="whole", labels=labels, column_order="any"
    )
    return Case(("epochs.npz", "epochs.mat", "S3.mat")[variant], content, mark)


@kind(
    "epoch, channel and time in a long table",
    variants=3,
    never="An epoch is no sample, or the index of pandas is one more channel.",
)
def long_channels(variant: int) -> Case:
    rng = write.generator(variant, 234)
    n_epochs, n_channels, n_times = ((20, 3, 25), (16, 4, 20), (24, 5, 6))[variant]
    waves, which, times = epochs(n_epochs, n_channels, n_times, rng)
    labels = write.words(which, "standard deviant")
    keys = [range(n_epochs), times.round(6), CHANNELS[:n_channels]]
    frame = pd.MultiIndex.from_product(keys, names=["epoch", "time", "channel"]).to_frame(False)
    frame.insert(0, "condition", np.array(labels)[frame["epoch"]])
    frame["value"] = waves.transpose(0, 2, 1).ravel().round(4)
    frame["ch_type"] = "eeg"
    if variant:
        # As MNE orders its long form; the index of pandas stays that of the wide one.
        frame = frame.sort_values(["epoch", "channel", "time"])
    mark = Mark(
        values=waves.reshape(n_epochs, -1).round(4),
        scale="whole",
        labels=labels,
        also=("axis",),
        column_order="any",
        must_ask=frozenset({"pivot"}),
        may_ask=frozenset({"classes_from", "scale"}),
        answers={"pivot": "epoch × channel × time", "scale": "stretch"},
    )
    return Case("epochs.csv", write.csv(frame, index=variant != 2), mark)


@kind("mean amplitudes by participant, condition and electrode", never="Electrodes are samples.")
def mean_amplitudes(variant: int) -> Case:
    rng = write.generator(variant, 235)
    people = [f"sub-{k:02d}" for k in range((16, 11)[variant])]
    conditions = [["target", "standard"], ["old", "new", "lure"]][variant]
    electrodes = CHANNELS[: (9, 7)[variant]]
    keys = [people, conditions, electrodes]
    frame = pd.MultiIndex.from_product(
        keys, names=["participant", "condition", ("electrode", "channel")[variant]]
    ).to_frame(False)
    frame["amplitude"] = rng.normal(2, 1, len(frame)).round(3)
    values = frame["amplitude"].to_numpy().reshape(-1, len(electrodes))
    mark = Mark(
        values=values,
        scale="any",
        labels=conditions * len(people),
        also=("axis",),
        must_ask=frozenset({"pivot"}),
        may_ask=frozenset({"classes_from", "scale", "roles"}),
        answers={"classes_from": "condition"},
    )
    return Case("amplitudes.csv", write.csv(frame), mark)


@kind("spectra of epochs, each with an index from 0", never="The frequency is one more channel.")
def spectra_of_epochs(variant: int) -> Case:
    rng = write.generator(variant, 236)
    n_epochs, n_channels, n_points = ((40, 8, 30), (30, 4, 45))[variant]
    power = rng.gamma(2, 1, (n_epochs, n_points, n_channels)).round(5)
    which = rng.permutation(np.arange(n_epochs) % 2)
    labels = write.words(which, "rest task")
    frames = [
        pd.DataFrame(of_epoch, columns=CHANNELS[:n_channels]).assign(
            freq=np.arange(n_points) + 1.0, condition=labels[epoch], epoch=epoch
        )
        for epoch, of_epoch in enumerate(power)
    ]
    frame = pd.concat(frames)[["freq", "condition", "epoch", *CHANNELS[:n_channels]]]
    mark = Mark(
        values=power.transpose(0, 2, 1).reshape(n_epochs, -1),
        labels=labels,
        also=("axis",),
        column_order="any",
        must_ask=frozenset({"pivot"}),
        may_ask=frozenset({"classes_from", "scale"}),
        answers={"pivot": "epoch × freq"},
    )
    return Case("psd.csv", write.csv(frame, index=True), mark)

"""Matrices of which it is known whether they hold pictures: for the calibrated test of that.

``python -m tests.datasets.picture_catalogue`` prints how many are sure, asked or left alone, and
how many of these are right. Makers of `NOT_PICTURES` and `MAPS` take a generator of random numbers
and vary sizes too; a map has two axes that are no picture's, and is drawn right only as it lies.
"""

from __future__ import annotations

import functools
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage, signal
from sklearn import datasets as sklearn_datasets
from sklearn.preprocessing import PolynomialFeatures

from cspca.datasets import make_faces
from cspca.datasets.files.picture_test import PictureReading, Shape, read_matrix

Floats = NDArray[Any]
Random = np.random.Generator
Layout = Literal["row", "column", "planes", "planes column", "interleaved"]
Map = tuple[Floats, Shape]
SEEDS = (0, 1, 2)


@dataclass(frozen=True)
class Case:
    """A matrix and what it holds; `answer` is None for maps and everything else."""

    name: str
    matrix: NDArray[Any]
    answer: str | None = None
    stored: Shape | None = None
    samples: str = "rows"
    order: str | None = None


def generator(name: str, seed: int) -> Random:
    """Random numbers of a kind of their own."""
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def holds(case: Case, reading: PictureReading) -> bool:
    """Is the answer true of the case, whatever its confidence?"""
    if case.answer is None:
        as_it_lies = case.stored is not None and reading.stored == case.stored
        return reading.answer == "not pictures" or as_it_lies
    where = (reading.answer, reading.stored, reading.samples)
    upright = reading.order is None or reading.order == case.order
    return where == (case.answer, case.stored, case.samples) and upright


# Pictures


def picture_case(name: str, pictures: NDArray[Any], layout: Layout = "row") -> Case:
    """Pictures (n, height, width) or (n, height, width, 3), one a row of the matrix."""
    height, width = pictures.shape[1:3]
    if layout == "column":
        pictures = pictures.swapaxes(1, 2)
    elif layout == "planes":
        pictures = np.moveaxis(pictures, 3, 1)
    elif layout == "planes column":
        pictures = np.moveaxis(pictures, 3, 1).swapaxes(2, 3)
    by_column = layout in ("column", "planes column")
    return Case(
        name=f"{name}, {layout}",
        matrix=np.ascontiguousarray(pictures).reshape(len(pictures), -1),
        answer={"planes column": "planes"}.get(layout, layout)
        if pictures.ndim == 4
        else "pictures",
        stored=(width, height) if by_column else (height, width),
        order="column" if by_column else "row",
    )


def turned(case: Case) -> Case:
    """The same with samples in columns."""
    return Case(
        f"{case.name}, turned", case.matrix.T, case.answer, case.stored, "columns", case.order
    )


@functools.cache
def faces(size: Shape, corrupted: float = 0.0, seed: int = 0) -> Floats:
    """Rendered faces (n, height, width)."""
    made = make_faces(15, 12, size, corrupted=corrupted, random_state=seed)
    return made.data.reshape(-1, *size)


@functools.cache
def digits() -> Floats:
    """The handwritten digits (n, 8, 8)."""
    images: Floats = sklearn_datasets.load_digits().images
    return images


def shapes(size: Shape, n_samples: int, rng: Random) -> Floats:
    """Pictures of discs and bars in front of each other, in grey levels of their own."""
    height, width = size
    y, x = np.mgrid[:height, :width]
    pictures = np.zeros((n_samples, height, width))
    for picture in pictures:
        for _ in range(7):
            middle_y, middle_x = rng.uniform(0, height), rng.uniform(0, width)
            angle, level = rng.uniform(0, np.pi), rng.uniform(0, 1)
            along = (x - middle_x) * np.cos(angle) + (y - middle_y) * np.sin(angle)
            across = (y - middle_y) * np.cos(angle) - (x - middle_x) * np.sin(angle)
            long, wide = rng.uniform(0.2, 0.6) * width, rng.uniform(0.1, 0.3) * height
            picture[(along / long) ** 2 + (across / wide) ** 2 < 1] = level
    return ndimage.gaussian_filter(pictures, (0, 0.6, 0.6))


def patches(size: Shape, n_samples: int, rng: Random) -> Floats:
    """Patches of one large picture of shapes."""
    height, width = size
    large = shapes((160, 200), 1, rng)[0] + shapes((160, 200), 1, rng)[0]
    tops = rng.integers(0, 160 - height, n_samples)
    lefts = rng.integers(0, 200 - width, n_samples)
    return np.stack(
        [
            large[top : top + height, left : left + width]
            for top, left in zip(tops, lefts, strict=True)
        ]
    )


def face_cases() -> Iterator[Case]:
    """Faces in several sizes, ways to lie, and states."""
    for size in ((60, 40), (62, 47), (24, 18), (28, 28), (12, 8), (10, 10), (18, 30)):
        for layout in ("row", "column"):
            yield picture_case(f"faces {size}", faces(size), layout)
    base = faces((32, 32))
    yield turned(picture_case("faces", base))
    yield turned(picture_case("faces", base, "column"))
    yield picture_case("faces in bytes", np.rint(255 * base).astype(np.uint8))
    yield picture_case("faces in float32", base.astype(np.float32), "column")
    yield picture_case("faces half corrupted", faces((32, 32), corrupted=0.5))
    yield picture_case("upper part of faces", base[:, :20])
    yield picture_case("narrow part of faces", base[:, :, 6:26], "column")
    yield picture_case("faces 6 x 5", faces((6, 5)))
    yield picture_case("eight faces", base[::24])
    spread = base.std(axis=0)
    yield picture_case("standardised faces", (base - base.mean(axis=0)) / np.maximum(spread, 1e-9))


def noisy_cases() -> Iterator[Case]:
    """Faces and digits in faint and strong noise."""
    for seed in SEEDS:
        rng = generator("noise", seed)
        for share in (0.1, 0.25, 0.5):
            for name, pictures in (("faces", faces((32, 32))), ("digits", digits()[:600])):
                noise = rng.normal(0, share * pictures.std(), pictures.shape)
                yield picture_case(f"{name} in {share} of noise", pictures + noise)


def digit_cases() -> Iterator[Case]:
    """Digits whole, by row and column, turned, binary, few, and one of the ten alone."""
    for layout in ("row", "column"):
        yield picture_case("digits", digits(), layout)
        yield turned(picture_case("digits", digits(), layout))
        yield picture_case("binary digits", (digits() > 7).astype(float), layout)
    target = sklearn_datasets.load_digits().target
    for digit in range(10):
        yield picture_case(f"only digit {digit}", digits()[target == digit])
    for seed in SEEDS:
        rng = generator("few digits", seed)
        for n_samples in (200, 100, 16):
            chosen = rng.choice(len(digits()), n_samples, replace=False)
            yield picture_case(f"{n_samples} digits", digits()[chosen], "column")


def colour_cases() -> Iterator[Case]:
    """Colours by planes, pixel by pixel, and by planes column by column."""
    for size in ((12, 10), (32, 32), (24, 18)):
        rng = generator("colours", 0)
        tints = rng.uniform(0.6, 1, (len(faces(size)), 1, 1, 3))
        colours = faces(size)[..., None] * tints
        for layout in ("planes", "interleaved", "planes column"):
            yield picture_case(f"faces {size} in colours", colours, layout)
    yield turned(picture_case("faces in colours", colours, "planes"))
    grey = np.repeat(faces((32, 32))[..., None], 3, axis=3)
    yield picture_case("three equal channels", grey, "interleaved")


def shape_cases() -> Iterator[Case]:
    """Made pictures and patches of them, grey and in colours."""
    for seed in SEEDS:
        rng = generator("shapes", seed)
        for size in ((16, 16), (20, 30), (36, 24)):
            yield picture_case(f"shapes {size}", shapes(size, 200, rng))
            yield picture_case(f"patches {size}", patches(size, 300, rng), "column")
        colours = np.stack([patches((18, 18), 200, rng) for _ in range(3)], axis=3)
        mixed = colours.mean(axis=3, keepdims=True) + 0.3 * colours
        yield picture_case("patches in colours", mixed, "interleaved")
        path = np.cumsum(rng.normal(0, 1.5, (120, 2)), axis=0) % [30, 24]
        y, x = np.mgrid[:30, :24]
        squares = (y - path[:, :1, None]) ** 2 + (x - path[:, 1:, None]) ** 2
        yield turned(picture_case("film of a ball", np.exp(-squares / 20)))


def pictures() -> Iterator[Case]:
    """All cases of pictures that need no file."""
    yield from face_cases()
    yield from noisy_cases()
    yield from digit_cases()
    yield from colour_cases()
    yield from shape_cases()


# Everything else: curves


def smoothed(rng: Random, n_samples: int, n_numbers: int, reach: float) -> Floats:
    """Gaussian noise, smooth along its last axis, of spread 1, without edges."""
    margin = int(4 * reach) + 1
    noise = rng.normal(size=(n_samples, n_numbers + 2 * margin))
    curves = ndimage.gaussian_filter1d(noise, reach, axis=1)[:, margin:-margin]
    samples: Floats = curves / curves.std()
    return samples


def noise_like(rng: Random, curves: Floats, share: float = 0.02) -> Floats:
    """Noise of a share of the spread of the curves."""
    return rng.normal(0, share * curves.std(), curves.shape)


def peaks(places: Floats, centres: Floats, widths: Floats | float, heights: Floats) -> Floats:
    """Sums of Gaussian peaks: (n, k) centres and heights to (n, places)."""
    curves = np.zeros((len(heights), len(places)))
    centres, widths = (
        np.broadcast_to(centres, heights.shape),
        np.broadcast_to(widths, heights.shape),
    )
    for k in range(heights.shape[1]):
        offsets = (places - centres[:, k : k + 1]) / widths[:, k : k + 1]
        curves += heights[:, k : k + 1] * np.exp(-(offsets**2))
    return curves


def fringes(rng: Random, *, phase: float, scatter: float, falling: bool = False) -> Floats:
    """Interference fringes whose period divides the width, or nearly so."""
    width, period = [(1200, 80), (1050, 21), (900, 30), (1024, 32), (400, 20), (1000, 33.3)][
        rng.integers(6)
    ]
    places = np.arange(width)
    periods = period * (1 + scatter * rng.normal(size=(80, 1)))
    heights = 0.3 + 0.05 * rng.normal(size=(80, 1))
    curves = heights * np.cos(2 * np.pi * places / periods + phase * rng.uniform(0, 1, (80, 1)))
    if falling:
        curves = curves * np.exp(-places / width)
    return curves + noise_like(rng, curves, 0.05)


def spectra(rng: Random) -> Floats:
    """Broad bands over a baseline of its own for each sample."""
    width = int(rng.choice([900, 1024, 1500]))
    places = np.arange(width) / width
    bands = peaks(
        places,
        np.sort(rng.uniform(0, 1, (1, 14))),
        rng.uniform(0.01, 0.05, (1, 14)),
        rng.lognormal(0, 0.5, (120, 14)),
    )
    baseline = rng.normal(size=(120, 3)) @ np.stack([places**0, places, places**2])
    return bands + 0.5 * baseline + 0.005 * rng.normal(size=bands.shape)


def derivative(rng: Random) -> Floats:
    curves: Floats = signal.savgol_filter(spectra(rng), 15, 2, deriv=1, axis=1)
    return curves[:, :900]


def normal_variate(rng: Random) -> Floats:
    curves = spectra(rng)[:, :625]
    samples: Floats = (curves - curves.mean(axis=1, keepdims=True)) / curves.std(
        axis=1, keepdims=True
    )
    return samples


def chromatogram(rng: Random) -> Floats:
    width, n_peaks = [(1024, 12), (900, 40), (2500, 25), (400, 8)][rng.integers(4)]
    centres = np.sort(rng.uniform(0, width, n_peaks)) + rng.normal(0, 2, (100, 1))
    curves = peaks(
        np.arange(width),
        centres,
        rng.uniform(3, 9, (1, n_peaks)),
        rng.lognormal(0, 0.6, (100, n_peaks)),
    )
    return curves + 0.01 * rng.normal(size=curves.shape)


def even_peaks(rng: Random, scatter: float) -> Floats:
    """Peaks at equal distances, as of a comb or a ladder."""
    width, n_peaks = [(1024, 16), (900, 30), (1600, 20), (400, 10)][rng.integers(4)]
    period = width / n_peaks
    centres = (np.arange(n_peaks) + 0.5) * period + scatter * period * rng.normal(size=(100, 1))
    curves = peaks(np.arange(width), centres, period / 6, rng.lognormal(0, 0.6, (100, n_peaks)))
    return curves + 0.01 * rng.normal(size=curves.shape)


def maldi(rng: Random, *, first: float) -> Floats:
    """Mass spectra: groups of isotopes one dalton apart, on a grid that divides a dalton."""
    per_dalton, n_daltons = [(10, 100), (20, 60), (16, 32), (30, 40)][rng.integers(4)]
    sticks = np.zeros((120, n_daltons))
    for start in rng.integers(0, n_daltons - 6, n_daltons // 4):
        group = rng.lognormal(0, 1, (120, 1)) * [1, 0.9, 0.5, 0.2, 0.07]
        sticks[:, start : start + 5] += group
    masses = np.arange(per_dalton * n_daltons) / per_dalton + first
    centres = np.arange(n_daltons) + 0.5 + 0.02 * rng.normal(size=(120, n_daltons))
    curves = peaks(masses, centres, 0.12, sticks)
    return curves + 0.01 * rng.normal(size=curves.shape)


def pulses(rng: Random, *, wander: float = 0.0, shift: float = 0.0) -> Floats:
    """One bump a period, whose height changes slowly from bump to bump, and perhaps its place."""
    n_periods, period, wide = [(30, 30, 3), (40, 25, 2), (20, 50, 6), (16, 16, 2)][rng.integers(4)]
    heights = np.exp(0.5 * smoothed(rng, 120, n_periods, rng.choice([0.7, 2.0])))
    centres = (np.arange(n_periods) + 0.5) * period
    centres = (
        centres + wander * smoothed(rng, 120, n_periods, 3) + shift * rng.normal(size=(120, 1))
    )
    curves = peaks(np.arange(n_periods * period), centres, float(wide), heights)
    return curves + 0.01 * rng.normal(size=curves.shape)


def random_walks(rng: Random) -> Floats:
    return rng.normal(size=(200, int(rng.choice([400, 1024, 900])))).cumsum(axis=1)


def band_limited(rng: Random) -> Floats:
    wide = rng.choice([3, 10, 40])
    band = signal.butter(3, [1 / wide / 4, 1 / wide / 3], "band", output="sos")
    curves: Floats = signal.sosfiltfilt(band, rng.normal(size=(200, 1300)))[:, 200:1100]
    return curves


def line_camera(rng: Random, n_taps: int) -> Floats:
    """Curves of a sensor whose taps have offsets of their own."""
    tapped = rng.normal(size=(100, 1)) * (np.arange(1024) % n_taps == 0)
    samples: Floats = tapped + 2 * smoothed(rng, 100, 1024, 20)
    return samples


def steady_response(rng: Random) -> Floats:
    """Evoked oscillation, locked, in noise."""
    frequency = rng.choice([10, 12.5])
    samples: Floats = np.sin(2 * np.pi * frequency * np.arange(1000) / 250) + rng.normal(
        size=(100, 1000)
    )
    return samples


def beat(phase: Floats) -> Floats:
    """One heart beat over phases 0 to 1."""
    height, centre, width = (
        np.array([1.2, -0.3, 0.3, 0.15]),
        np.array([0.4, 0.44, 0.65, 0.2]),
        np.array([0.02, 0.02, 0.06, 0.04]),
    )
    waves: Floats = (height * np.exp(-(((phase[..., None] - centre) / width) ** 2))).sum(axis=-1)
    return waves


def aligned_beats(rng: Random) -> Floats:
    n_beats, length = [(8, 64), (10, 100), (5, 80)][rng.integers(3)]
    phases = np.arange(length) / length + 0.02 * rng.normal(size=(100, n_beats, 1))
    heights = rng.lognormal(0, 0.15, (100, n_beats, 1)) * rng.lognormal(0, 0.3, (100, 1, 1))
    beats = beat(phases) * heights
    return (beats + noise_like(rng, beats, 0.1)).reshape(100, -1)


def running_heart(rng: Random) -> Floats:
    """Windows of a heart that beats at a rate of its own."""
    rates = rng.uniform(0.9, 1.3, (150, 1)) * np.arange(800) / 80 + rng.uniform(0, 1, (150, 1))
    curves = beat(rates % 1)
    return curves + noise_like(rng, curves, 0.1)


def twelve_leads(rng: Random) -> Floats:
    phase = np.arange(100) / 100
    basis = np.stack([beat(phase), np.gradient(beat(phase)), np.sin(6 * phase)])
    leads = (rng.normal(size=(12, 3)) @ basis) * rng.lognormal(0, 0.3, (120, 12, 1))
    drift = smoothed(rng, 120 * 12, 100, 2).reshape(120, 12, 100)
    samples: Floats = (leads + 0.1 * drift).reshape(120, -1)
    return samples


def overlapping_windows(rng: Random) -> Floats:
    """Windows of one long series that nearly repeats, as sunspots do."""
    length = int(rng.choice([100, 121, 64]))
    steps = 2 * np.pi / 11 * (1 + 0.15 * smoothed(rng, 1, 1500, 10)[0])
    heights = np.exp(0.4 * smoothed(rng, 1, 1500, 30)[0])
    series = heights * (1 + np.sin(np.cumsum(steps))) + 0.1 * rng.normal(size=1500)
    return np.lib.stride_tricks.sliding_window_view(series, length)[::3]


def monthly_windows(rng: Random, *, aligned: bool) -> Floats:
    """Windows of ten years of one monthly series."""
    months = np.arange(150 * 12)
    series = np.sin(2 * np.pi * months / 12) * rng.lognormal(0, 0.1) + 0.8 * smoothed(
        rng, 1, len(months), 6
    )
    windows = np.lib.stride_tricks.sliding_window_view(series[0], 144 if aligned else 120)
    return windows[:: 12 if aligned else 5]


def gestures(rng: Random) -> Floats:
    """Up, hold and down again, at times of one's own."""
    times = np.arange(150)
    rise, last = rng.normal(40, 6, (120, 1)), rng.normal(105, 6, (120, 1))
    slope = rng.uniform(0.15, 0.4, (120, 1))
    curves = 1 / (1 + np.exp(-slope * (times - rise))) - 1 / (1 + np.exp(-slope * (times - last)))
    return curves + 0.02 * smoothed(rng, 120, 150, 2)


def cylinder_bell_funnel(rng: Random) -> Floats:
    """The three made classes of UCR's CBF."""
    times = np.arange(128)
    start, length = rng.uniform(16, 32, (150, 1)), rng.uniform(32, 96, (150, 1))
    inside = (times >= start) & (times <= start + length)
    slope = rng.choice([-1, 0, 1], (150, 1)) * (times - start - length / 2) / length
    return (6 + rng.normal(size=(150, 1))) * inside * (0.5 + slope) + rng.normal(size=(150, 128))


def outlines(rng: Random) -> Floats:
    """Distance of an outline from its middle, turned at random."""
    angles = np.linspace(0, 2 * np.pi, 256, endpoint=False) + rng.uniform(0, 6.28, (100, 1))
    heights = rng.normal(size=(100, 5)) / np.arange(1, 6)
    waves = [heights[:, k : k + 1] * np.cos((k + 1) * angles) for k in range(5)]
    samples: Floats = 1 + 0.2 * np.sum(waves, axis=0)
    return samples


def multispectral(rng: Random) -> Floats:
    """Spectra of pixels: few materials, and bands that three sensors share."""
    n_bands = int(rng.choice([180, 196, 200]))
    materials = smoothed(rng, 6, n_bands, 8) + np.repeat(rng.normal(size=(6, 4)), n_bands // 4, 1)
    shares = rng.dirichlet(np.full(6, 0.5), 300)
    samples: Floats = shares @ materials + 0.01 * rng.normal(size=(300, n_bands))
    return samples


# Everything else: channels × times, and other tables of two axes


def alpha_rhythm(rng: Random) -> Floats:
    n_channels, n_times = [(8, 128), (16, 64), (32, 32), (20, 50)][rng.integers(4)]
    place = np.linspace(0, 1, n_channels)[:, None]
    phase = rng.uniform(0, 2 * np.pi, (150, 1, 1))
    rhythm = np.sin(2 * np.pi * np.arange(n_times) / 12.8 + phase)
    noise = 0.5 * rng.normal(size=(150, n_channels, n_times))
    return (rhythm * (0.6 + 0.4 * np.cos(3 * place)) + noise).reshape(150, -1)


def mixed_sources(rng: Random) -> Floats:
    """(150, channels, times): sources that spread over neighbouring channels."""
    n_channels, n_times = [(16, 64), (32, 32), (20, 50), (30, 30)][rng.integers(4)]
    place = np.linspace(0, 1, n_channels)[:, None]
    mixing = np.exp(-(((place - np.linspace(0, 1, 12)) / 0.15) ** 2))
    sources = smoothed(rng, 150 * 12, n_times, 2.5).reshape(150, 12, n_times)
    channels: Floats = mixing @ sources
    return channels + noise_like(rng, channels, 0.1)


def montage(rng: Random, *, interleaved: bool = False) -> Floats:
    channels = mixed_sources(rng)
    channels = channels[:, rng.permutation(channels.shape[1])]
    return (channels.swapaxes(1, 2) if interleaved else channels).reshape(150, -1)


def shared_drift(rng: Random) -> Floats:
    n_channels, n_times = [(16, 64), (32, 32), (20, 50)][rng.integers(3)]
    own = rng.normal(size=(150, n_channels, n_times)).cumsum(axis=2)
    shared = rng.normal(size=(150, 1, n_times)).cumsum(axis=2)
    samples: Floats = (own + 2 * shared).reshape(150, -1)
    return samples


def activity(rng: Random, *, interleaved: bool = False) -> Floats:
    """Accelerometers and gyroscopes while walking."""
    n_channels, n_times = [(9, 128), (6, 60), (16, 16), (12, 24)][rng.integers(4)]
    phase = rng.uniform(0, 6.28, (200, 1, 1)) + rng.uniform(0, 6.28, (1, n_channels, 1))
    walk = np.sin(2 * np.pi * np.arange(n_times) / rng.uniform(18, 30, (200, 1, 1)) + phase)
    channels = walk * rng.lognormal(0, 0.5, (1, n_channels, 1)) + rng.normal(
        size=(1, n_channels, 1)
    )
    channels = channels + 0.3 * rng.normal(size=channels.shape)
    return (channels.swapaxes(1, 2) if interleaved else channels).reshape(200, -1)


def gait(rng: Random) -> Floats:
    """Angles of joints over a step."""
    n_angles, n_steps = [(6, 101), (9, 51), (18, 51), (12, 36)][rng.integers(4)]
    own = ndimage.gaussian_filter1d(
        rng.normal(size=(120, n_angles, n_steps)), 6, axis=2, mode="wrap"
    )
    return (8 * own + 3 * rng.normal(size=(120, n_angles, 1))).reshape(120, -1)


def detectors(rng: Random) -> Floats:
    curves = smoothed(rng, 600, 60, 5).reshape(100, 6, 60)
    return (curves + rng.normal(size=(100, 6, 1))).reshape(100, -1)


def landmarks(rng: Random) -> Floats:
    n_points, n_axes = [(33, 3), (68, 2), (16, 3), (21, 3), (50, 2), (25, 4)][rng.integers(6)]
    still = rng.uniform(size=(n_points, n_axes)) * [1, 2, 0.2, 1][:n_axes]
    still = still + [3, 0, 9, 1][:n_axes]
    own = 0.02 * rng.normal(size=(300, n_points, n_axes))
    return (still + own + 0.1 * rng.normal(size=(300, 1, n_axes))).reshape(300, -1)


def outline_points(rng: Random) -> Floats:
    angles = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    radii = ndimage.gaussian_filter1d(rng.normal(size=(200, 64)), 3, axis=1, mode="wrap")
    points = (1 + 0.2 * radii)[..., None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    samples: Floats = points.reshape(200, -1)
    return samples


def gene_counts(rng: Random, *, scattered: bool = False) -> Floats:
    n_samples, n_genes, block = [(100, 2000, 40), (60, 1024, 16), (300, 900, 30), (400, 400, 20)][
        rng.integers(4)
    ]
    modules = np.repeat(rng.normal(size=(n_samples, -(-n_genes // block))), block, axis=1)
    level = rng.normal(1, 1.2, n_genes)
    counts = rng.poisson(np.exp(level + 0.6 * modules[:, :n_genes])).astype(float)
    return np.log1p(counts)[:, rng.permutation(n_genes)] if scattered else counts


def genes_in_rows(rng: Random) -> Floats:
    return gene_counts(rng).T


def copy_numbers(rng: Random) -> Floats:
    steps = rng.normal(size=(100, 1024)) * (rng.random((100, 1024)) < 0.02)
    return steps.cumsum(axis=1) + 0.1 * rng.normal(size=(100, 1024))


def one_hot(rng: Random, n_letters: int, shares: list[float] | None = None) -> Floats:
    n_sites = int(rng.choice([100, 144, 30]))
    letters = rng.choice(n_letters, (300, n_sites), p=shares)
    return np.eye(n_letters)[letters].reshape(300, -1)


def linked_markers(rng: Random) -> Floats:
    n_sites = int(rng.choice([100, 144, 400]))
    return (smoothed(rng, 300, n_sites, 3) > 0) + 1.0 * (rng.random((300, n_sites)) < 0.3)


def times_by_markers(rng: Random, *, smooth: bool) -> Floats:
    n_times, n_markers = [(20, 12), (12, 20), (10, 16)][rng.integers(3)]
    values = rng.normal(size=(200, n_times, n_markers))
    values = values.cumsum(axis=1) if smooth else np.exp(values)
    levels = rng.lognormal(0, 1.5, n_markers)
    return (values * levels + 3 * smooth * rng.normal(size=n_markers)).reshape(200, -1)


def questionnaire(rng: Random, *, interleaved: bool) -> Floats:
    scales = rng.normal(size=(300, 10))
    items = np.tile(scales, 12) if interleaved else np.repeat(scales, 12, axis=1)
    return np.rint(3 + items + 0.7 * rng.normal(size=(300, 120)))


def measurements(rng: Random) -> Floats:
    """A clinical table: columns of their own kinds and units."""
    n_columns = int(rng.choice([36, 60, 100]))
    factors = rng.normal(size=(250, 5)) @ rng.normal(size=(5, n_columns))
    values = factors + rng.normal(size=(250, n_columns))
    skewed, whole = np.arange(n_columns) % 3 == 1, np.arange(n_columns) % 3 == 2
    values[:, skewed] = np.exp(values[:, skewed])
    values[:, whole] = np.rint(values[:, whole])
    return values * rng.lognormal(0, 3, n_columns)


def mean_error_worst(rng: Random) -> Floats:
    """A published table: ten measures as mean, error and worst, some rows of it."""
    table: Floats = sklearn_datasets.load_breast_cancer().data
    return table[rng.choice(len(table), 300, replace=False)]


def polynomial(rng: Random, degree: int) -> Floats:
    data = np.abs(rng.normal(size=(150, 13 if degree == 2 else 8)) + 3)
    products: Floats = PolynomialFeatures(degree).fit_transform(data)
    return products


def standardised_polynomial(rng: Random) -> Floats:
    products = polynomial(rng, 3)[:, 1:]
    samples: Floats = (products - products.mean(axis=0)) / products.std(axis=0)
    return samples


def real_polynomial(rng: Random) -> Floats:
    table: Floats = sklearn_datasets.load_wine().data
    products: Floats = PolynomialFeatures(2).fit_transform(table[rng.permutation(len(table))])
    return products[:, : int(rng.choice([100, 105, 90]))]


def panel(rng: Random) -> Floats:
    """Quarters × indicators of countries, with a shared cycle."""
    n_quarters, n_indicators = 20, 8
    cycle = smoothed(rng, 100, n_quarters, 2)[:, :, None] * rng.normal(size=n_indicators)
    trend = rng.normal(size=(100, 1, n_indicators)) * np.arange(n_quarters)[:, None] / 10
    return (cycle + trend + rng.normal(size=(100, 1, n_indicators))).reshape(100, -1)


# Everything else: what was computed


def triangle(rng: Random) -> Floats:
    """The correlations above the diagonal."""
    side = int(rng.choice([16, 30, 45]))
    signals = ndimage.gaussian_filter1d(rng.normal(size=(100, side, 60)), 2, axis=1)
    above = np.triu_indices(side, 1)
    return np.stack([np.corrcoef(channels)[above] for channels in signals])


def hankel(rng: Random) -> Floats:
    side = int(rng.choice([16, 20, 25]))
    curves = smoothed(rng, 150, 2 * side - 1, 2)
    return np.lib.stride_tricks.sliding_window_view(curves, side, axis=1).reshape(150, -1)


def principal_scores(rng: Random, *, whitened: bool) -> Floats:
    centred = faces((32, 32)).reshape(-1, 1024)
    centred = centred[rng.permutation(len(centred))] - centred.mean(axis=0)
    u, s, _ = np.linalg.svd(centred, full_matrices=False)
    return u[:, :144] if whitened else (u * s)[:, :144]


def permuted_pixels(rng: Random) -> Floats:
    return faces((32, 32)).reshape(-1, 1024)[:, rng.permutation(1024)]


def random_projection(rng: Random) -> Floats:
    return faces((32, 32)).reshape(-1, 1024) @ rng.normal(size=(1024, 400))


def grey_histograms(rng: Random) -> Floats:
    n_bins = int(rng.choice([64, 144, 256]))
    return np.stack([np.histogram(face, n_bins, (0, 1))[0] for face in faces((32, 32))]).astype(
        float
    )


def kernel_matrix(rng: Random) -> Floats:
    chosen = faces((32, 32)).reshape(-1, 1024)[rng.permutation(180), ::9]
    squares = ((chosen[:, None] - chosen[None, :144]) ** 2).sum(axis=2)
    samples: Floats = np.exp(-squares / 10)
    return samples


def embeddings(rng: Random) -> Floats:
    low = rng.normal(size=(500, 20)) @ rng.normal(size=(20, 768))
    return np.maximum(low + 0.3 * rng.normal(size=low.shape), 0)[:, : int(rng.choice([512, 768]))]


def word_vectors(rng: Random) -> Floats:
    return (rng.normal(size=(300, 10, 50)) * rng.lognormal(0, 0.4, 50)).reshape(300, -1)


def word_counts(rng: Random) -> Floats:
    frequent = 1 / np.arange(1, 901) ** 1.05
    topics = rng.dirichlet(np.full(900, 0.05), 12) + 0.2 * frequent
    topics /= topics.sum(axis=1, keepdims=True)
    return np.stack([rng.multinomial(150, topics[k]) for k in rng.integers(0, 12, 300)]).astype(
        float
    )


def low_rank(rng: Random) -> Floats:
    n_samples, n_numbers = int(rng.integers(16, 60)), int(rng.choice([96, 160, 256, 400]))
    low = rng.normal(size=(n_samples, 4)) @ rng.normal(size=(4, n_numbers))
    return low + rng.uniform(0.2, 2) * rng.normal(size=low.shape)


def waves(rng: Random) -> Floats:
    """Few waves whose period is nearly a side."""
    height, width = int(rng.choice([8, 10, 16, 20])), int(rng.choice([8, 12, 16, 24]))
    period = width / rng.choice([1, 1.01, 0.97])
    phase = rng.uniform(0, 6.28, (40, 1))
    curves = np.cos(2 * np.pi * np.arange(height * width) / period + phase)
    samples: Floats = curves * rng.lognormal(0, 0.3, (40, 1)) + 0.3 * rng.normal(size=curves.shape)
    return samples


def one_factor(rng: Random) -> Floats:
    loadings = rng.lognormal(size=400)
    return rng.normal(size=(100, 1)) * loadings + 0.1 * rng.normal(size=(100, 400))


NOT_PICTURES: dict[str, Callable[[Random], Floats]] = {
    "fringes of one phase": lambda rng: fringes(rng, phase=0, scatter=0.005),
    "fringes of any phase": lambda rng: fringes(rng, phase=2 * np.pi, scatter=0),
    "fringes of scattered period": lambda rng: fringes(rng, phase=2 * np.pi, scatter=0.02),
    "falling fringes": lambda rng: fringes(rng, phase=1.2, scatter=0, falling=True),
    "spectra": spectra,
    "turned spectra": lambda rng: spectra(rng).T,
    "derivative of spectra": derivative,
    "spectra as normal variates": normal_variate,
    "chromatogram": chromatogram,
    "even peaks": lambda rng: even_peaks(rng, 0),
    "even peaks that move": lambda rng: even_peaks(rng, 0.08),
    "MALDI": lambda rng: maldi(rng, first=0),
    "MALDI from half a dalton": lambda rng: maldi(rng, first=0.5),
    "few MALDI": lambda rng: np.sqrt(np.abs(maldi(rng, first=0.25)[:40])),
    "pulses": pulses,
    "pulses that wander": lambda rng: pulses(rng, wander=3),
    "pulses that shift together": lambda rng: pulses(rng, shift=1),
    "random walks": random_walks,
    "smooth curves": lambda rng: smoothed(rng, 200, 900, rng.choice([3, 10, 40])),
    "smooth curves in noise": lambda rng: (
        smoothed(rng, 200, 900, rng.choice([3, 10, 40])) + 0.3 * rng.normal(size=(200, 900))
    ),
    "few smooth curves": lambda rng: smoothed(rng, 20, 256, rng.uniform(0.5, 4)),
    "band-limited curves": band_limited,
    "line camera, odd and even": lambda rng: line_camera(rng, 2),
    "line camera, eight taps": lambda rng: line_camera(rng, 8),
    "steady evoked response": steady_response,
    "aligned heart beats": aligned_beats,
    "heart beats of any rate": running_heart,
    "twelve leads": twelve_leads,
    "overlapping windows": overlapping_windows,
    "monthly windows": lambda rng: monthly_windows(rng, aligned=True),
    "monthly windows from any month": lambda rng: monthly_windows(rng, aligned=False),
    "gestures": gestures,
    "cylinder, bell, funnel": cylinder_bell_funnel,
    "outlines": outlines,
    "multispectral pixels": multispectral,
    "EEG alpha": alpha_rhythm,
    "EEG in the order of a montage": montage,
    "EEG montage interleaved": lambda rng: montage(rng, interleaved=True),
    "EEG with shared drift": shared_drift,
    "activity": activity,
    "activity interleaved": lambda rng: activity(rng, interleaved=True),
    "gait": gait,
    "detectors after each other": detectors,
    "landmarks": landmarks,
    "points of outlines": outline_points,
    "gene counts in blocks": gene_counts,
    "genes in scattered modules": lambda rng: gene_counts(rng, scattered=True),
    "genes in rows": genes_in_rows,
    "copy numbers": copy_numbers,
    "one-hot SNPs": lambda rng: one_hot(rng, 3, [0.7, 0.25, 0.05]),
    "one-hot DNA": lambda rng: one_hot(rng, 4),
    "one-hot peptides": lambda rng: one_hot(rng, 20),
    "linked markers": linked_markers,
    "times by markers": lambda rng: times_by_markers(rng, smooth=False),
    "times by genes": lambda rng: times_by_markers(rng, smooth=True),
    "questionnaire interleaved": lambda rng: questionnaire(rng, interleaved=True),
    "questionnaire in blocks": lambda rng: questionnaire(rng, interleaved=False),
    "clinical measurements": measurements,
    "mean, error and worst": mean_error_worst,
    "polynomial features": lambda rng: polynomial(rng, 2),
    "cubic features": lambda rng: polynomial(rng, 3),
    "standardised cubic features": standardised_polynomial,
    "polynomial features of wines": real_polynomial,
    "panel of countries": panel,
    "triangle of correlations": triangle,
    "Hankel matrices": hankel,
    "principal scores": lambda rng: principal_scores(rng, whitened=False),
    "whitened scores": lambda rng: principal_scores(rng, whitened=True),
    "permuted pixels": permuted_pixels,
    "random projection": random_projection,
    "grey histograms": grey_histograms,
    "kernel matrix": kernel_matrix,
    "embeddings": embeddings,
    "word vectors": word_vectors,
    "word counts": word_counts,
    "low rank": low_rank,
    "waves": waves,
    "one factor": one_factor,
    "sorted rows": lambda rng: np.sort(rng.normal(size=(100, 400)), axis=1),
    "noise": lambda rng: rng.normal(size=(200, int(rng.choice([144, 400, 1024])))),
    "sparse noise": lambda rng: (rng.random((200, 400)) < 0.03) * 1.0,
}


# Maps: two axes that are no picture's


def excitation_emission(rng: Random) -> Map:
    height, width = [(15, 20), (24, 30), (40, 25)][rng.integers(3)]
    a, b = np.arange(height)[:, None] / height, np.arange(width) / width
    parts = np.stack(
        [
            np.exp(-(((a - p) / 0.15) ** 2) - ((b - q) / 0.12) ** 2)
            for p, q in ((0.2, 0.3), (0.4, 0.55), (0.7, 0.7))
        ]
    )
    samples = np.tensordot(rng.lognormal(0, 0.6, (100, 3)), parts, 1)
    return samples + 0.005 * rng.normal(size=samples.shape), (height, width)


def field(rng: Random) -> Map:
    """A Gaussian field, as smooth along lines as across."""
    height, width = [(20, 30), (16, 16), (48, 36), (10, 12)][rng.integers(4)]
    reach = rng.uniform(1, 3)
    noise = rng.normal(size=(200, height + 24, width + 24))
    return ndimage.gaussian_filter(noise, (0, reach, reach))[:, 12:-12, 12:-12], (height, width)


def few_fields(rng: Random) -> Map:
    samples, shape = field(rng)
    return samples[: int(rng.integers(16, 60))], shape


def spectrogram(rng: Random) -> Map:
    height, width = [(40, 50), (32, 32), (13, 40)][rng.integers(3)]
    power = rng.normal(size=(120, height + 8, width + 20)) ** 2
    return np.log(ndimage.gaussian_filter(power, (0, 1.2, 2.5))[:, 4:-4, 10:-10]), (height, width)


def bursts(rng: Random) -> Map:
    """A line of sensors over time."""
    height, width = [(32, 32), (24, 48)][rng.integers(2)]
    wide = rng.normal(size=(2, 150, height + 40, width + 40))
    smooth = ndimage.gaussian_filter(wide[0], (0, 2, 2))
    strong = np.exp(6 * ndimage.gaussian_filter(wide[1], (0, 5, 5)))
    return (smooth * strong)[:, 20:-20, 20:-20], (height, width)


def gathers(rng: Random) -> Map:
    """Seismic waves that pass a line of sensors."""
    height, width = [(32, 32), (24, 48)][rng.integers(2)]
    moment = rng.uniform(0, width, (150, 4, 1, 1))
    speed = rng.uniform(0.3, 1.2, (150, 4, 1, 1))
    source = rng.uniform(0, height, (150, 4, 1, 1))
    late = np.arange(width) - moment - speed * np.abs(np.arange(height)[:, None] - source)
    arrivals = ((1 - (late / 2) ** 2) * np.exp(-((late / 2.5) ** 2))).sum(axis=1)
    return arrivals + 0.1 * rng.normal(size=arrivals.shape), (height, width)


def mapped_sources(rng: Random) -> Map:
    channels = mixed_sources(rng)
    return channels, (channels.shape[1], channels.shape[2])


def day_shape(rng: Random) -> Shape:
    return [(7, 24), (14, 24), (28, 24), (10, 48), (24, 24), (7, 96)][rng.integers(6)]


def load_by_hour(rng: Random) -> Map:
    n_days, n_hours = day_shape(rng)
    clock = np.arange(n_hours) / n_hours
    usual = np.exp(-(((clock - 0.33) / 0.06) ** 2)) + 1.5 * np.exp(-(((clock - 0.8) / 0.1) ** 2))
    scale = rng.lognormal(0, 0.4, (150, 1, 1)) * rng.lognormal(0, 0.2, (150, n_days, 1))
    drift = smoothed(rng, 150, n_days * n_hours, 2).reshape(150, n_days, n_hours)
    return usual * scale + 0.1 * drift, (n_days, n_hours)


def sun_by_hour(rng: Random) -> Map:
    n_days, n_hours = day_shape(rng)
    clock = np.arange(n_hours) / n_hours
    clear = np.clip(np.sin(2 * np.pi * (clock - 0.25)), 0, None)
    clouds = np.clip(0.7 + 0.3 * smoothed(rng, 150, n_days, 1), 0.05, 1)[..., None]
    flicker = smoothed(rng, 150 * n_days, n_hours, 1).reshape(150, n_days, n_hours)
    return clear * clouds * (1 + 0.1 * flicker), (n_days, n_hours)


def warmth_by_hour(rng: Random) -> Map:
    n_days, n_hours = day_shape(rng)
    clock = np.arange(n_hours) / n_hours
    weather = smoothed(rng, 150, n_days * n_hours, 40).reshape(150, n_days, n_hours)
    daily = np.sin(2 * np.pi * (clock - 0.4)) * rng.lognormal(0, 0.3, (150, n_days, 1))
    return weather + daily, (n_days, n_hours)


def correlation_matrices(rng: Random) -> Map:
    side = int(rng.choice([16, 30, 45]))
    signals = ndimage.gaussian_filter1d(rng.normal(size=(100, side, 60)), 2, axis=1)
    return np.stack([np.corrcoef(channels) for channels in signals]), (side, side)


def plates(rng: Random) -> Map:
    """384 wells whose edges dry out."""
    row, column = np.mgrid[:16, :24]
    edge = np.minimum.reduce([row, 15 - row, column, 23 - column]) == 0
    dried = edge * rng.lognormal(0, 0.4, (80, 1, 1))
    tilt = 0.05 * column * rng.normal(size=(80, 1, 1))
    return rng.normal(size=(80, 16, 24)) - 0.8 * dried + tilt, (16, 24)


def cosine_transform(rng: Random) -> Map:
    from scipy.fft import dctn

    chosen = faces((32, 32))[rng.permutation(180)]
    return dctn(chosen, norm="ortho", axes=(1, 2)), (32, 32)


def kinetics(rng: Random) -> Map:
    """Sensors × concentrations × times: lines that come in blocks."""
    levels = rng.lognormal(0, 1, (64, 12, 1, 1)) * np.linspace(0.2, 1, 10)[:, None]
    rates = rng.uniform(0.02, 0.2, (64, 12, 1, 1))
    curves = levels * (1 - np.exp(-rates * np.arange(60)))
    curves = curves + 0.01 * rng.normal(size=curves.shape)
    return curves.reshape(64, 120, 60), (120, 60)


def joint_histogram(rng: Random) -> Map:
    """Counts of pairs of grey levels side by side."""
    grid = np.linspace(0, 1, 17)
    counts = [
        np.histogram2d(face[:, :-1].ravel(), face[:, 1:].ravel(), (grid, grid))[0]
        for face in faces((32, 32))[rng.permutation(180)]
    ]
    return np.stack(counts), (16, 16)


MAPS: dict[str, Callable[[Random], Map]] = {
    "excitation by emission": excitation_emission,
    "Gaussian fields": field,
    "few Gaussian fields": few_fields,
    "spectrograms": spectrogram,
    "sensors in a line": bursts,
    "seismic gathers": gathers,
    "EEG smooth over neighbours": mapped_sources,
    "load by day and hour": load_by_hour,
    "sun by day and hour": sun_by_hour,
    "warmth by day and hour": warmth_by_hour,
    "correlation matrices": correlation_matrices,
    "384-well plates": plates,
    "cosine transforms of faces": cosine_transform,
    "kinetics": kinetics,
    "histograms of pairs": joint_histogram,
}


def other_cases(name: str) -> Iterator[Case]:
    """The cases of one kind of `NOT_PICTURES` or `MAPS`, one a seed."""
    for seed in SEEDS:
        rng = generator(name, seed)
        if name in NOT_PICTURES:
            yield Case(f"{name}, seed {seed}", NOT_PICTURES[name](rng))
        else:
            samples, shape = MAPS[name](rng)
            yield Case(f"{name}, seed {seed}", samples.reshape(len(samples), -1), stored=shape)


def main() -> None:
    """Print the table, and each case that is not sure and right."""
    counts: Counter[tuple[str, str, bool]] = Counter()
    groups = [
        ("pictures", pictures()),
        ("not pictures", (case for name in NOT_PICTURES for case in other_cases(name))),
        ("maps", (case for name in MAPS for case in other_cases(name))),
    ]
    for group, cases in groups:
        for case in cases:
            reading = read_matrix(case.matrix)
            right = holds(case, reading)
            counts[group, reading.confidence, right] += 1
            if reading.confidence != "sure" or not right:
                print(group, "|", case.name, "|", right, "|", reading.evidence)
    for (group, confidence, right), count in sorted(counts.items()):
        print(f"{group:14}{confidence:10}{'right' if right else 'wrong':8}{count:5}")


if __name__ == "__main__":
    main()

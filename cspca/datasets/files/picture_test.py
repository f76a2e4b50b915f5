"""Is a matrix a set of flattened pictures, how do they lie in it, and how sure is that?

The test speaks of numbers alone; names and marks of a file come before it. It works on residuals:
each place (column of the matrix) less its mean, over its spread, so that brightness, units and a
fixed pattern do not count, only what varies together. Every length that divides a sample into
five or more lines of five or more numbers is a candidate. Lines of a picture lie under each other:
numbers one line apart are more alike than those half a line nearer or further (the *dip*). The two
lengths of least dip are laid out as lines under each other, and fourteen signs are measured there.

- All signs pass: pictures, **sure**, which means that lines lie under each other on a grid. That
  holds of maps with two axes too (excitation × emission), which are drawn right as they lie.
- At most three are missed (two where samples lie in columns), with a plain dip and likeness in
  both directions: **ask**.
- No grid fits, or samples are curves: not pictures, **sure**. Anything else: **default**.

Limits, each with the worst picture that passed and what it keeps out. They were set on 159 variants
of picture sets, 474 kinds of other tables and 117 maps, and held on 185 more that were kept aside:
none of them was sure and wrong. *Likeness* is a mean correlation of residuals.

==================  =======================  ======================  ===========================
sign                sure                     worst picture           kept out
==================  =======================  ======================  ===========================
samples             `SURE_SAMPLES` or more   16                      chance
shorter side        `SURE_SIDE` or more      8                       months × years
ratio               `SURE_RATIO` at most     2.04                    12 leads × 100 moments
dip                 `SURE_DIP` at most       digits + noise 0.76     curves, genes 0.90 and more
best lag            the length itself        –                       Hankel, drift, band-limited
alike               `SURE_CONTRAST` or more  binary digits 0.20      landmarks, one-hot: 0.03
fall                `SURE_FALL` or more      printed page 0.39       fringes, drift: 0.00 to 0.16
isotropy            `SURE_ISOTROPY` at most  moon 1.96               spectrograms 4, montages 8
break               `SURE_BREAK` or more     colour faces 1.57       signals 0.9 to 1.1
slant               `SURE_SLANT` or more     just over 12            day × hour: 5; pulses 8.1
steady              `SURE_STEADY` at most    parts of faces 1.01     triangles 2.3, products 6.8
tiles               `SURE_TILES` at most     faces 1.47              kinetic tensor 6.8
diagonal            `DIAGONAL_EXCESS`        –                       Hankel, correlations
symmetric           no                       –                       correlation matrices
==================  =======================  ======================  ===========================

Two do most: the length must be the best of *all* lags, and slant, which neither a product of two
profiles nor a signal that runs alike in both directions of time has.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Shape = tuple[int, int]
Answer = Literal["pictures", "planes", "interleaved", "not pictures"]
Confidence = Literal["sure", "ask", "default"]
Side = Literal["rows", "columns"]
Order = Literal["row", "column"]
Untested = Literal["no sides", "no samples", "one sample", "nothing varies", "too large"]
Sign = Literal[
    "samples", "shorter side", "ratio", "dip", "best lag", "alike", "fall", "isotropy", "break",
    "slant", "steady", "tiles", "diagonal", "symmetric",
]  # fmt: skip

# What all must pass to be sure: see the table above.
SURE_SAMPLES, SURE_SIDE, SURE_RATIO = 16, 7, 4.0
SURE_DIP, SURE_CONTRAST, SURE_FALL, SURE_ISOTROPY = 0.78, 0.18, 0.30, 2.5
SURE_BREAK, SURE_STEADY, SURE_TILES, DIAGONAL_EXCESS = 1.5, 1.12, 2.0, 0.01
# Slant in standard errors and as a correlation; or crossing, where lines break by so much.
SURE_SLANT, SLANT_SIZE, CROSSING, CROSSING_BREAK = 12.0, 0.05, 0.08, 2.0

# What is worth a question: a dip, likeness in both directions, and so many signs missed at most.
ASK_DIP, ASK_CONTRAST = 0.90, 0.10
ASK_MISSED: dict[Side, int] = {"rows": 3, "columns": 2}
CURVE_LIKENESS = 0.50  # curves: numbers that follow each other are so alike, and there is no dip

# Channels of a pixel against their neighbours: colours 2.7 and more, grey 1.0 at most. Planes that
# break are sure from 1.03 on (colours 3.5 to 10⁷ times, grey 0.6 to 1.5 before breaks count).
CHANNEL_RATIO, PLANE_RATIO, PLANE_BREAK = 1.5, 1.03, 2.0
# Unlikeness of the mean picture and its mirror image: faces 0.07 one way and 0.87 the other. Above
# 1.0 lies a gradient, which is no symmetry.
UPRIGHT, NOT_MIRRORED = 0.09, (0.45, 1.0)

LEAST_SIDE = 5
# Samples that are looked at, evenly spaced, and their numbers together; of large samples at least
# so many, and of those over VERY_LARGE what a sure answer needs. Nothing over LONGEST is tested.
MOST_SAMPLES, MOST_NUMBERS, SAMPLES_OF_LARGE = 512, 1_000_000, 32
FIRST_SAMPLES = 96
VERY_LARGE, LONGEST = 1 << 17, 1 << 20
PART = 1 << 20  # numbers that are worked on at once
# A place is constant if its spread is less, relative to the greatest and to its own mean.
CONSTANT, ROUNDING = 1e-5, 1e-14
TINY = 1e-9


@dataclass(frozen=True, kw_only=True)
class PictureSigns:
    """What was measured of samples laid out as lines under each other.

    Attributes
    ----------
    n_samples : int
        Samples that were looked at.
    shape : (int, int)
        Lines, and numbers in a line.
    dip : float
        Unlikeness of numbers one line apart over that half a line nearer or further.
    best_lag : int
        Distance of the least dip, of all distances from 3 to two thirds of a sample.
    adjacent : float
        Correlation of numbers that follow each other in a sample.
    right, down : float
        Correlation of neighbours along lines, and from line to line.
    far, far_right, far_down : float
        The same half a picture away: in both directions, along lines, from line to line.
    diagonal : float
        Correlation of diagonal neighbours, the larger of both diagonals.
    larger, smaller, less_alike : float
        Step from the end of a line to the next, compared with the steps beside it: how many times
        it is larger, smaller (infinite where nothing changes) and less alike.
    slant, slant_size : float
        Whether one diagonal of blocks of 2 × 2 is more alike than the other: in standard errors,
        and as a correlation.
    crossing : float
        Correlation of the steepness downwards with that to the right.
    steady : float
        Dip in the worse half of the samples' numbers over the best dip around it.
    tiles : float
        Step from one block of lines to the next over those beside it, for the worst block.
    symmetric : bool
        Whether each sample is its own transpose.
    """

    n_samples: int
    shape: Shape
    dip: float
    best_lag: int
    adjacent: float
    right: float
    down: float
    far: float
    far_right: float
    far_down: float
    diagonal: float
    larger: float
    smaller: float
    less_alike: float
    slant: float
    slant_size: float
    crossing: float
    steady: float
    tiles: float
    symmetric: bool

    @property
    def contrast(self) -> float:
        """Likeness of neighbours above that of places far apart, in the worse direction."""
        return (min(self.right, self.down) - self.far) / max(TINY, 1 - self.far)

    @property
    def fall(self) -> float:
        """Share of that likeness which is gone half a picture away, in the worse direction."""
        return min(self._falls)

    @property
    def _falls(self) -> tuple[float, float]:
        """The share that is gone along lines, and from line to line."""
        along = (self.right - self.far_right) / max(TINY, self.right - self.far)
        across = (self.down - self.far_down) / max(TINY, self.down - self.far)
        return along, across

    @property
    def isotropy(self) -> float:
        """Unlikeness of neighbours in the worse direction over that in the better one."""
        least, most = sorted((self.right, self.down))
        return max(TINY, 1 - least) / max(TINY, 1 - most)

    @property
    def ratio(self) -> float:
        """Longer side over the shorter."""
        return max(self.shape) / min(self.shape)

    @property
    def line_break(self) -> float:
        """How plainly lines break where they end."""
        return max(self.larger, self.smaller, self.less_alike)

    @property
    def missed(self) -> tuple[Sign, ...]:
        """The signs that keep this from being sure."""
        slanted = self.slant > SURE_SLANT and self.slant_size > SLANT_SIZE
        crossed = self.crossing > CROSSING and self.larger >= CROSSING_BREAK
        passed: dict[Sign, bool] = {
            "samples": self.n_samples >= SURE_SAMPLES,
            "shorter side": min(self.shape) >= SURE_SIDE,
            "ratio": self.ratio <= SURE_RATIO,
            "dip": self.dip <= SURE_DIP,
            "best lag": self.best_lag == self.shape[1],
            "alike": self.contrast >= SURE_CONTRAST,
            "fall": self.fall >= SURE_FALL,
            "isotropy": self.isotropy <= SURE_ISOTROPY,
            "break": self.line_break >= SURE_BREAK,
            "slant": slanted or crossed,
            "steady": self.steady <= SURE_STEADY,
            "tiles": self.tiles <= SURE_TILES,
            "diagonal": self.diagonal <= max(self.right, self.down) + DIAGONAL_EXCESS,
            "symmetric": not self.symmetric,
        }
        return tuple(sign for sign, holds in passed.items() if not holds)

    @property
    def doubts(self) -> tuple[str, ...]:
        """What speaks against pictures, a clause for each sign that was missed."""
        shorter, longer = sorted(self.shape)
        clauses: dict[Sign, str] = {
            "samples": f"there are fewer than {SURE_SAMPLES} samples ({self.n_samples})",
            "shorter side": f"one side has only {shorter} numbers",
            "ratio": f"the sides, {longer} and {shorter}, are further apart than"
            f" {SURE_RATIO:.0f} : 1",
            "dip": f"numbers a line apart differ {self.dip:.2f} times as much as those half a line"
            " nearer or further",
            "best lag": f"numbers {self.best_lag} apart stand out more than those a line apart",
            "alike": "neighbours are not clearly more alike"
            f" ({min(self.right, self.down):.2f}) than places far apart ({self.far:.2f})",
            "fall": self._flatness(),
            "isotropy": f"numbers differ {self.isotropy:.1f} times as much in one direction as in"
            " the other",
            "break": f"lines hardly break where they end (by a factor of {self.line_break:.1f})",
            "slant": f"shapes hardly run aslant (by {self.slant:.1f} standard errors, a"
            f" correlation of {self.slant_size:.2f})",
            "steady": f"another length fits a half of the numbers better ({self.steady:.2f} times)",
            "tiles": f"lines come in blocks (steps between them are {self.tiles:.1f} times as"
            " large)",
            "diagonal": f"numbers are more alike along a diagonal ({self.diagonal:.2f})",
            "symmetric": "each sample is its own mirror image across the diagonal",
        }
        return tuple(clauses[sign] for sign in self.missed)

    def _flatness(self) -> str:
        """In which direction likeness falls too little, as a clause."""
        along, across = self._falls
        if along < across:
            return (
                f"likeness hardly falls along lines (from {self.right:.2f} to"
                f" {self.far_right:.2f} half a line away)"
            )
        return (
            f"likeness hardly falls from line to line (from {self.down:.2f} to"
            f" {self.far_down:.2f} half of the lines away)"
        )


@dataclass(frozen=True, kw_only=True)
class PictureReading:
    """What a matrix holds: pictures, how they lie in it, and how sure that is.

    Attributes
    ----------
    answer : {"pictures", "planes", "interleaved", "not pictures"}
        Grey pictures, colours one plane after the other, colours pixel by pixel, or none of them.
    confidence : {"sure", "ask", "default"}
        Whether to act on the answer, to ask with this answer first, or to keep columns as they lie.
    samples : {"rows", "columns"}
        Where the samples lie.
    n_numbers : int
        Numbers in a sample.
    stored : (int, int) or None
        Lines, and numbers in a line, as they lie; for colours those of one channel. None for what
        is not pictures.
    channels : int, default 1
        Colours of a pixel.
    order : {"row", "column"} or None
        Whether lines are rows or columns of the upright picture, as the mirror image of the mean
        picture says; None if it does not.
    signs : PictureSigns or None
        What was measured; None where nothing could be.
    untested : str or None
        Why nothing could be measured: no two sides are long enough, there are no samples or only
        one, they are all the same, or they are too large.
    """

    answer: Answer
    confidence: Confidence
    samples: Side
    n_numbers: int
    stored: Shape | None = None
    channels: int = 1
    order: Order | None = None
    signs: PictureSigns | None = None
    untested: Untested | None = None

    @property
    def missed(self) -> tuple[Sign, ...]:
        """The signs that keep this from being pictures for sure."""
        return self.signs.missed if self.signs else ()

    @property
    def evidence(self) -> str:
        """What speaks for the answer and against it, in one sentence for people."""
        sample = "row" if self.samples == "rows" else "column"
        if self.signs is None:
            return self._why_untested(sample)
        if self.answer == "not pictures":
            return self._no_lines(sample, self.signs)
        length = self.signs.shape[1]
        alike = (
            f"alike along lines of {length} (correlation {self.signs.right:.2f}) and from line to"
            f" line ({self.signs.down:.2f})"
        )
        where = {
            "pictures": f"In each {sample}, neighbouring numbers are {alike}",
            "planes": f"In each {sample}, {self.channels} planes of {math.prod(self.signs.shape)}"
            f" numbers follow each other, and in each plane neighbouring numbers are {alike}",
            "interleaved": f"In each {sample}, {self.channels} numbers belong to a pixel, and"
            f" numbers of neighbouring pixels are {alike}",
        }[self.answer]
        if self.confidence == "sure":
            return f"{where}, and lines break where they end."
        if not self.signs.missed:
            opposite = "columns" if sample == "row" else "rows"
            return f"{where}, but the same holds of the {opposite}."
        return f"{where}, but {_listed(self.signs.doubts)}."

    def _why_untested(self, sample: str) -> str:
        """Why nothing could be measured."""
        match self.untested:
            case "no sides":
                return (
                    f"A {sample} of this length ({self.n_numbers:,}) makes no picture whose sides"
                    f" have {LEAST_SIDE} numbers or more."
                )
            case "too large":
                return f"A {sample} has {self.n_numbers:,} numbers: too many to look for pictures."
            case "nothing varies":
                return (
                    f"The {sample}s that were looked at do not differ, so nothing shows how their"
                    " numbers lie."
                )
            case "one sample":
                return f"A single {sample} does not show which of its numbers vary together."
            case _:
                return f"There is no {sample} to look at."

    def _no_lines(self, sample: str, signs: PictureSigns) -> str:
        """Why what was measured is no picture."""
        if self.confidence == "sure":
            return (
                f"In each {sample}, numbers that follow each other are alike, as along a curve"
                f" (correlation {signs.adjacent:.2f}), and no length of a line repeats: for the"
                f" best, {signs.shape[1]}, numbers a line apart differ {signs.dip:.2f} times as"
                " much as those half a line nearer or further."
            )
        return (
            f"In each {sample}, lines of {signs.shape[1]} come nearest to a picture, but"
            f" {_listed(signs.doubts[:2])}."
        )


def read_matrix(matrix: NDArray[Any]) -> PictureReading:
    """Read a matrix whose samples may lie in rows or in columns.

    Parameters
    ----------
    matrix : array of shape (n, d)
        Real numbers of any kind; what is not finite counts as 0. At most 512 samples are looked
        at, and nothing is copied but these.

    Returns
    -------
    PictureReading
        Of the side that holds pictures; of the rows if neither does. Both sides sure: ask.

    Raises
    ------
    ValueError
        If `matrix` does not have two dimensions.
    """
    return likelier_side(read_rows(matrix), read_columns(matrix))


def likelier_side(rows: PictureReading, columns: PictureReading) -> PictureReading:
    """Return which of the readings of both sides of a matrix is that of pictures, as `read_matrix`.

    The rows where neither is; both sides sure: ask.
    """
    if _is_sure_of_pictures(rows) and _is_sure_of_pictures(columns):
        return replace(rows, confidence="ask")
    if _is_sure_of_pictures(columns) or rows.answer == "not pictures" != columns.answer:
        return columns
    return rows


def is_curve(reading: PictureReading) -> bool:
    """Whether numbers that follow each other in a sample are alike for sure, as along a curve."""
    return (
        reading.answer == "not pictures"
        and reading.confidence == "sure"
        and reading.signs is not None
        and reading.signs.adjacent >= CURVE_LIKENESS
    )


def read_rows(matrix: NDArray[Any]) -> PictureReading:
    """Read the rows of a matrix as samples: see `read_matrix`."""
    return _read_in_two_looks(_matrix(matrix), "rows")


def read_columns(matrix: NDArray[Any]) -> PictureReading:
    """Read the columns of a matrix as samples: see `read_matrix`."""
    return _read_in_two_looks(_matrix(matrix).T, "columns")


def _read_in_two_looks(matrix: NDArray[Any], side: Side) -> PictureReading:
    """Look at a few samples first: where these are pictures for sure, more would not be surer."""
    if len(matrix) > 2 * FIRST_SAMPLES:
        reading = _read_side(matrix[:: len(matrix) // FIRST_SAMPLES], side)
        if _is_sure_of_pictures(reading):
            return reading
    return _read_side(matrix, side)


def _matrix(matrix: NDArray[Any]) -> NDArray[Any]:
    """Return the matrix, if it is one."""
    if matrix.ndim != 2:
        raise ValueError(f"The array has {matrix.ndim} dimensions: give a matrix, which has two.")
    return matrix


def _is_sure_of_pictures(reading: PictureReading) -> bool:
    return reading.answer != "not pictures" and reading.confidence == "sure"


def _listed(clauses: tuple[str, ...]) -> str:
    """Clauses as a list in a sentence."""
    return ", and ".join(filter(None, (", ".join(clauses[:-1]), clauses[-1])))


# One side


@dataclass(frozen=True)
class _Layout:
    """How the channels of pictures lie in a sample."""

    answer: Literal["pictures", "planes", "interleaved"]
    channels: int

    def split(self, samples: Floats) -> Floats:
        """Each channel as a sample of its own."""
        n_samples = len(samples)
        if self.answer == "planes":
            channels = samples.reshape(n_samples, self.channels, -1)
        else:
            channels = samples.reshape(n_samples, -1, self.channels).swapaxes(1, 2)
        return channels.reshape(n_samples * self.channels, -1)


_GREY = _Layout("pictures", 1)


@dataclass(frozen=True)
class _Residuals:
    """What varies from sample to sample.

    `centred` is each place less its mean, in units of the largest number; `scaled` the same over
    the spread of the place, 0 where it is constant; `varies` 1 or 0 for each place.
    """

    centred: Floats
    scaled: Floats
    varies: Floats
    mean: Floats

    def split(self, layout: _Layout) -> _Residuals:
        """The channels as samples of their own; a place varies if it does in all of them."""
        varies = layout.split(self.varies[None]).min(axis=0)
        return _Residuals(
            centred=layout.split(self.centred),
            scaled=layout.split(self.scaled) * varies,
            varies=varies,
            mean=layout.split(self.mean[None]).mean(axis=0),
        )


@dataclass(frozen=True)
class _Fit:
    """The best lines for one layout: signs, likeness at all lags, lengths that were laid out."""

    signs: PictureSigns
    likeness: Floats
    lengths: tuple[int, ...]


def _read_side(matrix: NDArray[Any], side: Side) -> PictureReading:
    """Read the rows of a matrix, which may be a transposed view, as samples."""
    n_numbers = matrix.shape[1]
    if not _line_lengths(n_numbers):
        return _not_tested("no sides", side, n_numbers)
    if n_numbers > LONGEST:
        return _not_tested("too large", side, n_numbers)
    if len(matrix) < 2:
        return _not_tested("one sample" if len(matrix) else "no samples", side, n_numbers)
    residuals = _residuals(matrix)
    if not residuals.varies.any():
        return _not_tested("nothing varies", side, n_numbers)
    grey = _fit_lines(residuals, _GREY.channels)
    fits = {_GREY: grey}
    for layout in _colour_layouts(residuals, grey):
        fits[layout] = _fit_lines(residuals.split(layout), layout.channels)
    # Of layouts that miss equally many signs, the last colours come first, and grey last.
    preference = [*reversed([layout for layout in fits if layout != _GREY]), _GREY]
    best = min(preference, key=lambda layout: len(fits[layout].signs.missed))
    signs = replace(fits[best].signs, adjacent=grey.signs.adjacent)
    worth_asking = (
        signs.dip < ASK_DIP
        and signs.contrast > ASK_CONTRAST
        and len(signs.missed) <= ASK_MISSED[side]
    )
    if worth_asking or not signs.missed:
        mean_picture = best.split(residuals.mean[None]).mean(axis=0).reshape(signs.shape)
        return PictureReading(
            answer=best.answer,
            confidence="ask" if signs.missed else "sure",
            samples=side,
            n_numbers=n_numbers,
            stored=signs.shape,
            channels=best.channels,
            order=_upright_order(mean_picture),
            signs=signs,
        )
    is_curve = (
        grey.signs.adjacent > CURVE_LIKENESS
        and signs.dip > ASK_DIP
        and signs.n_samples >= SURE_SAMPLES
    )
    return PictureReading(
        answer="not pictures",
        confidence="sure" if is_curve else "default",
        samples=side,
        n_numbers=n_numbers,
        signs=signs,
    )


def _not_tested(reason: Untested, side: Side, n_numbers: int) -> PictureReading:
    """No pictures, for sure where their length allows of none."""
    return PictureReading(
        answer="not pictures",
        confidence="sure" if reason == "no sides" else "default",
        samples=side,
        n_numbers=n_numbers,
        untested=reason,
    )


def _residuals(matrix: NDArray[Any]) -> _Residuals:
    """Residuals of some evenly spaced rows: the only numbers that are copied."""
    n_samples, n_numbers = matrix.shape
    fewest = SURE_SAMPLES if n_numbers > VERY_LARGE else SAMPLES_OF_LARGE
    most = max(fewest, min(MOST_SAMPLES, MOST_NUMBERS // n_numbers))
    chosen = np.unique(np.linspace(0, n_samples - 1, min(n_samples, most)).astype(int))
    with np.errstate(over="ignore"):  # what is too large for double precision is not finite
        centred = np.array(matrix[chosen], dtype=np.float64)
    np.nan_to_num(centred, copy=False, posinf=0, neginf=0)
    centred /= max(1e-300, float(np.abs(centred).max(initial=0)))
    mean = centred.mean(axis=0)
    spread = centred.std(axis=0)
    centred -= mean
    varies = spread > CONSTANT * max(1e-300, float(spread.max()))
    varies &= spread > ROUNDING * np.abs(mean)
    scaled = centred / np.where(varies, spread, 1)
    scaled[:, ~varies] = 0
    return _Residuals(centred, scaled, varies.astype(np.float64), mean)


def _line_lengths(n_numbers: int) -> list[int]:
    """Lengths that divide a sample into enough lines that are long enough."""
    sides = range(LEAST_SIDE, math.isqrt(n_numbers) + 1)
    shorter = [side for side in sides if n_numbers % side == 0]
    return sorted({*shorter, *(n_numbers // side for side in shorter)})


def _fit_lines(residuals: _Residuals, channels: int) -> _Fit:
    """Lay samples out by the two lengths of least dip; return the one that misses fewer signs."""
    n_numbers = residuals.scaled.shape[1]
    likeness = _correlogram(residuals.scaled, residuals.varies)
    lags = np.arange(3, max(4, n_numbers * 2 // 3))
    best_lag = int(lags[np.argmin(_dips(likeness, lags))])
    lengths = np.array(_line_lengths(n_numbers))
    nearest = lengths[np.argsort(_dips(likeness, lengths))][:2]
    halves: dict[int, tuple[Floats, Floats]] = {}
    candidates = []
    for length in nearest.tolist():
        middle = n_numbers // length // 2 * length
        if middle not in halves:
            halves[middle] = (
                _correlogram(residuals.scaled[:, :middle], residuals.varies[:middle]),
                _correlogram(residuals.scaled[:, middle:], residuals.varies[middle:]),
            )
        candidates.append(
            _signs(
                residuals,
                length,
                likeness=likeness,
                best_lag=best_lag,
                channels=channels,
                steady=_steady(halves[middle], length),
            )
        )
    signs = min(candidates, key=lambda candidate: (len(candidate.missed), candidate.dip))
    return _Fit(signs, likeness, tuple(nearest.tolist()))


# What is measured


def _correlogram(scaled: Floats, varies: Floats) -> Floats:
    """Mean correlation of places k apart, for all k, by Fourier transform."""
    n_samples, n_numbers = scaled.shape
    size = 1 << (2 * n_numbers - 1).bit_length()
    power = np.zeros(size // 2 + 1)
    for part in _parts(scaled):
        spectrum = np.fft.rfft(part, size, axis=1)
        power += np.einsum("ij,ij->j", spectrum.real, spectrum.real)
        power += np.einsum("ij,ij->j", spectrum.imag, spectrum.imag)
    n_pairs = np.fft.irfft(np.square(np.abs(np.fft.rfft(varies, size))), size)[:n_numbers]
    products = np.fft.irfft(power, size)[:n_numbers]
    return np.where(n_pairs > 0.5, products / np.maximum(n_pairs, 1) / n_samples, 0)


def _parts(samples: Floats) -> list[Floats]:
    """The samples in parts that are small enough to work on at once: views."""
    return np.array_split(samples, min(len(samples), 1 + samples.size // PART))


def _dips(likeness: Floats, lags: NDArray[np.int_]) -> Floats:
    """Unlikeness at each lag over that half a lag away: low where lines repeat."""
    nearer, further = lags - lags // 2, np.minimum(lags + lags // 2, len(likeness) - 1)
    beside = np.maximum(likeness[nearer], likeness[further])
    dips: Floats = (1 - likeness[lags]) / np.maximum(TINY, 1 - beside)
    return dips


def _likeness(grids: Floats, varies: Floats, down: int, right: int) -> float:
    """Mean correlation of places so far apart within a picture, never across its edge."""
    height, width = varies.shape
    places = slice(0, height - down), slice(max(0, -right), width - max(0, right))
    others = slice(down, None), slice(max(0, right), width + min(0, right))
    n_pairs = np.vdot(varies[places], varies[others])
    if n_pairs == 0:
        return 0.0
    products = np.einsum("ijk,ijk->", grids[:, *places], grids[:, *others])
    return float(products / len(grids) / n_pairs)


def _steps_at_ends(centred: Floats, grids: Floats, varies: Floats) -> tuple[float, float, float]:
    """Step from a line to the next against those beside it: larger, smaller, less alike."""
    height = len(varies)
    squares = np.zeros(centred.shape[1] - 1)
    for part in _parts(centred):
        differences = np.diff(part, axis=1)
        squares += np.einsum("ij,ij->j", differences, differences)
    squares /= len(centred)
    # The steps within lines in columns of their own, those to the next line in the last.
    by_place = np.append(squares, np.nan).reshape(varies.shape)
    steps = np.append(by_place[:, :-1].mean(axis=0), by_place[:-1, -1].mean())
    beside = float(steps[[0, 1, -3, -2]].mean())
    at_end = float(steps[-1])
    least = 1e-6 * float(np.median(steps))
    n_pairs = float(varies[:-1, -1] @ varies[1:, 0])
    border_is_constant = n_pairs < 0.5 * (height - 1)
    if border_is_constant:
        across = 1.0
    else:
        across = float(np.einsum("ij,ij->", grids[:, :-1, -1], grids[:, 1:, 0]))
        across /= len(grids) * n_pairs
    first, last = slice(0, 3), slice(-3, None)
    along = min(_likeness(grids[:, :, part], varies[:, part], 0, 1) for part in (first, last))
    larger = at_end / beside if beside > least else 0.0
    smaller = math.inf if border_is_constant or at_end <= least else beside / at_end
    return larger, smaller, (1 - across) / max(TINY, 1 - along)


def _line_steps(scaled: Floats, length: int) -> Floats:
    """Mean square of the step from each line to the next."""
    squares = np.zeros(scaled.shape[1] - length)
    for part in _parts(scaled):
        steps = part[:, length:] - part[:, :-length]
        squares += np.einsum("ij,ij->j", steps, steps)
    means: Floats = squares.reshape(-1, length).mean(axis=1) / len(scaled)
    return means


def _block_step(steps: Floats, block: int) -> float:
    """How much larger the step from one block of lines to the next is than those beside it."""
    ends = np.arange(block - 1, len(steps), block)
    beside = np.concatenate([ends - 1, ends + 1])
    beside = beside[beside < len(steps)]
    return float(steps[ends].mean() / max(TINY, float(steps[beside].mean())))


def _steady(halves: tuple[Floats, Floats], length: int) -> float:
    """Are lines as long in both halves? Dip in the worse one, over the best dip around it."""
    near = np.arange(length - length // 3, length + length // 3 + 1)
    ratios = []
    for likeness in halves:
        dips = _dips(likeness, near)
        ratios.append(float(dips[near == length][0] / max(TINY, dips[near != length].min())))
    return max(ratios)


def _slant(grids: Floats, varies: Floats) -> tuple[float, float]:
    """Is one diagonal of blocks of 2 × 2 more alike than the other?

    Returns the mean square of that over pairs of samples in standard errors, from random signs of
    the samples, and its root as a correlation. Pairs of a sample with itself do not count.
    """
    n_samples = len(grids)
    moving = varies[:-1, :-1] * varies[1:, 1:] * varies[:-1, 1:] * varies[1:, :-1] > 0
    products = np.zeros((n_samples, n_samples))
    n_parts = min(len(moving), 1 + grids.size // PART)
    for lines in np.array_split(np.arange(len(moving)), n_parts):
        here, below = slice(lines[0], lines[-1] + 1), slice(lines[0] + 1, lines[-1] + 2)
        slants = grids[:, here, :-1] * grids[:, below, 1:]
        slants -= grids[:, here, 1:] * grids[:, below, :-1]
        slants = slants.reshape(n_samples, -1)
        if not moving[here].all():
            slants = slants[:, moving[here].ravel()]
        products += slants @ slants.T
    np.fill_diagonal(products, 0)
    total = float(products.sum())
    size = total / max(1, n_samples * (n_samples - 1) * int(moving.sum()))
    errors = total / math.sqrt(2 * float(np.vdot(products, products)) + 1e-300)
    return errors, math.sqrt(max(0.0, size))


def _crossing(grids: Floats) -> float:
    """Are places steep downwards steep to the right too? Correlation over places and samples.

    Steepness counts as far as it differs from that of the sample and from that of the place.
    """
    n_samples, height, width = grids.shape
    n_places = (height - 1) * (width - 1)
    by_sample = np.zeros((2, n_samples))
    by_place = np.zeros((2, n_places))
    products = np.zeros((2, 2))
    first = 0
    for part in _parts(grids):
        falling = (part[:, 1:, 1:] - part[:, :-1, :-1]).reshape(len(part), -1)
        rising = (part[:, 1:, :-1] - part[:, :-1, 1:]).reshape(len(part), -1)
        slopes = np.abs(falling + rising), np.abs(falling - rising)
        for i, slope in enumerate(slopes):
            by_sample[i, first : first + len(part)] = slope.sum(axis=1)
            by_place[i] += slope.sum(axis=0)
            for k in range(i + 1):
                products[i, k] += np.vdot(slope, slopes[k])
        first += len(part)
    products[0, 1] = products[1, 0]
    totals = by_sample.sum(axis=1)
    centred = products - by_sample @ by_sample.T / n_places - by_place @ by_place.T / n_samples
    centred += np.outer(totals, totals) / (n_samples * n_places)
    if min(np.diag(centred) - TINY * np.diag(products)) <= 0:
        return 0.0
    return float(centred[0, 1] / math.sqrt(centred[0, 0] * centred[1, 1]))


def _signs(
    residuals: _Residuals,
    length: int,
    *,
    likeness: Floats,
    best_lag: int,
    channels: int,
    steady: float,
) -> PictureSigns:
    """Measure samples as pictures whose lines are so long."""
    height, width = residuals.scaled.shape[1] // length, length
    grids = residuals.scaled.reshape(-1, height, width)
    varies = residuals.varies.reshape(height, width)
    half_down, half_right = height // 2, width // 2
    far = [
        _likeness(grids, varies, half_down, right)
        for right in (half_right, -half_right, width // 3)
    ]
    larger, smaller, less_alike = _steps_at_ends(residuals.centred, grids, varies)
    slant, slant_size = _slant(grids, varies)
    line_steps = _line_steps(residuals.scaled, length)
    blocks = [block for block in range(2, height // 3 + 1) if height % block == 0]
    return PictureSigns(
        n_samples=len(grids) // channels,
        shape=(height, width),
        dip=float(_dips(likeness, np.array([length]))[0]),
        best_lag=best_lag,
        adjacent=float(likeness[1]),
        right=_likeness(grids, varies, 0, 1),
        down=_likeness(grids, varies, 1, 0),
        far=sum(far) / len(far),
        far_right=_likeness(grids, varies, 0, half_right),
        far_down=_likeness(grids, varies, half_down, 0),
        diagonal=max(_likeness(grids, varies, 1, 1), _likeness(grids, varies, 1, -1)),
        larger=larger,
        smaller=smaller,
        less_alike=less_alike,
        slant=slant,
        slant_size=slant_size,
        crossing=_crossing(grids),
        steady=steady,
        tiles=max((_block_step(line_steps, block) for block in blocks), default=1.0),
        symmetric=_is_symmetric(grids),
    )


def _is_symmetric(grids: Floats) -> bool:
    """Is each sample its own transpose?"""
    if grids.shape[1] != grids.shape[2]:
        return False
    return all(np.allclose(grid, grid.T, atol=1e-6) for grid in grids)


# Colours and the way up


def _colour_layouts(residuals: _Residuals, grey: _Fit) -> tuple[_Layout, ...]:
    """The ways in which colours may lie: the channels of a pixel are more alike than others."""
    layouts: dict[_Layout, None] = {}
    for length in grey.lengths:
        for channels in (3, 4):
            if _are_planes(residuals.scaled, grey.likeness, length, channels):
                layouts[_Layout("planes", channels)] = None
            if _are_interleaved(residuals, length, channels):
                layouts[_Layout("interleaved", channels)] = None
    return tuple(layouts)


def _are_planes(scaled: Floats, likeness: Floats, length: int, channels: int) -> bool:
    """Are numbers a plane apart more alike than those a pixel further in any direction?"""
    n_numbers = scaled.shape[1]
    area = n_numbers // channels
    if n_numbers % (channels * length) or area // length < LEAST_SIDE:
        return False
    beside = max(likeness[area + lag] for lag in (-length, -1, 1, length))
    repeat = float(1 - beside) / max(TINY, 1 - float(likeness[area]))
    if repeat > CHANNEL_RATIO or repeat <= PLANE_RATIO:
        return repeat > CHANNEL_RATIO
    step = _block_step(_line_steps(scaled, length), area // length)
    return not 1 / PLANE_BREAK < step < PLANE_BREAK


def _are_interleaved(residuals: _Residuals, length: int, channels: int) -> bool:
    """Do steps from pixel to pixel stand out, or are numbers a pixel apart more alike?"""
    if length % channels or length // channels < LEAST_SIDE:
        return False
    varies = residuals.varies.reshape(-1, length)
    grids = residuals.scaled.reshape(-1, *varies.shape)
    n_pairs = np.maximum(1, (varies[:, 1:] * varies[:, :-1]).sum(axis=0))
    products = np.einsum("ijk,ijk->k", grids[:, :, 1:], grids[:, :, :-1]) / len(grids)
    unlike = 1 - products / n_pairs
    ends = np.arange(channels - 1, length - 1, channels)
    within = np.maximum(TINY, unlike[ends - 1] + unlike[ends + 1])
    if float(np.median(2 * unlike[ends] / within)) > CHANNEL_RATIO:
        return True
    adjacent = 1 - _likeness(grids, varies, 0, 1)
    return adjacent > CHANNEL_RATIO * (1 - _likeness(grids, varies, 0, channels))


def _upright_order(mean: Floats) -> Order | None:
    """`row` if the mean picture mirrors left to right alone, `column` if top to bottom alone."""
    centred = mean - mean.mean()
    power = float(np.vdot(centred, centred)) + 1e-300
    beside = 1 - float(np.vdot(centred, centred[:, ::-1])) / power
    above = 1 - float(np.vdot(centred, centred[::-1])) / power
    least, most = sorted((beside, above))
    if least >= UPRIGHT or not NOT_MIRRORED[0] < most < NOT_MIRRORED[1]:
        return None
    return "row" if beside < above else "column"

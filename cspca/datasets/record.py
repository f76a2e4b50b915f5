"""What a data set is to the rest of the library: pixels in [0, 1], labels, a shape, a recipe."""

from __future__ import annotations

import ast
import copy
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.axis import Axis
from cspca.datasets.nouns import PICTURE_NOUNS, Kind, Nouns, nouns_of
from cspca.datasets.steps import Change, Steps
from cspca.labels import UNLABELLED, nearly_one_each

if TYPE_CHECKING:
    from cspca.datasets.faces.truth import FacesTruth
    from cspca.datasets.truth import FeatureTruth

Floats = NDArray[np.floating[Any]]


class DatasetError(ValueError):
    """Data that cannot be used; the message is one sentence for the person who brought it."""


AXES: Final = ("x", "y", "z")


@dataclass(frozen=True, eq=False)
class Skeleton:
    """The joints behind a pose descriptor, for its names and for drawing.

    Parameters
    ----------
    joints : tuple of J str
        What they are called; the first is the root.
    bones : tuple of (int, int)
        Pairs of joints, counted from 0.
    pose : array (J, 3)
        The pose to draw: x to the right, y up, z towards the viewer, in any unit. Kept read-only.
    note : str
        What is guessed about it, in a sentence; empty when it is known.

    Raises
    ------
    ValueError
        If the parts do not fit together.
    """

    joints: tuple[str, ...]
    bones: tuple[tuple[int, int], ...]
    pose: Floats = field(repr=False)
    note: str = ""

    def __post_init__(self) -> None:
        pose = np.array(self.pose, dtype=np.float64)
        if pose.shape != (self.n_joints, 3) or not np.isfinite(pose).all():
            raise ValueError(
                f"The pose of {self.n_joints} joints has shape {pose.shape} or holes in it; give "
                "three finite coordinates a joint."
            )
        for first, second in self.bones:
            if first == second or not {first, second} <= set(range(self.n_joints)):
                raise ValueError(
                    f"There is no bone from joint {first} to joint {second}; name two of the "
                    f"{self.n_joints} joints, counted from 0."
                )
        pose.flags.writeable = False
        object.__setattr__(self, "pose", pose)

    @property
    def n_joints(self) -> int:
        """Number of joints, J."""
        return len(self.joints)

    @property
    def n_features(self) -> int:
        """Length of the descriptor: 3 J coordinates and J (J − 1) / 2 distances."""
        return 3 * self.n_joints + self.n_joints * (self.n_joints - 1) // 2

    @property
    def reading(self) -> str:
        """What the descriptor is, in words, for wherever it is shown."""
        return (
            f"{3 * self.n_joints} root-centred joint coordinates and "
            f"{self.n_features - 3 * self.n_joints} distances between joints, our own reading of "
            "the paper’s 168 variables"
        )

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """Name of every entry of the descriptor, such as ``left knee y``."""
        coordinates = [f"{joint} {axis}" for joint in self.joints for axis in AXES]
        distances = [
            f"distance {self.joints[first]} – {self.joints[second]}"
            for first, second in zip(*np.triu_indices(self.n_joints, k=1), strict=True)
        ]
        return (*coordinates, *distances)


@dataclass(frozen=True)
class Recipe:
    """One call of a function of `cspca.datasets`.

    Parameters
    ----------
    function : str
        Its name.
    arguments : tuple
        Positional ones; a `Recipe` among them is the data set that it makes.
    options : tuple of (name, value)
        Keyword arguments.
    bring : str
        What has to lie in the folder where the call is made, in words; empty for nothing.

    Examples
    --------
    >>> file = Recipe("load_file", ("ORL.mat",)).but(order="row")
    >>> print(Recipe("resized", (file, (16, 16))).source)
    resized(load_file('ORL.mat', order='row'), (16, 16))
    """

    function: str
    arguments: tuple[object, ...] = ()
    options: tuple[tuple[str, object], ...] = ()
    bring: str = ""

    def but(self, **options: object) -> Recipe:
        """Return the same call with these keyword arguments and no others."""
        return replace(self, options=tuple(options.items()))

    def then(self, function: str, *arguments: object, **options: object) -> Recipe:
        """Return the call of a function of `cspca.datasets` that is given this data set first."""
        return Recipe(function, (self, *arguments), tuple(options.items()), self.bring)

    @property
    def names(self) -> tuple[str, ...]:
        """What has to be imported from `cspca.datasets`, in alphabetical order."""
        return names_in(self.source)

    @property
    def source(self) -> str:
        """The call as Python source, on several lines where one would be long."""
        return self._written("")

    def _written(self, indent: str) -> str:
        inner = f"{indent}    "
        given = [("", one) for one in self.arguments]
        given += [(f"{name}=", value) for name, value in self.options]
        line = f"{self.function}({', '.join(label + _text(value, '') for label, value in given)})"
        if len(indent) + len(line) <= 88 or len(given) < 2:
            return line
        body = "".join(f"{inner}{label}{_text(value, inner)},\n" for label, value in given)
        return f"{self.function}(\n{body}{indent})"


def _text(value: object, indent: str) -> str:
    if isinstance(value, Recipe):
        return value._written(indent)
    text = repr(value)
    if not isinstance(value, dict) or not indent or len(indent) + len(text) <= 60:
        return text
    lines = "".join(f"{indent}    {key!r}: {item!r},\n" for key, item in value.items())
    return f"{{\n{lines}{indent}}}"


def names_in(source: str) -> tuple[str, ...]:
    """Names in an expression, in alphabetical order."""
    found = ast.walk(ast.parse(source, mode="eval"))
    return tuple(sorted({node.id for node in found if isinstance(node, ast.Name)}))


_LONGEST_NAME: Final = 40
"""Longest name of a sample in a sentence, in characters."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Images (or other samples) as rows, ready to analyse, and what is said of them.

    Parameters
    ----------
    data : array of shape (n_samples, n_features), float32 or float64
        Values in [0, 1]; ``data[i].reshape(image_shape)`` is the upright picture. Kept read-only.
    target : integer array of shape (n_samples,) or None
        Class of each sample, numbered from 0; −1 (`cspca.labels.UNLABELLED`) where it has no label.
        Samples without a label are fitted and clustered like the others, and left out of every
        score that rests on labels.
    image_shape : (height, width) or None
        None when a sample is not a picture.
    target_names : tuple of str or None
        Name of class 0, 1, …
    name, source, licence, description : str
        What it is called, where it comes from and on what terms.
    truth : FacesTruth, FeatureTruth or None
        What is known about every pixel of rendered faces, or every feature of a generated set.
    recognised : str
        One sentence that says what was read; made from the shape and the skeleton when empty.
    feature_names : tuple of str or None
        Name of feature 0, 1, …, such as the headers of a table.
    recipe : Recipe or None
        The Python that makes the same data again, where it is known.
    skeleton : Skeleton or None
        The joints behind pose descriptors (`motion_descriptor`).
    file_columns : sequence of int or None
        Column of its table or array, from 0, that each feature was; its row, of a table of text its
        line with that of the names, where samples are the columns. None where a feature was none by
        itself.
    sample_numbers : tuple of int or None
        Number of each sample, from 1, in the set before any was left out; None for 1, 2, 3, ….
    sample_names : tuple of str or None
        Name of sample 0, 1, …, such as a column of a table says it. No run saves them: they may be
        names of people.
    steps : Steps, optional
        How its values were made, with every number: `read_like` takes new samples the same way.
        Left out, its values are taken to be as they came.
    feature_noun : str
        What one named column is called, such as ``gene``; empty for a feature.

    Raises
    ------
    DatasetError
        If the parts do not fit together; the sentence says which.
    """

    data: Floats
    target: NDArray[np.int64] | None = None
    image_shape: tuple[int, int] | None = None
    target_names: tuple[str, ...] | None = None
    name: str = "data"
    source: str = ""
    licence: str = ""
    description: str = ""
    truth: FacesTruth | FeatureTruth | None = None
    recognised: str = ""
    feature_names: tuple[str, ...] | None = None
    recipe: Recipe | None = None
    skeleton: Skeleton | None = None
    file_columns: Sequence[int] | None = None
    sample_numbers: tuple[int, ...] | None = None
    sample_names: tuple[str, ...] | None = None
    steps: Steps = None  # type: ignore[assignment]  # made below, where it is left out
    feature_noun: str = ""

    def __post_init__(self) -> None:
        nouns = nouns_of(self.image_shape, None, self.feature_noun)
        data = _checked_data(self.data, self.name, nouns)
        # A frozen record is set through its namespace.
        own = vars(self)
        own["data"] = data
        if self.image_shape is not None:
            own["image_shape"] = checked_shape(self.image_shape, self.n_features, self.name)
        if self.target is not None:
            own["target"] = self._checked_target(self.target)
        for kind in ("target_names", "feature_names", "sample_names"):
            if own[kind] is not None:
                own[kind] = tuple(str(name) for name in own[kind])
        if self.sample_numbers is not None:
            own["sample_numbers"] = tuple(map(int, self.sample_numbers))
        self._check_names()
        if self.steps is None:
            own["steps"] = Steps.of_values(
                self.n_features, self.image_shape, self.feature_names, data.dtype.name
            )
        sentences = [f"{self.summary}."]
        if self.skeleton is not None:
            sentences.append(f"Features are {self.skeleton.reading}.")
        own["recognised"] = self.recognised or " ".join(sentences)

    def _check_names(self) -> None:
        names, features, skeleton = self.target_names, self.feature_names, self.skeleton
        columns = self.file_columns
        if columns is not None and len(columns) != self.n_features:
            raise DatasetError(
                f"{self.name}: there are {len(columns)} columns of the file for {self.n_features} "
                "features: give one a feature."
            )
        numbers = self.sample_numbers
        if numbers is not None and (len(numbers) != self.n_samples or not _rise(numbers)):
            raise DatasetError(
                f"{self.name}: the numbers of {self.nouns.samples} must be {self.n_samples:,} "
                f"whole numbers from 1 that rise: give one {self.nouns.a_sample}."
            )
        if self.sample_names is not None and len(self.sample_names) != self.n_samples:
            raise DatasetError(
                f"{self.name}: there are {len(self.sample_names)} names for {self.n_samples} "
                f"{self.nouns.samples}: give one name {self.nouns.a_sample}."
            )
        if names is not None and self.target is None:
            raise DatasetError(f"{self.name}: class names need labels: give target as well.")
        if names is not None and self.target is not None and len(names) <= self.target.max():
            raise DatasetError(
                f"{self.name}: there are {len(names)} class names for "
                f"{int(self.target.max()) + 1} classes: give one name a class."
            )
        if names is not None and len(set(names)) < len(names):
            repeated = next(name for name in names if names.count(name) > 1)
            raise DatasetError(
                f"{self.name}: {names.count(repeated)} classes are called “{repeated}”: give each "
                "class a name of its own."
            )
        if features is not None and len(features) != self.n_features:
            raise DatasetError(
                f"{self.name}: there are {len(features)} names for {self.n_features} features: "
                "give one name a feature."
            )
        if skeleton is not None and skeleton.n_features != self.n_features:
            raise DatasetError(
                f"{self.name}: {self.n_features} features do not describe poses of "
                f"{skeleton.n_joints} joints: give {skeleton.n_features}."
            )

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Pickling forgets that arrays are read-only.
        self.__dict__.update(state)
        self.data.flags.writeable = False
        if self.target is not None:
            self.target.flags.writeable = False

    def __repr__(self) -> str:
        return f"<Dataset {self.name!r}: {self.summary}>"

    def made_by(self, recipe: Recipe) -> Dataset:
        """Return the same data set, knowing the Python that makes it."""
        # Not `replace`: that would look through all the pixels again.
        same = copy.copy(self)
        vars(same)["recipe"] = recipe
        return same

    def prepared_by(self, preparation: str) -> Dataset:
        """Return the same data set, knowing in a sentence how its values were made or fetched."""
        same = copy.copy(self)
        vars(same)["steps"] = replace(self.steps, preparation=preparation)
        return same

    def rescaled_by(self, change: Change, function: str, **options: object) -> Dataset:
        """Return the set with its values on another scale, as `function` of the library makes it.

        `truth` and `skeleton`, which are of the values as they were, are not carried over.
        """
        return replace(
            self,
            data=np.clip(change.apply(self.data), 0.0, 1.0),
            truth=None,
            skeleton=None,
            recipe=None if self.recipe is None else self.recipe.then(function, **options),
            steps=self.steps.followed_by(change),
            recognised=f"{self.recognised} {change.sentence}",
        )

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.data.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.data.shape[1])

    def sample_number(self, index: int) -> int:
        """Number of a sample, from 1, which stays its own where others are left out."""
        return index + 1 if self.sample_numbers is None else self.sample_numbers[index]

    def sample_name(self, index: int) -> str:
        """Noun and number of a sample, and its name: ``image 38`` or ``sample 3 (GSM1005)``."""
        number = self.sample_number(index)
        counted = f"{self.nouns.sample} {number:,}"
        name = "" if self.sample_names is None else self.sample_names[index]
        if name in ("", str(number)):
            return counted
        # A column of names may hold whole sentences.
        if len(name) > _LONGEST_NAME:
            name = f"{name[: _LONGEST_NAME - 1]}…"
        return f"{counted} ({name})"

    @property
    def numbers(self) -> NDArray[np.int64]:
        """Number of every sample, as `sample_number`."""
        if self.sample_numbers is None:
            return np.arange(1, self.n_samples + 1)
        return np.array(self.sample_numbers, dtype=np.int64)

    @cached_property
    def sha256(self) -> str:
        """Fingerprint of pixels, labels and shape: the same whatever anything is called."""
        digest = hashlib.sha256()
        digest.update(f"{self.data.dtype.name} {self.data.shape} {self.image_shape}".encode())
        digest.update(self.data.data)
        if self.target is not None:
            digest.update(b"target")
            digest.update(self.target.data)
        return digest.hexdigest()

    @cached_property
    def names_sha256(self) -> str:
        """Fingerprint of what the set, its features, samples and classes are called."""
        names = (self.name, self.feature_names, self.sample_names, self.target_names)
        numbers = (self.sample_numbers, self.axis, self.feature_noun)
        return hashlib.sha256(repr((names, numbers)).encode()).hexdigest()

    @cached_property
    def n_classes(self) -> int:
        """Number of classes; 0 without labels."""
        if self.target_names is not None:
            return len(self.target_names)
        return len(np.unique(self.labelled_target))

    @property
    def labelled_target(self) -> NDArray[np.int64]:
        """Classes of the samples that have a label."""
        if self.target is None:
            return np.empty(0, np.int64)
        labelled: NDArray[np.int64] = self.target[self.target != UNLABELLED]
        return labelled

    @property
    def n_unlabelled(self) -> int:
        """Number of samples without a label, where others have one."""
        return 0 if self.target is None else self.n_samples - len(self.labelled_target)

    @property
    def about_unlabelled(self) -> str:
        """What becomes of the samples without a label, in a sentence; empty where all have one."""
        if not self.n_unlabelled:
            return ""
        have = "has" if self.n_unlabelled == 1 else "have"
        return (
            f"{self.n_unlabelled:,} of {self.nouns.count_samples(self.n_samples)} {have} no label: "
            "fitted and clustered like the others, left out of ACC, NMI and 1-NN."
        )

    @property
    def labels(self) -> NDArray[np.object_] | None:
        """Name of the class of each sample, None where it has no label."""
        if self.target is None:
            return None
        names = [
            None if one == UNLABELLED else self.class_name(one) for one in self.target.tolist()
        ]
        return np.array(names, dtype=object)

    def class_name(self, label: int) -> str:
        """Name of a class, or its number from 1 where it has none; of `UNLABELLED` too."""
        if label == UNLABELLED:
            return "no label"
        return f"class {label + 1}" if self.target_names is None else self.target_names[label]

    @property
    def has_classes(self) -> bool:
        """Whether clusters can be held against labels, see `without_scores`."""
        return not self.without_scores

    @cached_property
    def without_scores(self) -> str:
        """Why clusters cannot be held against labels, as a clause; empty where they can."""
        labelled, samples = self.labelled_target, self.nouns.samples
        n_classes = len(np.unique(labelled))
        if not n_classes:
            return f"These {samples} have no classes"
        if n_classes == 1:
            return f"All labels of these {samples} are the same"
        if nearly_one_each(len(labelled), n_classes):
            return (
                f"Nearly every one of these {samples} has a class of its own ({n_classes:,} "
                f"classes of {self.nouns.count_samples(len(labelled))})"
            )
        return ""

    @property
    def axis(self) -> Axis | None:
        """Axis that the features are points of; None where they are pixels, joints or columns."""
        axis = None if self.steps is None else self.steps.axis
        return axis if axis is not None and len(axis.values) == self.n_features else None

    @property
    def nouns(self) -> Nouns:
        """What rows and columns are called, such as images and pixels or spectra and energies."""
        return nouns_of(self.image_shape, self.axis, self.feature_noun)

    @property
    def kind(self) -> Kind:
        """What the features are: pixels, points of an axis, of joints, or named columns."""
        if self.image_shape is not None:
            return "pixels"
        if self.axis is not None:
            return "axis"
        return "columns" if self.skeleton is None else "joints"

    @property
    def summary(self) -> str:
        """Shape in words, such as ``400 images, 32 × 32, 40 classes``."""
        return shape_in_words(
            *(self.n_samples, self.n_features, self.image_shape, self.n_classes),
            n_unlabelled=self.n_unlabelled,
            nouns=self.nouns,
        )

    @property
    def picture_shape(self) -> tuple[int, int]:
        """Height and width of a picture; DatasetError where samples are none."""
        if self.image_shape is None:
            raise DatasetError(
                f"{self.name} holds {self.nouns.count_features(self.n_features)} "
                f"{self.nouns.a_sample}, not images: use data in place of images."
            )
        return self.image_shape

    @property
    def images(self) -> Floats:
        """All pictures, a read-only view of shape (n_samples, height, width)."""
        return self.data.reshape(self.n_samples, *self.picture_shape)

    def image(self, index: int) -> Floats:
        """Return picture ``index``, upright, of shape (height, width)."""
        if not -self.n_samples <= index < self.n_samples:
            raise DatasetError(
                f"{self.name} has {self.n_samples} images: there is no image {index}."
            )
        picture: Floats = self.images[index]
        return picture

    def _checked_target(self, target: NDArray[np.int64]) -> NDArray[np.int64]:
        labels = np.asarray(target)
        if labels.shape != (self.n_samples,):
            raise DatasetError(
                f"{self.name}: there are {labels.size} labels for "
                f"{self.nouns.count_samples(self.n_samples)}: give one label {self.nouns.a_sample}."
            )
        if labels.dtype.kind not in "iu" or labels.min() < UNLABELLED or labels.max() < 0:
            raise DatasetError(
                f"{self.name}: labels must be whole numbers from 0, or −1 for a sample without a "
                "label: number the classes first."
            )
        labels = labels.astype(np.int64)
        labels.flags.writeable = False
        return labels


def _rise(numbers: tuple[int, ...]) -> bool:
    return numbers[0] >= 1 and all(before < after for before, after in pairwise(numbers))


def shape_in_words(
    n_samples: int,
    n_features: int,
    image_shape: tuple[int, int] | None,
    n_classes: int,
    *,
    n_unlabelled: int = 0,
    nouns: Nouns | None = None,
) -> str:
    """Say a shape as ``400 images, 32 × 32, 40 classes`` (or samples and features)."""
    nouns = nouns or nouns_of(image_shape)
    size = nouns.count_features(n_features)
    if image_shape is not None:
        size = f"{image_shape[0]} × {image_shape[1]}"
    classes = f"{n_classes:,} {'class' if n_classes == 1 else 'classes'}"
    if not n_classes:
        classes = "no labels"
    elif n_unlabelled:
        classes = f"{classes}, {n_unlabelled:,} without a label"
    return f"{nouns.count_samples(n_samples)}, {size}, {classes}"


def checked_shape(shape: tuple[int, int], n_features: int, name: str) -> tuple[int, int]:
    """Refuse a height and width whose product is not the number of pixels."""
    height, width = (int(side) for side in shape)
    if height < 1 or width < 1 or height * width != n_features:
        raise DatasetError(
            f"{name}: an image of {height} × {width} does not have {n_features:,} pixels: choose a "
            "height and width whose product it is."
        )
    return height, width


def check_count(name: str, value: int, least: int, most: int | None = None) -> None:
    """Refuse what is no whole number of the range."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        span = f"of at least {least}" if most is None else f"from {least} to {most:,}"
        raise DatasetError(f"{name} is {value!r}: give a whole number {span}.")


def check_finite(values: Floats, name: str, nouns: Nouns = PICTURE_NOUNS) -> None:
    """Refuse rows with NaN or infinite values, and say where the first is."""
    # NaN comes through both, and neither needs another array.
    if np.isfinite(values.min()) and np.isfinite(values.max()):
        return
    bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
    one = len(bad) == 1
    raise DatasetError(
        f"{name}: {len(bad):,} of {nouns.count_samples(len(values))} {'holds' if one else 'hold'} "
        f"NaN or infinite values, the first is number {bad[0] + 1}: mend "
        f"{'it or leave it' if one else 'them or leave them'} out."
    )


def _checked_data(data: Floats, name: str, nouns: Nouns) -> Floats:
    array = np.asarray(data)
    if array.dtype.kind not in "fiub":
        raise DatasetError(
            f"{name}: {nouns.features} must be real numbers, not {array.dtype.name}."
        )
    if array.ndim != 2:
        raise DatasetError(
            f"{name}: the data have {array.ndim} dimensions, not 2: give one row {nouns.a_sample}."
        )
    if array.size == 0:
        raise DatasetError(
            f"{name}: the data are empty ({array.shape[0]} × {array.shape[1]}): give at least "
            f"one {nouns.sample} of one {nouns.feature}."
        )
    if array.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        array = array.astype(np.float64)
    check_finite(array, name, nouns)
    low, high = array.min(), array.max()
    if low < 0 or high > 1:
        raise DatasetError(
            f"{name}: values run from {low:g} to {high:g}: scale them to 0 – 1 first."
        )
    # Own it: nobody else may change pixels whose fingerprint and fits are kept.
    if array.flags.writeable or not array.flags.owndata or not array.flags.c_contiguous:
        array = np.array(array, order="C", copy=True)
        array.flags.writeable = False
    return array

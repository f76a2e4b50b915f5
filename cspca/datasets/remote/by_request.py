"""Data sets that may not be passed on: where to ask for them, and which file to bring."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ByRequest:
    """A data set that everybody has to get from its owners, and which file of it to bring."""

    title: str
    description: str
    where: str
    terms: str
    bring: str
    size: str
    citation: str
    homepage: str


BY_REQUEST: dict[str, ByRequest] = {
    "yaleb": ByRequest(
        title="Extended Yale B",
        description="Faces of 38 people, each under about 64 lights.",
        where="Download the cropped images (CroppedYale) from the page of the UCSD vision group.",
        terms="Free for research with citation; may not be passed on.",
        bring="A zip of CroppedYale, one folder a person, or YaleB_32x32.mat with fea and gnd.",
        size="2,414 images, 32 × 32, 38 people",
        citation="A. Georghiades, P. Belhumeur, D. Kriegman, From few to many: illumination cone "
        "models for face recognition under variable lighting and pose, IEEE TPAMI 23 (6), 2001; "
        "K.-C. Lee, J. Ho, D. Kriegman, Acquiring linear subspaces for face recognition under "
        "variable lighting, IEEE TPAMI 27 (5), 2005",
        homepage="http://vision.ucsd.edu/~leekc/ExtYaleDatabase/ExtYaleB.html",
    ),
    "jaffe": ByRequest(
        title="JAFFE",
        description="Ten Japanese women, seven expressions each, several times.",
        where="Ask for access on its Zenodo page, from an address of a university.",
        terms="For non-commercial research; may not be passed on.",
        bring="A zip of its TIFF pictures (KA.AN1.39.tiff and so on): the person is read from the "
        "file name; or jaffe.mat with X and Y.",
        size="213 images, 26 × 26, 10 people",
        citation="M. Lyons, S. Akamatsu, M. Kamachi, J. Gyoba, Coding facial expressions with "
        "Gabor wavelets, IEEE International Conference on Automatic Face and Gesture Recognition, "
        "1998",
        homepage="https://zenodo.org/records/3451524",
    ),
    "humaneva": ByRequest(
        title="HumanEVA",
        description="Motion capture of people walking, jogging, boxing, gesturing and throwing.",
        where="Register at the page of the Max Planck Institute for Intelligent Systems.",
        terms="For research, after registration; may not be passed on.",
        bring="A .mat, .npz or .csv of 16 joints in 3-D a frame, as (frames, 16, 3) or 48 columns; "
        "the 168 numbers of a pose (48 coordinates and 120 distances, our reading of the paper) "
        "are made here. The motion is the label.",
        size="10,000 samples, 168 features, 10 classes",
        citation="L. Sigal, A. O. Balan, M. J. Black, HumanEva: synchronized video and motion "
        "capture dataset and baseline algorithm for evaluation of articulated human motion, "
        "International Journal of Computer Vision 87, 2010",
        homepage="http://humaneva.is.tue.mpg.de",
    ),
}
"""Upload-only data sets of the paper, by name."""

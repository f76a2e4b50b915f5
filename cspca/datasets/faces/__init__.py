"""Rendered faces: as many people, pictures and pixels as wanted, with everything known."""

from __future__ import annotations

from cspca.datasets.faces.make import make_faces
from cspca.datasets.faces.truth import FacesTruth

__all__ = ["FacesTruth", "make_faces"]

"""Rendered faces: as many people, pictures and pixels as wanted, with everything known."""

from __future__ import annotations

from cspca.datasets.faces.make import FacesTruth, make_faces

__all__ = ["FacesTruth", "make_faces"]

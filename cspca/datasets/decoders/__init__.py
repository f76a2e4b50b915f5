"""Decoders written in C, run in a short-lived process of their own.

A damaged file can crash or hang HDF5, libtiff or libjpeg, or make them ask for all the memory
there is. Here that ends a process with a memory limit and nothing in it but the file.
"""

from __future__ import annotations

from cspca.datasets.decoders.process import DecoderError, DecoderProcess

__all__ = ["DecoderError", "DecoderProcess"]

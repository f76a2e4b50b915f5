"""The one library of data sets and the services that all visitors of a server share."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import streamlit as st

from cspca.runs.comparisons import ComparisonService
from cspca.runs.fits import FitService
from cspca.runs.jobs import JobRegistry
from cspca.runs.library import DatasetLibrary
from cspca.runs.loading import LoadingService


@dataclass(frozen=True)
class Services:
    """What lives as long as the server."""

    library: DatasetLibrary
    jobs: JobRegistry
    fits: FitService
    loading: LoadingService
    comparisons: ComparisonService


@st.cache_resource(show_spinner=False, max_entries=1)
def services() -> Services:
    """Return the services, made by the first visitor."""
    library, jobs = DatasetLibrary(), JobRegistry(max_workers=2)
    fits = FitService(library, jobs)
    # SciPy and scikit-learn take a second to load: begin before the data are there.
    threading.Thread(target=fits.prepare, name="cspca-prepare", daemon=True).start()
    # Workers of its own: a download must not keep anybody's fit waiting.
    loading = LoadingService(JobRegistry(max_workers=2, max_finished=16))
    # Likewise; and somebody who has a comparison running may well be elsewhere for a while.
    comparisons = ComparisonService(library, JobRegistry(max_workers=2, abandon_after=900.0))
    return Services(library, jobs, fits, loading, comparisons)

"""Remote data sets by name: a new one is one new file and one line here."""

from __future__ import annotations

from cspca.datasets.remote.coil20 import COIL20
from cspca.datasets.remote.lfw import LFW
from cspca.datasets.remote.olivetti import OLIVETTI
from cspca.datasets.remote.remote_set import RemoteSet
from cspca.datasets.remote.usps import USPS

REMOTE: dict[str, RemoteSet] = {one.name: one for one in (OLIVETTI, LFW, USPS, COIL20)}

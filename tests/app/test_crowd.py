"""What a page asks of a server that many share."""

import sys

from cspca.ui.services import services
from tests.app.conftest import settled
from tests.load.visitors import PROVEN


def test_threads_take_short_turns():
    services()
    assert sys.getswitchinterval() <= 0.001


def test_the_crowd_knows_a_certified_fit(arrive):
    explore = settled(arrive("explore", data="digits"))
    assert any(PROVEN in badge.value for badge in explore.markdown)

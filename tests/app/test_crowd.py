"""What a page asks of a server that many share."""

import sys

from cspca.ui.services import services


def test_threads_take_short_turns():
    services()
    assert sys.getswitchinterval() <= 0.001

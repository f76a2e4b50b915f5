"""Whose wish an address is: the visitor's, or only what the page itself has written before."""

import pytest

from cspca.ui.state import is_from_visitor

FIRST = {"data": "faces", "alpha": "0.1"}
THEN = {"data": "faces", "alpha": "0.2"}
OTHER = {"data": "digits", "alpha": "0.4"}


def test_a_new_session_takes_what_it_comes_with() -> None:
    assert is_from_visitor(OTHER, [])
    assert not is_from_visitor({}, [])


def test_an_empty_address_is_the_menu_s_unless_the_visitor_goes_back_to_it() -> None:
    assert not is_from_visitor({}, [FIRST], page_opened=True)
    assert not is_from_visitor({}, [FIRST], program=True)
    assert is_from_visitor({}, [FIRST], history=True)


@pytest.mark.parametrize("page_opened", [False, True])
def test_what_was_written_comes_back_as_an_echo_however_late(page_opened: bool) -> None:
    assert not is_from_visitor(THEN, [FIRST, THEN], page_opened=page_opened)
    # What was set since holds: this message, or this link, is of a moment ago.
    assert not is_from_visitor(FIRST, [FIRST, THEN], page_opened=page_opened)
    assert not is_from_visitor({**FIRST, "part": "using"}, [FIRST, THEN], page_opened=page_opened)


def test_back_and_forward_are_wishes_however_early() -> None:
    assert is_from_visitor(FIRST, [FIRST, THEN], history=True)
    assert is_from_visitor(OTHER, [FIRST, THEN], history=True)


def test_a_page_opened_by_a_link_of_other_settings_takes_them() -> None:
    assert is_from_visitor(OTHER, [FIRST, THEN], page_opened=True)
    assert not is_from_visitor(OTHER, [FIRST, THEN])


def test_a_page_that_the_program_opens_has_what_it_was_sent() -> None:
    assert is_from_visitor(FIRST, [FIRST, THEN], sent=FIRST)
    assert not is_from_visitor(FIRST, [FIRST, THEN], sent=OTHER)


def test_a_program_has_no_echo() -> None:
    assert is_from_visitor(FIRST, [FIRST, THEN], program=True)
    assert not is_from_visitor(THEN, [FIRST, THEN], program=True)

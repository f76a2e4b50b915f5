"""The settings of a server are read from its environment, and nonsense is refused by name."""

from dataclasses import fields

import pytest

from cspca.experiments.limits import Limits, limits_of


def test_what_is_not_given_has_its_default() -> None:
    assert limits_of({"PATH": "/bin", "CSPCA_WORKERS": " "}) == Limits()


def test_each_setting_is_read() -> None:
    given = {f"CSPCA_{one.name.upper()}": "1" for one in fields(Limits)}
    found = limits_of(given)
    assert all(getattr(found, one.name) == 1 for one in fields(Limits))
    assert found.single_user is True
    assert limits_of({"CSPCA_UPLOAD_HOURS": "1.5"}).upload_hours == 1.5


def test_a_setting_that_does_not_exist_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"^CSPCA_WORKER is no setting .*CSPCA_WORKERS\?$"):
        limits_of({"CSPCA_WORKER": "4"})
    others = {"CSPCA_HOME": "/data", "CSPCA_CACHE": "/cache", "CSPCA_MIRROR": "http://localhost"}
    assert limits_of(others) == Limits()


def test_a_class_of_fifty_behind_one_address_may_load_a_page_in_one_minute() -> None:
    a_first_visit = 110
    assert Limits().requests >= 2 * 50 * a_first_visit


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("CSPCA_WORKERS", "0"),
        ("CSPCA_WORKERS", "two"),
        ("CSPCA_MEMORY", "1.5"),
        ("CSPCA_TRASH_DAYS", "nan"),
        ("CSPCA_RUN_DAYS", "-1"),
        ("CSPCA_SINGLE_USER", "2"),
    ],
)
def test_nonsense_is_refused_by_name(name: str, text: str) -> None:
    with pytest.raises(ValueError, match=f"{name}='{text}' makes no sense"):
        limits_of({name: text})

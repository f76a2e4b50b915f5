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

"""A judge of charts: vega-lite's own schema."""

import json
from collections.abc import Callable
from pathlib import Path

import altair
import jsonschema
import pytest

Check = Callable[[dict], None]


@pytest.fixture(scope="session")
def is_vega_lite() -> Check:
    path = Path(altair.__file__).parent / "vegalite/v6/schema/vega-lite-schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    schema["$ref"] = "#/definitions/TopLevelLayerSpec"
    validator = jsonschema.Draft7Validator(schema)

    def check(spec: dict) -> None:
        # The schema wants an expression here; vega-lite hands the object to vega, which reads it.
        legend = {**spec["config"]["legend"]}
        assert legend.pop("layout")["bottom"]["direction"] == "vertical"
        plain = spec | {"config": spec["config"] | {"legend": legend}}
        error = next(iter(validator.iter_errors(plain)), None)
        assert error is None, str(error)[:800]

    return check

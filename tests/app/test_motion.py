"""Every page with motion data: a body in place of the bars, and words that say what it is."""

import numpy as np

from tests.app.conftest import npz, result, settled, staged, until, words


def test_importance_stands_on_a_body(arrive):
    visitor = settled(arrive(data="motion"))
    assert "our own reading of the paper’s 168 variables" in words(visitor)
    assert staged(visitor)["shape"] is None, "every feature by itself"
    assert len(result(visitor).fit.feature_scores) == 168


def test_the_data_page_shows_poses_as_measurements(arrive):
    page = arrive("data", data="motion")
    said = words(page)
    assert "2,000 samples, 168 features, 10 classes" in said
    assert "our own reading of the paper’s 168 variables" in said


def test_48_columns_become_poses_by_one_answer(arrive):
    rng = np.random.default_rng(0)
    flat = rng.normal(size=48) + 0.1 * rng.normal(size=(30, 48))
    page = arrive("data")
    walk = npz(X=flat, y=np.repeat([0, 1, 2], 10))
    page.file_uploader(key="upload_file_bring").upload("walk.npz", walk).run()
    until(page, lambda: "30 samples, 48 features" in words(page))
    features = next(one for one in page.selectbox if "_features_" in one.key)
    assert features.value == "columns"
    features.set_value("joints").run()
    until(page, lambda: "30 samples, 168 features" in words(page))

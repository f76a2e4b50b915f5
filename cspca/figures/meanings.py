"""What each number on a page means: definition, formula, this case's numbers, a line of Python."""

from __future__ import annotations

from typing import NamedTuple


class Meaning(NamedTuple):
    """Explanation of a number; `definition` and `numbers` are format strings."""

    definition: str
    formula: str
    numbers: str
    python: str

    def said(self, nouns: object, **values: object) -> Meaning:
        """Format with the `nouns` of the data; `numbers` is empty where a value is missing."""
        try:
            numbers = self.numbers.format(nouns=nouns, **values)
        except KeyError:
            numbers = ""
        return Meaning(self.definition.format(nouns=nouns), self.formula, numbers, self.python)

    def markdown(self) -> str:
        """The explanation in Markdown, for the help of a widget."""
        code = [f"`{expression}`" for expression in (self.formula, self.python) if expression]
        return "  \n".join(
            part for part in (self.definition, *code[:1], self.numbers, *code[1:]) if part
        )


_LIMIT = "M = Σ aᵢᵀ aᵢ / ‖aᵢ‖"

MEANINGS: dict[str, Meaning] = {
    "used": Meaning(
        "The {nouns.features} whose row of W is not exactly zero; all others are not used at all. "
        "Row j of W is what {nouns.feature} j helps to rebuild.",
        "#{ j : ‖wⱼ‖ > 0 }",
        "{count:,} rows, of which {zeros:,} are exactly zero: {used:,} are left.",
        "np.count_nonzero(model.feature_scores_)",
    ),
    "zeros": Meaning(
        "The {nouns.features} whose row of W is exactly zero: they are not used at all.",
        "#{ j : ‖wⱼ‖ = 0 }",
        "{zeros:,} of {count:,} rows.",
        "np.count_nonzero(model.feature_scores_ == 0)",
    ),
    "rank": Meaning(
        "How many singular values of W are not zero: the number of coordinates the "
        "{nouns.samples} are reduced to.",
        "#{ k : σₖ(W) > 10⁻⁶ σ₁(W) }",
        "{rank:,} of {count:,} singular values are left.",
        "model.rank_",
    ),
    "objective": Meaning(
        "What the fit makes small: the errors of the {nouns.samples}, the price of the rows in use "
        "and the price of the rank.",
        "P = ‖AW − A‖₂,₁ + α ‖W‖₂,₁ + β ‖W‖⁎",
        "{errors:,.8g} + {alpha:.8g} × {lengths:,.8g} + {beta:.8g} × {trace:,.8g} = "
        "{objective:,.7g}",
        "model.objective_",
    ),
    "limit": Meaning(
        "No W, by any method, has an objective below it: multipliers Λ, G₁ and G₂ prove it, which "
        "anybody can check. Theory, sections 3 and 4.",
        "D = −⟨Λ, A⟩ where AᵀΛ + G₁ + G₂ = 0, rows of Λ ≤ 1, rows of G₁ ≤ α, ‖G₂‖₂ ≤ β",
        "No W is below {bound:,.6g}; this one has {objective:,.6g}.",
        "model.dual_objective_",
    ),
    "gap": Meaning(
        "How far the objective is above the optimum, at most: what lies between it and the lower "
        "bound, as a share of that bound. Shown rounded up.",
        "(P − D) / D",
        "({objective:,.9g} − {bound:,.9g}) / {bound:,.9g} = {gap:.3g}",
        "model.objective_ / model.dual_objective_ - 1",
    ),
    "iterations": Meaning(
        "Steps of the solver, over continued fits too. In each the errors, the rows and the "
        "singular values shrink, then all are made to agree: Theory, section 5.",
        "",
        "{iterations:,} steps in {seconds}.",
        "model.n_iter_",
    ),
    "time": Meaning(
        "Computing time inside the solver; reading the data and drawing the page come on top.",
        "",
        "{seconds} for {iterations:,} steps.",
        'model.history_["seconds"][-1]',
    ),
    "start": Meaning(
        "Started from an earlier fit of the same data, which saves iterations. The optimum does "
        "not depend on it.",
        "",
        "",
        "CSPCA(warm_start=True)",
    ),
    "alpha": Meaning(
        "",
        f"α_max = max ‖Mⱼ‖, {_LIMIT}",
        "{share:.4g} × {most:,.5g} = {value:,.4g} in the formula",
        "model.alpha_, model.alpha_max_",
    ),
    "beta": Meaning(
        "",
        f"β_max = ‖M‖₂, {_LIMIT}",
        "{share:.4g} × {most:,.5g} = {value:,.4g} in the formula",
        "model.beta_, model.beta_max_",
    ),
    "accuracy": Meaning(
        "The share of {nouns.samples} in the right cluster, under the best one-to-one map of "
        "clusters to classes.",
        "ACC = max over maps π of  #{ i : π(clusterᵢ) = classᵢ } / n",
        "{title}: {mean} % is the mean over {n_seeds:,} starts of K-means, {std} their standard "
        "deviation.",
        "cspca.evaluation.clustering_accuracy(y, clusters)",
    ),
    "nmi": Meaning(
        "What clusters and classes say of each other: 0 nothing, 100 % all.",
        "NMI = I(clusters; classes) / √( H(clusters) H(classes) )",
        "{title}: {mean} % is the mean over {n_seeds:,} starts of K-means, {std} their standard "
        "deviation.",
        "cspca.evaluation.normalized_mutual_information(y, clusters)",
    ),
    "difference": Meaning(
        "How much a method is above All features, start by start on the same starts, and the "
        "limits of its interval, which covers the mean over all draws of as many starts. Limits on "
        "both sides of 0: no clear difference. No interval below ten starts.",
        "mean over starts s of  score(method, s) − score(All features, s)",
        "{other}: {difference}, with {confidence} confidence.",
        '[row.difference for row in cspca.evaluation.compare(X, y).table("accuracy")]',
    ),
    "over samples": Meaning(
        "How far the score, and its difference from All features, scatter when the {nouns.samples} "
        "are drawn again with replacement, the same for every method, each with its class and the "
        "clusters that it has; clusters are matched with classes anew. It is a spread, and no "
        "confidence interval for other {nouns.samples}. An interval over starts is of these very "
        "{nouns.samples} from other starts of K-means; it does not speak of others.",
        "score + quantiles over resamples b of  score(b) − the mean of all score(b)",
        "{title}: {ends} %, the middle {confidence} of {n_resamples} resamples.",
        '[row.over_images for row in cspca.evaluation.compare(X, y).table("accuracy")]',
    ),
    "best of grid": Meaning(
        "The best of all numbers of {nouns.features} and parameters, chosen on the very runs that "
        "are reported, as the paper does. The best of many tries is partly luck.",
        "max over choices of  the mean over starts",
        "{title}: {best}, the best of {n_choices:,}.",
        '[row.best for row in cspca.evaluation.compare(X, y).table("accuracy")]',
    ),
    "chance": Meaning(
        "What clusters as large as the classes reach that are drawn at random: a score means only "
        "what it has above this.",
        "the mean over 20 draws",
        "{n:,} {nouns.samples} dealt out at random: {chance} %.",
        "np.mean([cspca.evaluation.clustering_accuracy(y, drawn) for drawn in "
        "np.random.default_rng(0).permuted(np.tile(y, (20, 1)), axis=1)])",
    ),
    "above": Meaning(
        "How far the objective is above the best lower bound of all runs here. It needs no labels.",
        "(P − D) / D, D the best limit of all",
        "{start}, {steps}: {objective:,.7g} / {bound:,.7g} − 1 = {above}.",
        "model.objective_ / model.dual_objective_ - 1",
    ),
    "overlap": Meaning(
        "The share of the k best {nouns.features} that are among those of the most accurate run "
        "too; in brackets Spearman’s rank correlation of all scores. It needs no labels.",
        "#(A ∩ B) / k",
        "{start}, {steps}: {overlap} of k = {k:,}.",
        "np.intersect1d(pixels, model.feature_order_[:k]).size / k",
    ),
    "computing": Meaning(
        "What its fits and clusterings took together, one after the other, wherever and whenever "
        "they were computed; waiting does not count. What is there is never computed again.",
        "",
        "",
        "sum(one.seconds for one in outcome.results.values())",
    ),
    "unexplained": Meaning(
        "The share of the variance of all {nouns.features} that is not rebuilt from the chosen "
        "ones, of {nouns.samples} that were not fitted. Less is better.",
        "Σ ‖xᵢ − x̂ᵢ‖² / Σ ‖xᵢ − mean‖²",
        "{yours} from yours, {cspca} from CSPCA’s, {variance} from the most varying, {chance} from "
        "random ones on average.",
        "Rebuilding(X).errors([pixels])[0]",
    ),
    "draws": Meaning(
        "Uniform draws of as many {nouns.features} that leave more of the variance unexplained.",
        "#{ draws s : error(s) > error(yours) }",
        "Of {draws:,} draws {worse:,} do worse; theirs run from {least} to {most}.",
        "Rebuilding(X).errors([rng.choice(X.shape[1], k, replace=False)])",
    ),
    "common": Meaning(
        "Your {nouns.features} that are among as many of CSPCA’s best.",
        "by chance: k² / d",
        "{common:,} of {k:,}; by chance {k:,}² / {d:,} = {expected:.1f}.",
        "np.intersect1d(pixels, model.feature_order_[:k]).size",
    ),
}
"""By name, the same on every page; the definitions of α and β are declared with their settings."""

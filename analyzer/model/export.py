"""The analysis as files of the run directory: laws.json, model.json, ceilings.csv."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analyzer.model.analysis import Analysis, ArmAnalysis
    from analyzer.model.axis import RowAxis
    from analyzer.model.fit import Fit
    from analyzer.model.laws import Law
    from analyzer.model.model import Model
    from analyzer.model.select import Candidate

CEILING_COLUMNS = (
    "scenario",
    "arm",
    "rows",
    "budget_ms",
    "clients",
    "low",
    "high",
    "model",
    "extrapolation",
    "note",
)


def document(analysis: Analysis) -> dict[str, Any]:
    """Return the whole analysis as strict JSON data; None is unknown."""
    return {
        "budget": str(analysis.budget),
        "budget_ms": analysis.budget.write_ms,
        "unfinished": analysis.unfinished or None,
        "laws": laws_document(analysis),
        "model": model_document(analysis),
        "ceilings": [
            {"scenario": arm.scenario, "arm": arm.arm, **ceiling.to_dict()}
            for arm in analysis.arms
            for ceiling in arm.ceilings
        ],
        "ratios": [asdict(ratio) for ratio in analysis.ratios],
        "verification": analysis.verification and analysis.verification.to_dict(),
    }


def laws_document(analysis: Analysis) -> list[dict[str, Any]]:
    """Return the content of laws.json: one item per arm and count."""
    return [
        {"scenario": arm.scenario, "arm": arm.arm, "count": count, **_law(law, arm.axis)}
        for arm in analysis.arms
        for count, law in arm.laws.items()
    ]


def model_document(analysis: Analysis) -> list[dict[str, Any]]:
    """Return the content of model.json: one item per arm."""
    return [
        {"scenario": arm.scenario, "arm": arm.arm, "seed": analysis.seed, **_model(arm)}
        for arm in analysis.arms
    ]


def ceilings_csv(analysis: Analysis) -> str:
    """Return the content of ceilings.csv; blank is unknown or none."""
    text = io.StringIO()
    table = csv.DictWriter(text, CEILING_COLUMNS, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    table.writerows(document(analysis)["ceilings"])
    return text.getvalue()


def _law(law: Law, axis: RowAxis) -> dict[str, Any]:
    known = law.coefficients is not None
    return {
        "formula": law.formula(axis) if known else None,
        "coefficients": law.coefficients,
        "exact": law.exact,
        "cells": len(law.cells),
        "residual": law.residual if known else None,
        "worst": law.worst and {"clients": law.worst[0], "rows": law.worst[1]},
        "notes": list(law.notes),
    }


def _model(arm: ArmAnalysis) -> dict[str, Any]:
    if arm.model is None:
        return {"best": None, "runner_up": None, "notes": [], "refusal": arm.refusal}
    return {**model_item(arm.model), "refusal": None}


def model_item(model: Model) -> dict[str, Any]:
    """Return the chosen form with intervals, the others as they rank, and the notes."""
    choice, boot = model.choice, model.boot
    best, *others = [_candidate(candidate, model.axis) for candidate in choice.ranked]
    for item, ends in zip(best["coefficients"], boot.intervals() or (), strict=False):
        item["low"], item["high"] = (end * item["per_ms"] for end in ends)
    return {
        "best": best,
        "interval": boot.reason or "95 % percentile bootstrap over repeats",
        "doubt": asdict(model.doubt),
        "runner_up": others[0] if others else None,
        "others": others,
        "bends": {str(rows): times for rows, times in choice.bends.items()},
        "notes": list(choice.notes),
    }


def _candidate(candidate: Candidate, axis: RowAxis) -> dict[str, Any]:
    seen = candidate.held_out
    return fit_document(candidate.fit, axis) | {
        "rival": candidate.rival,
        "held_out": seen and {"clients": candidate.fit.max_clients, "relative_error": seen.error},
    }


def fit_document(fit: Fit, axis: RowAxis) -> dict[str, Any]:
    """Return one fit; each value times its unit, `per_ms` units make one ms."""
    from math import isfinite

    return {
        "form": fit.form.name,
        "formula": fit.form.formula(axis),
        "shape": list(fit.form.shape),
        "coefficients": [
            {
                "term": term.name,
                "value": value * term.scale,
                "low": None,
                "high": None,
                "unit": term.unit_for(axis),
                "per_ms": term.scale,
            }
            for term, value in zip(fit.form.terms, fit.coefficients, strict=True)
        ],
        "relative_rms": fit.relative_rms,
        "cells": fit.n,
        "max_clients": fit.max_clients,
        "aicc": fit.aicc if isfinite(fit.aicc) else None,
    }

# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#       jupytext_version: 1.19.6
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Your own run
#
# Put the folder of a run of yours into `RUN`, such as `Path("../runs/2026-12-01-lobby")`, and run all cells. With `None` the first cell measures a small lobby on the embedded engine, which takes some seconds and needs the engine to be built: `stdb-sweep engine build`.

# %%
from pathlib import Path

import pandas as pd

import analyzer

RUN: Path | None = None
BUDGET = "50ms"

if RUN is None:
    plan = analyzer.Plan(
        scenario="lobby",
        arms=("per_sender", "anonymous"),
        clients=(0, 2, 5, 10),
        rows=(8, 32),
        repeats=2,
        windows=1,
    )
    run = await analyzer.sweep(plan, root="../runs")
else:
    run = analyzer.load_run(RUN)
print(run.path.name, "is complete" if run.complete else "was interrupted: the same command goes on")

# %% [markdown]
# ## Is it sound?
#
# A cell whose counts differ from what was declared is void and takes no part in any fit. The reason stands beside it.

# %%
frame = run.frame()
void = frame[frame["verdict"] != "ok"]
print(f"{len(void)} of {len(frame)} repeats are void")
void[["arm", "clients", "rows", "repeat", "reason"]]

# %% [markdown]
# How much do repeats of one cell differ? This is the noise that the intervals speak of. On a calm machine it is a few percent.

# %%
sound = frame[frame["verdict"] == "ok"]
repeats = sound.groupby(["arm", "clients", "rows"], sort=False)["write_ms"]
spread = ((repeats.max() - repeats.min()) / repeats.mean() * 100).rename("spread %")
spread.unstack("rows").round(0)

# %% [markdown]
# ## What does a write do?

# %%
analysis = analyzer.analyse(frame, budget=BUDGET)
pd.DataFrame(
    [
        {
            "arm": arm.arm,
            "count": name,
            "law": law.formula(arm.axis),
            "exact": law.exact,
        }
        for arm in analysis.arms
        for name, law in arm.laws.items()
    ]
).set_index(["arm", "count"])

# %% [markdown]
# ## How many clients?

# %%
for arm in analysis.arms:
    print(arm.arm, arm.refusal)
    for answer in arm.ceilings:
        print(f"  {answer.rows:>5} {arm.axis.noun}s: {answer}")

# %% [markdown]
# ## Which design is cheaper?

# %%
pd.DataFrame(
    [
        {"arm": r.arm, "clients": r.clients, arm.axis.noun + "s": r.rows, "times cheaper": r.times}
        for r in analysis.ratios
    ]
).round(2)

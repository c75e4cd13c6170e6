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
# # View designs
#
# One lobby, eight ways to show it. Which one may ship?
#
# The data is a run of all eight arms in `data/runs/lobby-designs`: 0, 10, 25 and 50 clients over 8, 64 and 256 rooms, three fresh databases a cell. Other work ran on the machine at the same time, so read ratios.

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

import analyzer

RUN = Path("../data/runs/lobby-designs")
CLIENTS, ROOMS = 50, 256

run = analyzer.load_run(RUN)
frame = run.frame()
analysis = analyzer.analyse(frame, budget="50ms")
cells = frame.groupby(["arm", "clients", "rows"], sort=False).mean(numeric_only=True)

# %% [markdown]
# ## The work of one write
#
# These are exact. The engine does not count what a query-builder view looks up, so those cells are unknown. Unknown is not zero.

# %%
pd.DataFrame(
    [
        {
            "arm": arm.arm,
            "index seeks": arm.laws["index_seeks"].formula(arm.axis),
            "view calls": arm.laws["view_calls"].formula(arm.axis),
            f"seeks at S={CLIENTS}, G={ROOMS}": cells["index_seeks"][arm.arm, CLIENTS, ROOMS],
        }
        for arm in analysis.arms
    ]
).set_index("arm")

# %% [markdown]
# `narrow` is the per-sender view with `WHERE room = k`. Its clients see one room. It costs the same seeks as if they saw all: the condition is looked at after the view has been made.

# %%
seeks = frame.pivot_table(index=["clients", "rows"], columns="arm", values="index_seeks")
print("the same in every cell:", bool((seeks["narrow"] == seeks["per_sender"]).all()))

# %% [markdown]
# ## What it costs
#
# Write cost in ms, and how often the design goes into the per-sender one. The interval is over repeats.

# %%
times = {
    ratio.arm: f"{ratio.times:.3g} ({ratio.low:.3g} to {ratio.high:.3g})"
    for ratio in analysis.ratios
    if (ratio.clients, ratio.rows) == (CLIENTS, ROOMS)
}
costs = cells["write_ms"].xs((CLIENTS, ROOMS), level=("clients", "rows"))
pd.DataFrame({"write ms": costs.round(3), "times cheaper": pd.Series(times)}).loc[costs.index]

# %% [markdown]
# ## Does it grow with the rooms?
#
# A design that walks the rooms grows with them. `parameterized` and `projection` do not: that is what makes them safe when the game becomes popular.

# %%
by_rooms = cells["write_ms"].xs(CLIENTS, level="clients").unstack("rows")
figure, axes = plt.subplots(figsize=(7, 4.5))
for marker, (arm, costs_of_arm) in zip("osD^v<>P", by_rooms.iterrows(), strict=True):
    axes.plot(costs_of_arm.index, costs_of_arm, marker=marker, label=arm)
axes.set(xscale="log", yscale="log", xlabel="rooms G", ylabel=f"write cost at S={CLIENTS}, ms")
axes.legend(fontsize="small", ncols=2)
figure.tight_layout()

# %% [markdown]
# ## Where the time goes
#
# The parts of the reducer's time, in ms. `commit_ms` holds the merge of read sets, `materialize_ms` writing what the views returned.

# %%
PARTS = ["reducer_body_ms", "view_body_ms", "materialize_ms", "commit_ms", "update_ms"]
cells[PARTS].xs((CLIENTS, ROOMS), level=("clients", "rows")).round(3)

# %% [markdown]
# ## How many clients
#
# At 50 ms of lock a write. "At least" is three times the clients measured: further the tool does not go without being asked.

# %%
for arm in analysis.arms:
    answer = next(item for item in arm.ceilings if item.rows == ROOMS)
    print(f"{arm.arm:>16}: {answer.clients if answer.clients else f'at least {answer.at_least}'}")

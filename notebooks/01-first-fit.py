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
# # First fit
#
# How does a run become a number of clients?
#
# The data is a run of the lobby that lies in `data/runs/lobby`: 0, 10, 50 and 100 clients over 8 to 1,000 rooms, three fresh databases a cell. The manifest says where and how it was measured. Other work ran on that machine, so read ratios.

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import analyzer

RUN = Path("../data/runs/lobby")

run = analyzer.load_run(RUN)
host, engine = run.manifest["host"], run.manifest["engine"]
print(" ".join(run.manifest["argv"]))
print(f"{engine['name']} {engine['version']}; {host['cpu']}, {host['cores']} cores")

# %% [markdown]
# ## What was measured
#
# `frame()` has one row per cell and repeat. The write cost is the time for which one write holds the lock, in ms.

# %%
frame = run.frame()
of_arm = frame[frame["arm"] == "per_sender"]
of_arm.pivot_table(index="clients", columns="rows", values="write_ms").round(2)

# %% [markdown]
# ## Counts first
#
# Times are noisy, counts are not. The tool looks for a formula in whole numbers that holds in every cell with nothing left over.

# %%
analysis = analyzer.analyse(frame, budget="50ms")
pd.DataFrame(
    [
        {"arm": arm.arm, **{name: law.formula(arm.axis) for name, law in arm.laws.items()}}
        for arm in analysis.arms
    ]
).set_index("arm")

# %% [markdown]
# The clients S are in every count of the per-sender view, and in none of the anonymous one.
#
# ## Then the cost
#
# `fit` takes one arm. It tries all forms, keeps those that the cells can tell apart, and chooses one. The `merge` column is not fitted as a power: it is made of the two laws above.

# %%
model = analyzer.fit(run, arm="per_sender")
print(model)

# %% [markdown]
# ## A look at the fit
#
# Dots are means over repeats, lines are the model, the dashed line is the budget.

# %%
BUDGET_MS = 50
measured = of_arm[of_arm["clients"] > 0].groupby(["rows", "clients"])["write_ms"].mean()
clients = np.geomspace(10, 100, 40)

figure, axes = plt.subplots(figsize=(7, 4.5))
for marker, rooms in zip("osD^", model.measured_rows, strict=False):
    costs = measured[rooms]
    (dots,) = axes.plot(costs.index, costs, marker, label=f"{rooms:,} rooms")
    axes.plot(clients, [model.predict(s, rooms) for s in clients], color=dots.get_color())
axes.axhline(BUDGET_MS, linestyle="--", color="black", linewidth=1)
axes.set(xscale="log", yscale="log", xlabel="clients S", ylabel="write cost, ms")
axes.legend()
figure.tight_layout()

# %% [markdown]
# ## The answer
#
# The most clients with whom a write stays within the budget. "Reach" is the answer over the most clients measured: up to 1 it was measured, above it is foretold.

# %%
for rooms in model.measured_rows:
    print(f"{rooms:>5} rooms: {analyzer.ceiling(model, f'{BUDGET_MS}ms', rows=rooms)}")

# %% [markdown]
# Often the question is another one: every client writes now and then, and all writes together may take half of the lock.

# %%
share = analyzer.Budget(utilization=0.5, per_client=0.2)
print(share)
print(analyzer.ceiling(model, share, rows=64))

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
# # Beyond 100 clients
#
# How far may a fit be trusted?
#
# Fit the cells up to 100 clients, foretell the rest, and look at what was measured there. The data is the per-sender lobby at 8, 64 and 256 rooms, up to 800 clients, five repeats: embedded engine 2.14.0, clients inside the engine, two cores. `data/beyond-100/README.md` has the rest.

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import analyzer

DATA = Path("../data/beyond-100")
"""Any table that `stdb-sweep fit` reads does as well."""
KNOWN = 100

if DATA.is_dir():
    frame = analyzer.load_run(DATA).frame()
    frame = frame[frame["arm"] == "per_sender"]
else:
    frame = pd.read_csv(DATA)
measured = frame.groupby(["rows", "clients"])["write_ms"].mean()
measured.unstack("rows").round(2)

# %% [markdown]
# ## What the first 100 clients foretell
#
# Two forms: the article's, which is linear in S, and the chosen one. The interval is for the mean of five new repeats: it holds the noise, what the form misses in its own cells, and how far off fits to still fewer clients were.

# %%
model = analyzer.fit(frame[frame["clients"] <= KNOWN])
fits = {candidate.name: candidate.fit for candidate in model.choice.ranked}
print("chosen:", model.choice.best.form.name)

beyond = measured[measured.index.get_level_values("clients") > KNOWN]
rows = []
for (rooms, clients), truth in beyond.items():
    low, high = model.interval(clients, rooms, repeats=5)
    guess, straight = model.predict(clients, rooms), fits["bilinear"].predict(clients, rooms)
    rows.append(
        {
            "rooms": rooms,
            "clients": clients,
            "measured ms": truth,
            "foretold ms": guess,
            "low": low,
            "high": high,
            "error %": 100 * (guess / truth - 1),
            "bilinear error %": 100 * (straight / truth - 1),
        }
    )
pd.DataFrame(rows).set_index(["rooms", "clients"]).round(1)

# %% [markdown]
# The straight form foretells too little everywhere, and the more so the further it goes. The chosen form knows the merge of read sets, which walks view calls times keys. It misses as well, and by how much depends on the rooms: what one key takes is not the same at 8 rooms as at 256 (see the page on the cost model). That is what makes the interval wide: about a factor 2 to either side at 4 times the clients measured.
#
# ## A look

# %%
line = np.geomspace(10, beyond.index.get_level_values("clients").max(), 60)
figure, axes = plt.subplots(figsize=(7, 4.5))
for marker, rooms in zip("osD", model.measured_rows, strict=False):
    costs = measured[rooms]
    costs = costs[costs.index > 0]
    (dots,) = axes.plot(costs.index, costs, marker, label=f"{rooms} rooms, measured")
    colour = dots.get_color()
    axes.plot(line, [model.predict(s, rooms) for s in line], color=colour, label="chosen form")
    axes.plot(line, [fits["bilinear"].predict(s, rooms) for s in line], ":", color=colour)
axes.axvspan(KNOWN, line[-1], alpha=0.1, color="grey")
axes.set(xscale="log", yscale="log", xlabel="clients S", ylabel="write cost, ms")
axes.set_title("grey: foretold; dotted: linear in S", fontsize="medium")
axes.legend()
figure.tight_layout()

# %% [markdown]
# ## What it does to the answer
#
# The ceiling from 100 clients, beside the one from all of them. Within the clients measured the forms hardly differ. Beyond, the tool says "at least" and stops at three times; `extrapolate=True` makes it go on, at your own risk.

# %%
everything = analyzer.fit(frame)
for rooms in model.measured_rows:
    print(f"{rooms} rooms")
    print("  from 100 :", analyzer.ceiling(model, "50ms", rows=rooms, extrapolate=True))
    print("  from all :", analyzer.ceiling(everything, "50ms", rows=rooms, extrapolate=True))

# %% [markdown]
# So measure as many clients as you expect. `stdb-sweep --subscribers engine` connects thousands inside the engine.

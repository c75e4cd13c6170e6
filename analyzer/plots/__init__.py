"""Plots of runs, each a matplotlib figure of its own; pyplot and its backend are left alone.

In a notebook the figure shows itself: `plots.cost_curves(fit(run, arm="per_sender"))`. `write`
saves one as SVG or PNG.
"""

from analyzer.plots.arms import arms_side_by_side
from analyzer.plots.ceilings import ceiling_map
from analyzer.plots.cost import cost_curves
from analyzer.plots.errors import measured_against_predicted, residuals
from analyzer.plots.residue import residue_timeline
from analyzer.plots.split import time_split
from analyzer.plots.style import svg, write

__all__ = [
    "arms_side_by_side",
    "ceiling_map",
    "cost_curves",
    "measured_against_predicted",
    "residuals",
    "residue_timeline",
    "svg",
    "time_split",
    "write",
]

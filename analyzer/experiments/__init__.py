"""The article's experiments that are no grid of cells: one module each, over the same parts."""

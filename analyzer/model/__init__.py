"""Laws, cost model and ceilings: what the numbers of a run say."""

"""Transfers are drawn as Zipf's law says."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.experiments.zipf import draw_transfers, shares


def test_the_share_of_an_account_falls_with_the_power_of_its_rank() -> None:
    share = shares(1_000, 1.5)
    assert share.sum() == pytest.approx(1)
    assert share[0] / share[3] == pytest.approx(4**1.5)
    assert shares(4, 0) == pytest.approx([0.25] * 4)


@pytest.mark.parametrize("alpha", [0.0, 0.8, 1.5, 3.0])
def test_payers_come_as_often_as_their_share(alpha: float) -> None:
    count, accounts = 200_000, 50
    payer = draw_transfers(count, accounts, alpha, np.random.default_rng(7))[:, 0]
    share = shares(accounts, alpha)
    deviation = np.bincount(payer, minlength=accounts) - count * share
    assert (np.abs(deviation) < 5 * np.sqrt(count * share * (1 - share)) + 1).all()


def test_payees_are_drawn_from_the_others_in_proportion() -> None:
    transfers = draw_transfers(300_000, 4, 1.0, np.random.default_rng(7))
    share = shares(4, 1.0)
    for payer in range(4):
        payees = transfers[transfers[:, 0] == payer, 1]
        found = np.bincount(payees, minlength=4) / len(payees)
        others = np.where(np.arange(4) == payer, 0, share)
        assert found == pytest.approx(others / others.sum(), abs=0.01)


@pytest.mark.parametrize(("accounts", "alpha"), [(2, 5.0), (3, 0.0), (100_000, 1.5)])
def test_no_account_pays_itself_or_is_none_of_them(accounts: int, alpha: float) -> None:
    transfers = draw_transfers(20_000, accounts, alpha, np.random.default_rng(3))
    assert (transfers[:, 0] != transfers[:, 1]).all()
    assert (transfers >= 0).all()
    assert (transfers < accounts).all()


def test_the_same_seed_draws_the_same_transfers() -> None:
    first, again, other = (
        draw_transfers(100, 50, 1.5, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert (first == again).all()
    assert (first != other).any()

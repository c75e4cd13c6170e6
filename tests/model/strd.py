"""Problems of the NIST Statistical Reference Datasets (itl.nist.gov/div898/strd), typed in.

Linear: columns of the design, y, certified coefficients, certified standard errors. Nonlinear:
x, y, certified parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

NORRIS_X = (
    "0.2 337.4 118.2 884.6 10.1 226.5 666.3 996.3 448.6 777.0 558.2 0.4 0.6 775.5 666.9 338.0 "
    "447.5 11.6 556.0 228.1 995.8 887.6 120.2 0.3 0.3 556.8 339.1 887.2 999.0 779.0 11.1 118.3 "
    "229.2 669.1 448.9 0.5"
)
NORRIS_Y = (
    "0.1 338.8 118.1 888.0 9.2 228.1 668.5 998.5 449.1 778.9 559.2 0.3 0.1 778.1 668.8 339.3 "
    "448.9 10.8 557.7 228.3 998.0 888.8 119.6 0.3 0.6 557.6 339.3 888.0 998.5 778.9 10.2 117.6 "
    "228.9 668.4 449.2 0.2"
)
PONTIUS_X = " ".join(2 * [str(150_000 * step) for step in range(1, 21)])
PONTIUS_Y = (
    ".11019 .21956 .32949 .43899 .54803 .65694 .76562 .87487 .98292 1.09146 1.20001 1.30822 "
    "1.41599 1.52399 1.63194 1.73947 1.84646 1.95392 2.06128 2.16844 .11052 .22018 .32939 .43886 "
    ".54798 .65739 .76596 .87474 .98300 1.09150 1.20004 1.30818 1.41613 1.52408 1.63159 1.73965 "
    "1.84696 1.95445 2.06177 2.16829"
)
WAMPLER_X = " ".join(map(str, range(21)))
WAMPLER_4_Y = (
    "75901 -204794 204863 -204436 253665 -200894 214131 -185192 221249 -138370 315911 -27644 "
    "455253 197434 783995 608816 1370781 1303798 2205519 2408860 3444321"
)


@dataclass(frozen=True)
class Linear:
    """y on powers of x."""

    powers: tuple[int, ...]
    x: tuple[str, ...]
    y: tuple[str, ...]
    coefficients: tuple[float, ...]
    errors: tuple[float, ...]


LINEAR = {
    "Norris": Linear(
        (0, 1),
        tuple(NORRIS_X.split()),
        tuple(NORRIS_Y.split()),
        (-0.262323073774029, 1.00211681802045),
        (0.232818234301152, 0.429796848199937e-03),
    ),
    "Pontius": Linear(
        (0, 1, 2),
        tuple(PONTIUS_X.split()),
        tuple(PONTIUS_Y.split()),
        (0.673565789473684e-03, 0.732059160401003e-06, -0.316081871345029e-14),
        (0.107938612033077e-03, 0.157817399981659e-09, 0.486652849992036e-16),
    ),
    "NoInt1": Linear(
        (1,),
        tuple(map(str, range(60, 71))),
        tuple(map(str, range(130, 141))),
        (2.07438016528926,),
        (0.165289256198347e-01,),
    ),
    "Wampler2": Linear(
        tuple(range(6)),
        tuple(WAMPLER_X.split()),
        tuple(f"{sum((x / 10) ** p for p in range(6)):.5f}" for x in range(21)),
        (1.0, 0.1, 0.01, 0.001, 0.0001, 0.00001),
        (0.0,) * 6,
    ),
    "Wampler4": Linear(
        tuple(range(6)),
        tuple(WAMPLER_X.split()),
        tuple(WAMPLER_4_Y.split()),
        (1.0,) * 6,
        (215232.624678170, 236355.173469681, 77934.3524331583, 10147.5507550350,
         564.566512170752, 11.2324854679312),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Shaped:
    """y = b f(x, shape): certified b, shape and residual sum of squares."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    curve: Callable[[float, float], float]
    start: float
    b: float
    shape: float
    squares: float


SHAPED = {
    "DanWood": Shaped(
        (1.309, 1.471, 1.490, 1.565, 1.611, 1.680),
        (2.138, 3.421, 3.597, 4.340, 4.882, 5.660),
        lambda x, p: x**p,
        5.0,
        7.6886226176e-01,
        3.8604055871e00,
        4.3173084083e-03,
    ),
    # The certified parameters are b1 = b and b2: y = b1 b2 x / (1 + b2 x).
    "Misra1d": Shaped(
        (77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1,
         760.0),
        (10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47,
         81.78),
        lambda x, k: k * x / (1 + k * x),
        1e-4,
        4.3736970754e02,
        3.0227324449e-04,
        5.6419295283e-02,
    ),
}  # fmt: skip

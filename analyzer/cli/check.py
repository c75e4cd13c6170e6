"""`stdb-sweep check RUN`: a gate for CI."""

from __future__ import annotations

import os
from pathlib import Path

import click


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--assert",
    "given",
    multiple=True,
    metavar="EXPR",
    help="As 'per_sender.seeks == S*(4*G+1)+1' or 'anonymous.ceiling[rooms=256] >= 200'; "
    "may be repeated.",
)
@click.option(
    "--asserts",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="One assertion a line; what follows # is a comment.",
)
@click.option("--junit", type=click.Path(path_type=Path), metavar="FILE", help="Write JUnit XML.")
@click.option(
    "--github",
    is_flag=True,
    help="Annotate the pull request.  [default: where GITHUB_ACTIONS is set]",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(
    run: Path,
    given: tuple[str, ...],
    asserts: Path | None,
    junit: Path | None,
    github: bool,
    as_json: bool,
) -> None:
    """Hold the run directory RUN to assertions. Ends with 99 and each failing line when one does
    not hold, with 2 when one cannot be read or names nothing that was measured.

    An assertion is ARM.QUANTITY[CELLS] OPERATOR VALUE. ARM is a name or *. QUANTITY is a count
    per write (seeks, view_calls, rows_scanned, deliveries, fuel), a cost (write_ms, reducer_ms,
    update_ms), ceiling, or void (cells). CELLS, as [clients=100,rows=64], picks from all measured
    ones, and [budget=20ms] sets that of a ceiling. VALUE is a number, or for counts a formula in
    S, R and P. Counts must hold exactly, costs and ceilings with the end of their 95 % interval
    that makes it harder.
    """
    from analyzer.assertions import check
    from analyzer.cli.output import print_document
    from analyzer.errors import AssertionBroken, UsageError
    from analyzer.folder import replace_text
    from analyzer.report import verdicts as shown
    from analyzer.store import load_run

    texts = [*given, *(_read(asserts) if asserts else ())]
    if not texts:
        raise UsageError("nothing is asserted: write --assert 'per_sender.seeks == S*(4*G+1)+1'")
    verdicts = check(load_run(run), texts)
    if junit:
        replace_text(junit, shown.junit(verdicts))
    print_document(
        lambda: [verdict.to_dict() for verdict in verdicts],
        lambda: shown.build_verdicts(verdicts),
        as_json=as_json,
    )
    if github or os.environ.get("GITHUB_ACTIONS"):
        for line in shown.github_lines(verdicts):
            click.echo(line, err=True)
    if broken := [verdict.assertion for verdict in verdicts if not verdict.holds]:
        raise AssertionBroken(f"does not hold: {'; '.join(broken)}")


def _read(path: Path) -> list[str]:
    from analyzer.errors import UsageError

    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--asserts {path}: {getattr(error, 'strerror', error)}") from None
    return [text for line in lines if (text := line.partition("#")[0].strip())]

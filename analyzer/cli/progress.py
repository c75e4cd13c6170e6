"""Progress on stderr: a live line with ETA on a terminal, a line per cell elsewhere."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as Bar

from analyzer.controller import Progress
from analyzer.errors import SweepError
from analyzer.measure import Measured
from analyzer.plan import Step
from analyzer.units import counted, text_ms, text_seconds


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Nobody there to read it is no reason to end a sweep."""
        self.quiet = True


class Notes(Progress):
    """Lines on stderr."""

    def __init__(self) -> None:
        self._console = _Console(stderr=True, highlight=False)

    def note(self, text: str, style: str | None = None) -> None:
        """A line that stays."""
        with contextlib.suppress(OSError):
            self._console.print(text, markup=False, style=style, soft_wrap=True)


@contextlib.contextmanager
def keeping(progress: LiveProgress) -> Iterator[None]:
    """An interrupt, which ends the command with 130, and an error tell what is kept."""
    try:
        yield
    except KeyboardInterrupt:
        progress.note(f"stdb-sweep: interrupted: {progress.kept()}")
        raise click.exceptions.Exit(130) from None
    except SweepError as error:
        error.add_note(progress.kept())
        raise


class LiveProgress(Notes):
    def __init__(self) -> None:
        super().__init__()
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[tail]}"),
            console=self._console,
            disable=not self._console.is_terminal,
            transient=True,
        )
        self._task: TaskID | None = None
        self._left: list[Step] = []
        self._done_work = 0.0
        self._count = 0
        self._step_name = ""
        self._started = 0.0
        self._run: Path | None = None
        self._finished = 0

    def begin(self, run: Path, steps: list[Step], finished: int) -> None:
        self._run, self._finished = run, finished
        if finished:
            self.note(f"resuming {run}: {_steps(finished, 'step')} finished")
        self._left, self._started = list(steps), time.monotonic()
        self._count, self._done_work = 0, 0.0
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._bar.start()
        self._task = self._bar.add_task("", total=sum(step.work for step in steps), tail="")

    def step(self, step: Step) -> None:
        self._step_name = f"{self._count + 1}/{len(self._left)} {step.cell}"
        self._draw(self._step_name)

    def connected(self, clients: int, of: int) -> None:
        self._draw(f"{self._step_name}: {clients} of {of} connected")

    def done(self, step: Step, measured: Measured) -> None:
        self._count += 1
        self._done_work += step.work
        last = measured.observations[-1]
        cost = "void" if last.verdict != "ok" else text_ms(last.write_ms or 0.0)
        if self._console.is_terminal:
            self._draw(f"{self._step_name}: {cost}")
        else:
            self.note(f"{self._step_name}: {cost}, {self._eta()}")
        for reason in dict.fromkeys(r for o in measured.observations for r in o.reasons):
            self.note(f"void {step.cell}: {reason}", style="yellow")

    def end(self) -> None:
        self._bar.stop()

    def kept(self) -> str:
        """What an interrupted sweep leaves, and how to go on."""
        if self._run is None:
            return "nothing was measured yet"
        steps = self._finished + self._count
        return f"{_steps(steps, 'finished step')} in {self._run}; the same command goes on"

    def _draw(self, text: str) -> None:
        if self._task is not None:
            self._bar.update(
                self._task, description=text, completed=self._done_work, tail=self._eta()
            )

    def _eta(self) -> str:
        if not self._done_work:
            return "ETA unknown"
        total = sum(step.work for step in self._left)
        spent = time.monotonic() - self._started
        return f"ETA {text_seconds(spent * (total / self._done_work - 1))}"


def _steps(number: int, noun: str) -> str:
    """`1 step is`, `7 steps are`."""
    return f"{counted(number, noun)} {'is' if number == 1 else 'are'}"

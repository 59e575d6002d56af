"""What goes wrong, with its place and what to do about it."""
from __future__ import annotations

from typing import Iterable, NamedTuple, Tuple


class Mistake(NamedTuple):
    """One mistake in a scene, a file or an argument.

    `file` is a file, or the place in a dict, as in bodies[0].material. `line` and `column` count
    from 1; 0: not known.
    """

    file: str
    line: int
    column: int
    what: str
    remedy: str

    @property
    def place(self) -> str:
        """file:line:column, as far as it is known."""
        place = self.file
        if self.line > 0:
            place += f":{self.line}"
            if self.column > 0:
                place += f":{self.column}"
        return place

    def __str__(self) -> str:
        text = f"{self.place}: {self.what}" if self.place else self.what
        return f"{text}; {self.remedy}" if self.remedy else text


class Error(Exception):
    """What knead raises, besides Python's own exceptions for wrong arguments."""


class InputError(Error, ValueError):
    """A person can mend it: a scene, a mesh, a material, a folder. All mistakes are in `mistakes`."""

    mistakes: Tuple[Mistake, ...]

    def __init__(self, mistakes: Iterable[Tuple[str, int, int, str, str]]) -> None:
        self.mistakes = tuple(Mistake(*m) for m in mistakes)
        super().__init__("\n".join(map(str, self.mistakes)))

    def __reduce__(self) -> Tuple[object, ...]:
        return (InputError, (tuple(tuple(m) for m in self.mistakes),))

    @property
    def place(self) -> str:
        """Where the first mistake is."""
        return self.mistakes[0].place

    @property
    def remedy(self) -> str:
        """What to do about the first mistake."""
        return self.mistakes[0].remedy


class RunError(Error, RuntimeError):
    """The run itself failed: disk full, numbers gone wrong, memory."""

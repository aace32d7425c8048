"""The reading plan: what of a pull request is worth fetching under a policy, known before anything is fetched."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from phasegate.model.frozen import dataclass
from phasegate.model.texts import Actor, Person

if TYPE_CHECKING:
    from phasegate.model.texts import IgnoreRule

# From the folders below a root, the numbers of the linked issues and the changed paths to the folders worth reading.
ChooseFolders = Callable[[tuple[str, ...], tuple[int, ...], tuple[str, ...]], tuple[str, ...]]
# From the text of the root's ignore file and some paths to the line that keeps them all out.
IgnoreReader: TypeAlias = "Callable[[str, Iterable[str]], IgnoreRule | None]"

# From the name of a folder and the numbers of the linked issues to whether it can hold evidence about them.
OwnFolder = Callable[[str, tuple[int, ...]], bool]

REGULAR_MODES = ("100644", "100755", "100664")  # the last one only old versions of git wrote


WRITING = ("write", "maintain", "admin")


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """The files of one shape that a dialect reads: ``root/<folder>/<name>``, or ``root/<name>``.

    ``names`` are literal; where there are none, every name with the ``ending`` is meant. Of those ``remembered``,
    earlier texts are rounds. Those that are ``silent``, beside them or in the root, say nothing and are not read.
    ``choose`` says which folders may be the pull request's, ``own`` which can be that of a linked issue. Only paths in
    those, and only as regular files, leave the content that verdicts are bound to.
    """

    root: str
    folders: bool
    names: tuple[str, ...] = ()
    ending: str = ""
    remembered: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    choose: ChooseFolders | None = None
    own: OwnFolder | None = None

    def holds(self, path: str) -> bool:
        """Whether a path is one of these files."""
        folder, _, name = path.rpartition("/")
        above, _, inside = folder.rpartition("/")
        if name in self.silent and self.root in (folder, above):
            return True
        if (above if self.folders else folder) != self.root or (self.folders and not inside):
            return False
        return name in self.names if self.names else bool(name.removesuffix(self.ending)) and name.endswith(self.ending)

    def concerns(self, path: str, issues: tuple[int, ...]) -> bool:
        """Whether a path is one of these files, and can be about a linked issue."""
        folder = path.rpartition("/")[0]
        if not self.holds(path) or not self.folders or self.own is None or folder == self.root:
            return self.holds(path)
        return self.own(folder.rpartition("/")[2], issues)


@dataclass(frozen=True, kw_only=True, slots=True)
class ApprovalPlace:
    """Where humans approve by runs: the file of the workflow and the protected environment."""

    workflow: str
    environment: str


def _nothing(text: str) -> Iterable[str]:
    del text
    return ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadingPlan:
    """What is worth a look.

    A text without any of the ``triggers`` carries nothing. ``cites`` are the files that a text calls as proof.
    ``check_apps`` are the apps whose check runs are read, ``checks`` the names of others that are. ``schemas`` are
    files of the default branch without which the policy cannot be understood: as long as there are any, nothing else is
    known. ``issues`` are the linked ones, ``named`` the accounts that the policy names, by login in lower case.
    """

    triggers: tuple[str, ...] = ()
    cites: Callable[[str], Iterable[str]] = _nothing
    evidence: tuple[Evidence, ...] = ()
    ignored_by: IgnoreReader | None = None
    approvals: ApprovalPlace | None = None
    teams: tuple[str, ...] = ()
    check_apps: tuple[int, ...] = ()
    checks: tuple[str, ...] = ()
    schemas: tuple[str, ...] = ()
    issues: tuple[int, ...] = ()
    named: frozenset[str] = frozenset()

    @property
    def runs_of(self) -> tuple[int | str, ...]:
        """Whose check runs are read: apps by their ids, and checks by their names."""
        return (*self.check_apps, *self.checks)

    def carries(self, text: str) -> bool:
        """Whether a text may hold a signal or a command; a quick look that never says no to one that does."""
        lowered = text.lower()
        return any(trigger in lowered for trigger in self.triggers)

    def may_speak(self, account: Actor | None, known: Person | None) -> bool:
        """Whether the words of an account may count; a quick look, for what is to be asked first."""
        named = account is not None and account.login.lower() in self.named
        return named or (known is not None and known.permission in WRITING)

    def reads(self, path: str) -> bool:
        """Whether a path has the name of evidence, about whatever issue."""
        return any(each.holds(path) for each in self.evidence)

    def leaves_out(self, path: str, mode: str | None) -> bool:
        """Whether a path is evidence, not product: by its name, in a folder of an issue, and as a regular file."""
        return mode in REGULAR_MODES and any(each.concerns(path, self.issues) for each in self.evidence)

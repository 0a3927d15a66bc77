"""Reads histories: JSON lines, whose form is described in Tests/Torture/History/History.swift and nowhere else.

A history holds one or many runs. Of each run this module makes the attempts (what was asked, from when to when, what
was answered), the deliveries, the events and the deeds. A history that contradicts itself is refused here (`form`).
"""

import glob
import json
import math
import re
import sys
from dataclasses import dataclass, field

VERSION = 1
FOREVER = math.inf


class Unreadable(Exception):
    """Not a history, or not one of this version."""


@dataclass
class Violation:
    """A promise that does not hold, and the lines of the history that show it."""

    promise: str
    run: int
    what: str
    evidence: list

    def __str__(self):
        lines = [f"VIOLATED {self.promise} (run {self.run}): {self.what}"]
        for event in self.evidence:
            members = {name: value for name, value in event.items() if name != "line"}
            lines.append(f"    line {event.get('line', '?')}: {json.dumps(members, ensure_ascii=False)[:400]}")
        return "\n".join(lines)


@dataclass
class Attempt:
    """One attempt of a call. An unknown one ends never: it may happen at any time after it began."""

    asked: dict
    begin: int
    end: float = FOREVER
    outcome: str = "unknown"
    answer: dict = field(default_factory=dict)

    @property
    def op(self):
        return self.asked["op"]

    @property
    def is_ok(self):
        return self.outcome == "ok"

    @property
    def may_be(self):
        """Whether it may have happened at all."""
        return self.outcome != "fail"

    @property
    def lines(self):
        return [self.asked] + ([self.answer] if self.answer else [])


@dataclass
class Run:
    number: int
    attempts: list = field(default_factory=list)
    deliveries: list = field(default_factory=list)
    events: list = field(default_factory=list)
    deeds: list = field(default_factory=list)
    # Webhooks were listened to, so an event that is not there was not told.
    hears_events: bool = False
    # Everything came to rest.
    has_ended: bool = False
    # Its beginning was thrown away.
    is_cut: bool = False

    def of(self, *ops):
        return [attempt for attempt in self.attempts if attempt.op in ops and attempt.may_be]


def files_of(path):
    """The files of a history in the order they were written: FILE.1, FILE.2, …, FILE."""
    older = [name for name in glob.glob(glob.escape(path) + ".*") if re.fullmatch(r"\d+", name.rsplit(".", 1)[1])]
    return sorted(older, key=lambda name: int(name.rsplit(".", 1)[1])) + [path]


def shared(members):
    """An object whose names and texts are in memory once: a long history says the same again and again."""
    return {sys.intern(name): sys.intern(value) if type(value) is str else value for name, value in members}


def lines_of(paths):
    """The events of these files, each with its place. Raises Unreadable."""
    events = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for number, text in enumerate(file, 1):
                place = f"{path}:{number}" if len(paths) > 1 else str(number)
                try:
                    event = json.loads(text, object_pairs_hook=shared)
                except ValueError as error:
                    raise Unreadable(f"{path}:{number} is not JSON: {error}") from error
                if not isinstance(event, dict) or "e" not in event:
                    raise Unreadable(f"{path}:{number} is no event")
                event["line"] = place
                events.append(event)
    return events


def runs_of(events):
    """The runs in these events, and what is wrong with their form. Raises Unreadable."""
    if not events or events[0].get("e") != "history":
        raise Unreadable("the first line does not say that this is a history")
    runs, violations = {}, []
    is_cut = events[0].get("file", 1) > 1
    open_attempts, known = {}, {}
    for event in events:
        if event["e"] == "history":
            if event.get("version") != VERSION:
                raise Unreadable(f"version {event.get('version')} is not known here, only {VERSION}")
            continue
        number = event.get("run")
        if not isinstance(number, int) or not isinstance(event.get("t"), int):
            raise Unreadable(f"line {event['line']} has no run or no time")
        run = runs.setdefault(number, Run(number, is_cut=is_cut))
        take(event, run, known, open_attempts, violations, is_cut)
    for attempt, number in open_attempts.values():
        if number is not None and runs[number].has_ended:
            violations.append(Violation("form", number, "an attempt that nobody saw the end of", attempt.lines))
    ids = sorted(known)
    for before, after in zip(ids, ids[1:]):
        if after != before + 1:
            violations.append(
                Violation("form", known[after].asked["run"], f"attempts between {before} and {after} are missing",
                          [known[before].asked, known[after].asked]))
    for run in runs.values():
        run.attempts.sort(key=lambda attempt: attempt.begin)
        run.deliveries.sort(key=lambda delivery: delivery["t"])
    return runs, violations


def take(event, run, known, open_attempts, violations, is_cut):
    """Puts one event where it belongs."""
    kind = event["e"]
    if kind == "invoke":
        if event["id"] in known:
            violations.append(Violation("form", run.number, "one id for two attempts",
                                        [known[event["id"]].asked, event]))
            return
        attempt = Attempt(event, event["t"])
        known[event["id"]] = attempt
        # What begins when all is over need not be waited for.
        open_attempts[event["id"]] = (attempt, None if run.has_ended else run.number)
        run.attempts.append(attempt)
    elif kind in ("ok", "fail", "unknown"):
        attempt, _ = open_attempts.pop(event["id"], (None, None))
        if attempt is None:
            if not is_cut or event["id"] in known:
                violations.append(Violation("form", run.number, "an answer to nothing, or a second one", [event]))
            return
        if event["t"] < attempt.begin:
            violations.append(Violation("form", run.number, "an answer before its question", [attempt.asked, event]))
        attempt.outcome, attempt.answer = kind, event
        if kind != "unknown":
            attempt.end = max(attempt.begin, event["t"])
    elif kind == "delivery":
        run.deliveries.append(event)
    elif kind == "event":
        run.events.append(event)
    elif kind == "deed":
        run.deeds.append(event)
    elif kind == "run":
        run.hears_events = event.get("events", False)
        run.is_cut = False
    elif kind == "end":
        run.has_ended = True
    else:
        raise Unreadable(f"line {event['line']}: nobody knows what {kind} is")


def read(path):
    return runs_of(lines_of(files_of(path)))

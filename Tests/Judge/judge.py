#!/usr/bin/env python3
"""Judges what a push center did, from a history alone: what clients asked and heard, and what the network received.

    judge.py HISTORY [--run N] [--most 20]

HISTORY is what `upmc-torture --history FILE` or `upmc-torture crash --history FILE` wrote, or anybody's file of that
form (Tests/Torture/History/History.swift describes it); FILE.1, FILE.2, … are read before it. Nothing is shared with the
product but that form. The promises, by the names in the verdict:

    form          the history does not contradict itself: each attempt has one end, none is missing
    idempotency   a key makes one message, whatever is repeated, and nothing is delivered that nobody asked for
    owner         a token is a register: what reaches it was for somebody who may have owned it at that time
    badge         a user's count is a register: one order of sends, reads and sets explains every answer and payload
    once          what was accepted arrived, at every device of the audience; more often only where it was counted
    stop          nothing is delivered more than the promised second after an answered pause or cancellation
    funnel        numbers add up at every look, and what counts up never counts down
    confirm       a confirmation that was answered is kept, and counted once
    told          the end of a message is told to its webhooks, as one event
    sms           one short message at most for a person and a message, none for those who confirmed in time

What was not answered may have happened, may happen later, or never: a verdict of "violated" holds whichever it was.

One thing is not held against the product: that `targeted` falls by those who went before it was their turn.

Ends with 0: nothing is violated. 1: something is. 2: this is no history. 3: nothing is violated, but the search for an
order of somebody's counts was given up.
"""

import argparse
import sys

import badges
import confirmations
import deliveries
import events
import funnels
import people as persons
from history import Unreadable, read
from messages import Messages


class Notes(list):
    """What could not be decided, and how many counts were."""

    judged = 0


def judge(runs, notes=None):
    """All violations of these runs."""
    notes = Notes() if notes is None else notes
    found = []
    for run in runs.values():
        people = persons.People(run)
        messages = Messages(run)
        found += messages.violations
        for part in (persons.check, deliveries.check, funnels.check, confirmations.check, events.check):
            found += part(run, people, messages)
        found += badges.check(run, people, messages, notes)
    return found


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("history")
    parser.add_argument("--run", type=int, help="only this run")
    parser.add_argument("--most", type=int, default=20, help="violations that are told one by one")
    chosen = parser.parse_args(arguments)
    try:
        runs, violations = read(chosen.history)
    except (OSError, Unreadable, UnicodeDecodeError) as error:
        print(f"{chosen.history} cannot be judged: {error}", file=sys.stderr)
        return 2
    if chosen.run is not None:
        runs = {number: run for number, run in runs.items() if number == chosen.run}
        violations = [violation for violation in violations if violation.run == chosen.run]
    notes = Notes()
    violations += judge(runs, notes)
    for violation in violations[:chosen.most]:
        print(violation)
    for note in notes:
        print(f"UNDECIDED {note}")
    attempts = sum(len(run.attempts) for run in runs.values())
    received = sum(len(run.deliveries) for run in runs.values())
    print(f"{len(runs)} runs, {attempts} attempts, {received} deliveries, {notes.judged} counts judged")
    print(f"VERDICT: {len(violations)} violated" if violations else "VERDICT: nothing is violated")
    return 1 if violations else 3 if notes else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Spoils a good history in one place at a time, and counts how often the judge notices.

    mutate.py HISTORY [--mutations 1000] [--seed 1] [--survivors 0]

Each mutation drops one event, writes one twice, changes one number in one, or exchanges the times of two events of one run
that follow each other. The share that was refused is told by class: the kind of event and what was done to it. Ends with 0
when the history itself is good.

Why some survive, that is: why the history is as possible afterwards as it was before.

    drop invoke, ok, fail, unknown   refused always: attempts are numbered, and each has one end. Only the last attempt of a
                                     history can be dropped as a whole, and an `unknown` says what its absence says, unless
                                     the run has ended.
    drop delivery, twice delivery    refused when the device is counted once, and nothing is in doubt: with `resent` or
                                     `unknown` in the last funnel one more or one less is what they mean; and what a cancelled
                                     message reaches before its end is not known from its audience, only from its funnel.
    drop event, number in event      an event of another kind than `sms.requested` carries no promise that is judged here.
    twice event                      the same id again is the same event: webhooks may come more than once, by promise.
    drop run, end, deed              they ask for less or excuse something, and say nothing that was answered.
    number: t                        a moment may move as long as nothing is overtaken: so most small moves are possible.
    number: id, process, status      refused for ids; `process` and a refusal's status carry no promise.
    number in badge                  refused where the count is seen afterwards; a count that was set and never looked at, or
                                     set again at once, may be any.
    number in a guest's, a moved token's, or an erased user's   what belongs to whom is in doubt there, and not judged.
    swap                             the times of two events that overlap, or that concern different messages and users,
                                     say nothing about each other.
"""

import argparse
import copy
import json
import random
import sys
from collections import Counter

import judge
from history import Unreadable, files_of, lines_of, runs_of

CLASSES = ("drop", "twice", "number", "swap")


def numbers_in(value, path=()):
    """Where the numbers are; SEQNOs are numbers in a text."""
    if isinstance(value, bool):
        return
    if isinstance(value, int) or isinstance(value, str) and value.isdigit() and len(value) < 20:
        yield path
    elif isinstance(value, dict):
        for name, member in value.items():
            if name not in ("line", "run", "version"):
                yield from numbers_in(member, path + (name,))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from numbers_in(member, path + (index,))


def change(event, path, dice):
    event = copy.deepcopy(event)
    place = event
    for step in path[:-1]:
        place = place[step]
    old = place[path[-1]]
    new = int(old) + dice.choice((-1, 1)) * (dice.choice((1, 2, 10)) if path != ("t",) else dice.randrange(1, 3_000_000))
    place[path[-1]] = str(new) if isinstance(old, str) else new
    return event


def mutate(events, dice):
    """The events of a run with one mutation, and the class of it."""
    how = dice.choice(CLASSES)
    index = dice.randrange(len(events))
    event = events[index]
    if how == "drop":
        return events[:index] + events[index + 1:], f"drop {event['e']}"
    if how == "twice":
        return events[:index + 1] + [event] + events[index + 1:], f"twice {event['e']}"
    if how == "number":
        path = dice.choice(list(numbers_in(event)))
        name = next(step for step in path if isinstance(step, str))
        return events[:index] + [change(event, path, dice)] + events[index + 1:], f"number: {name} of {event['e']}"
    order = sorted(range(len(events)), key=lambda number: events[number]["t"])
    place = dice.randrange(len(order) - 1)
    one, two = order[place], order[place + 1]
    changed = list(events)
    changed[one] = {**events[one], "t": events[two]["t"]}
    changed[two] = {**events[two], "t": events[one]["t"]}
    return changed, f"swap {events[one]['e']} and {events[two]['e']}"


def refused(events):
    """The promises that are broken; a history that cannot be read at all is refused as `form`."""
    try:
        runs, violations = runs_of(events)
        return {one.promise for one in violations + judge.judge(runs)}
    except (Unreadable, KeyError, TypeError, ValueError, IndexError):
        return {"form"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("history")
    parser.add_argument("--mutations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--survivors", type=int, default=0, help="so many survivors are shown")
    chosen = parser.parse_args()
    events = lines_of(files_of(chosen.history))
    header, by_run = events[0], {}
    for event in events[1:]:
        if event["e"] != "history":
            by_run.setdefault(event["run"], []).append(event)
    bad = [number for number, some in by_run.items() if refused([header] + some)]
    if bad:
        print(f"these runs are not good to begin with: {bad}", file=sys.stderr)
        return 1
    dice, all_of, seen, promises = random.Random(chosen.seed), Counter(), Counter(), Counter()
    for _ in range(chosen.mutations):
        # Runs share nothing: it is enough to judge the one that was spoilt.
        number = dice.choice(list(by_run))
        spoilt, name = mutate(by_run[number], dice)
        broken = refused([header] + spoilt)
        all_of[name] += 1
        seen[name] += bool(broken)
        promises.update(broken)
        if not broken and sum(all_of.values()) - sum(seen.values()) <= chosen.survivors:
            other = [line for line in spoilt if line not in by_run[number]] or \
                [line for line in by_run[number] if line not in spoilt]
            print(f"survived: {name}: {json.dumps(other)[:600]}")
    for name in sorted(all_of):
        print(f"{seen[name]:5} of {all_of[name]:5} refused: {name}")
    for name, count in promises.most_common():
        print(f"{count:5} times for {name}")
    total = sum(seen.values())
    print(f"{total} of {chosen.mutations} mutations were refused ({100 * total / chosen.mutations:.1f} %)")
    return 0


if __name__ == "__main__":
    sys.exit(main())

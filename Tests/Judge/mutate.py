#!/usr/bin/env python3
"""Spoils a good history in one place at a time, and counts how often the judge notices.

    mutate.py HISTORY [--mutations 1000] [--seed 1] [--survivors 0]

Each mutation does one thing to one run:

    drop     one event is not there
    forget   one whole attempt is not there, as if nobody had made it: the others are numbered anew
    twice    one event is there twice
    number   one number in one event is another, by 1, 2 or 10; a time, by up to three seconds
    swap     two events that follow each other exchange their times

The share that was refused is told by class: what was done, and to which kind of event. Below each class of which some
survived stands why they may: why the history is as possible afterwards as it was before. Ends with 0 when the history
itself is good.
"""

import argparse
import copy
import json
import random
import sys
from collections import Counter

import judge
from history import Unreadable, files_of, lines_of, runs_of

CLASSES = ("drop", "forget", "twice", "number", "swap")

# Why a mutation may survive, by the beginning of its class.
WHY = {
    "drop run": "the run is judged less strictly: nobody says that its events were written down",
    "drop end": "the run is judged less strictly: it may still be going on",
    "drop deed": "a disturbance excuses what came late; nothing did",
    "drop delivery": "the last funnel says that a delivery was in doubt, so it may be one that never arrived",
    "drop event": "nobody heard of it, and nothing says yet that the run has ended",
    "drop unknown": "an attempt without an end is unknown",
    "drop invoke": "the last attempt of a history that goes on",
    "drop ok": "the run has no end, so an attempt may be without one: it is unknown then",
    "drop fail": "the run has no end, so an attempt may be without one: it is unknown then",
    "forget funnel": "a look changes nothing",
    "forget getBadge": "a look changes nothing",
    "forget register": "the same was registered in another attempt, or the token was never used",
    "forget receipt": "another attempt said the same, or that it was read, which says that it was received",
    "forget read": "another attempt said the same, or nobody looked at count and numbers again",
    "forget setBadge": "nobody looked at the count again, or another attempt set the same",
    "forget send": "the same key was sent in another attempt",
    "forget resend": "the same key was sent in another attempt",
    "forget pause": "a pause forbids, and what it forbids did not happen",
    "forget cancel": "it was asked for in another attempt",
    "forget resume": "nothing was delivered that only the resumption allows",
    "forget erase": "nothing shows that anybody was forgotten",
    "forget join": "everybody in the group is there by another attempt, or got nothing",
    "twice delivery": "the last funnel counts a repetition that did not arrive, so one more is what it says",
    "twice event": "the same id is the same event: a webhook may hear it more than once, by promise",
    "twice run": "it says the same again",
    "twice end": "it says the same again",
    "twice deed": "it says the same again",
    "number: t of": "a moment may move as long as it overtakes nothing that depends on it",
    "number: process": "who repeats an attempt does not matter: each may happen",
    "number: status": "a refusal is a refusal",
    "number: until": "a disturbance excuses what came late; nothing did",
    "number: file": "which file it is says only whether some are missing",
    "number: seqno of invoke": "what is asked or forbidden now of another message is as true of that one",
    "number: items": "what is confirmed of another message, or by another value, is as possible when nobody looks again",
    "number: value": "nobody looked at the count again",
    "number: badge": "the count is in doubt there: who has the token cannot be told, or was forgotten",
    "number: received": "somebody who had confirmed is being forgotten",
    "number: read": "somebody who had read is being forgotten",
    "number: unknown": "more or less doubt is as possible, while nothing arrived more often",
    "number: resent": "more submissions are as possible, while nothing arrived more often",
    "number: sms": "nobody confirmed between the two deadlines",
    "swap": "the two overlap then, or do not depend on each other: what overlaps may have happened in either order",
}


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
    step = dice.randrange(1, 3_000_000) if path == ("t",) else dice.choice((1, 2, 10))
    new = int(old) + dice.choice((-1, 1)) * step
    place[path[-1]] = str(new) if isinstance(old, str) else new
    return event


def mutate(events, dice):
    """The events of a run with one mutation, and the class of it."""
    how = dice.choice(CLASSES)
    index = dice.randrange(len(events))
    event = events[index]
    if how == "drop":
        return events[:index] + events[index + 1:], f"drop {event['e']}"
    if how == "forget":
        event = dice.choice([event for event in events if event["e"] == "invoke"])
        return forget(events, event["id"]), f"forget {event['op']}"
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


def forget(events, number):
    return [{**event, "id": event["id"] - (event["id"] > number)} if isinstance(event.get("id"), int) else event
            for event in events if event.get("id") != number]


def why(name):
    return next((words for start, words in WHY.items() if name.startswith(start)), "nobody knows: a hole in the judge")


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
        if seen[name] < all_of[name]:
            print(f"{'':23}{why(name)}")
    for name, count in promises.most_common():
        print(f"{count:5} times for {name}")
    total = sum(seen.values())
    print(f"{total} of {chosen.mutations} mutations were refused ({100 * total / chosen.mutations:.1f} %)")
    return 0


if __name__ == "__main__":
    sys.exit(main())

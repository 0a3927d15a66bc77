"""A user's badge is a register: what sends, reads and sets do to it must be what answers and payloads say of it.

Nothing here knows what was stored: only when something was asked, what was answered, and what a payload carried.
"""

from collections import defaultdict

from history import FOREVER, Violation
from messages import NEGATIVE
from register import GaveUp, Operation, Search


def operations(run, people, messages):
    """By person, everything that may have moved or shown the count."""
    found = defaultdict(list)
    add_messages(people, messages, found)
    add_reads(run, people, found)
    for attempt in run.of("setBadge", "getBadge"):
        name = people.person_of_device(attempt.asked["device"])
        if name is None or attempt.op == "getBadge" and not attempt.is_ok:
            continue
        found[name].append(Operation(
            "set" if attempt.op == "setBadge" else "see", attempt.begin, attempt.end, attempt.lines,
            value=attempt.asked.get("value"), answer=attempt.answer.get("badge") if attempt.is_ok else None,
            is_optional=not attempt.is_ok))
    return found


def add_reads(run, people, found):
    unanswered = {}
    for attempt in run.of("read"):
        answers = attempt.answer["results"] if attempt.is_ok else [None] * len(attempt.asked["items"])
        for (seqno, token, option, value), answer in zip(attempt.asked["items"], answers):
            name = people.only_person(token)
            if name is None or attempt.is_ok and answer[0] != "recorded":
                continue
            one = Operation("read", attempt.begin, attempt.end, attempt.lines, value=value, option=option,
                            answer=answer[1] if answer else None, is_optional=not attempt.is_ok, message=seqno)
            if one.is_optional and option != "force":
                # Of many attempts without an answer only the first to happen can do anything.
                if (name, seqno, option, value) in unanswered:
                    continue
                unanswered[name, seqno, option, value] = one
            found[name].append(one)


def add_messages(people, messages, found):
    everybody = {person for token in list(people.by_token) for person in people.persons_of(token)}
    for message in messages.by_key.values():
        badge = message.asked.get("badge")
        if not badge:
            continue
        reached = defaultdict(list)
        for delivery in message.deliveries:
            reached[people.only_person(delivery["token"])].append(delivery)
        names = message.asked.get("names") or []
        meant = {"user " + name for name in names} if message.asked["audience"] == "users" else everybody
        for person in meant:
            if person in reached or message.is_for(person, people):
                found[person] += of_message(message, badge, reached.get(person, []))


def of_message(message, badge, deliveries):
    """What a message does to one person's count, and the payloads that show it."""
    how, value = badge
    begin, last = message.begin, message.last
    end = max(begin, deliveries[0]["t"]) if deliveries else FOREVER
    add = Operation(
        "add" if how == "increment" else "set", begin, end, message.lines + deliveries[:1],
        value=value if how != "clear" else 0, is_optional=not deliveries, message=message.seqno or message.key)
    if how == "increment":
        negative = last is None or any(last[name] for name in NEGATIVE)
        # One that arrived is among the accepted, unless there was doubt about it.
        add.may_be_taken_back = negative and (not deliveries or last is None or last["unknown"] > 0)
        if last is not None and not deliveries:
            add.may_be_taken_back = True
            add.must_be_gone = message.settled.end
    seen = [Operation("see", begin, max(begin, delivery["t"]), [delivery], answer=delivery["badge"], after=add)
            for delivery in deliveries]
    return [add] + seen


def before_erasure(found, moment):
    """What certainly, or perhaps, happened before somebody was forgotten."""
    kept = [one for one in found if one.begin < moment]
    for one in kept:
        if one.end >= moment:
            one.is_optional, one.answer, one.end = True, None, FOREVER
    known = {id(one) for one in kept}
    return [one for one in kept if one.after is None or id(one.after) in known]


def check(run, people, messages, notes):
    if run.is_cut:
        return
    doubtful = people.doubtful
    for person, found in sorted(operations(run, people, messages).items()):
        if person in doubtful:
            continue
        moment = people.erased_at(person)
        if moment is not None:
            found = before_erasure(found, moment)
        try:
            finding = Search(found).run()
        except GaveUp:
            notes.append(f"run {run.number}: the count of {person} could not be decided, {len(found)} operations")
            continue
        notes.judged += 1
        if finding:
            stuck = finding.stuck
            lines = [line for one in finding.before for line in one.lines] + stuck.lines
            said = "must move it" if stuck.answer is None else f"says {stuck.answer}"
            yield Violation("badge", run.number, f"the count of {person} has no order: it can have been "
                            f"{finding.counts[:8]} when line {stuck.lines[-1]['line']} {said}", unique(lines))


def unique(lines):
    """Each line once, in order."""
    return list({line["line"]: line for line in lines}.values())

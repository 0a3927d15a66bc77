"""Receipts and reads: kept once they were answered, and short messages for those alone who had not confirmed."""

from collections import defaultdict

from funnels import results
from history import Violation


def check(run, people, messages):
    yield from check_once(run, people)
    yield from check_short_messages(run, people, messages)


def check_once(run, people):
    """A confirmation is recorded once: whoever repeats it hears `duplicate`, and only who repeats it does."""
    said = defaultdict(list)
    for attempt in run.of("receipt", "read"):
        for index, (item, result) in enumerate(zip(attempt.asked["items"], results(attempt))):
            device = people.only_installation(item[1])
            name = people.only_person(item[1])
            if device is not None and name is not None and people.erased_at(name) is None:
                said[item[0], device].append((attempt, index, result))
    for (seqno, device), all_said in said.items():
        for op in ("receipt", "read"):
            some = [one for one in all_said if one[0].op == op]
            recorded = [attempt for attempt, _, result in some if result == "recorded"]
            if len(recorded) > 1:
                yield Violation("confirm", run.number, f"the {op} of message {seqno} by {device} was forgotten: it was "
                                "recorded twice", recorded[0].lines + recorded[1].lines)
            for attempt, index, result in some:
                if result not in (None, "recorded", "duplicate"):
                    yield Violation("confirm", run.number, f"the {op} of message {seqno} by {device} was answered "
                                    f"{result}", attempt.lines)
                if result == "duplicate" and not run.is_cut and not has_another(all_said, op, attempt, index):
                    yield Violation("confirm", run.number, f"the {op} of message {seqno} by {device} is called a "
                                    "repetition and is none", attempt.lines)


def has_another(all_said, op, attempt, index):
    """Whether something may have been recorded before: for a receipt a read will do."""
    return any((other is not attempt or at != index) and other.begin <= attempt.end and (op == "receipt" or other.op == op)
               for other, at, _ in all_said)


def check_short_messages(run, people, messages):
    """At most one short message for a person and a message, and none for those who confirmed in time."""
    asked = defaultdict(dict)
    for event in run.events:
        if event["kind"] == "sms.requested":
            asked[event["seqno"], "user " + event["user"]].setdefault(event["id"], event)
    confirmed = defaultdict(list)
    for attempt in run.of("receipt", "read"):
        for item, result in zip(attempt.asked["items"], results(attempt)):
            confirmed[item[0], people.only_person(item[1])].append((attempt, result))
    for (seqno, person), events in asked.items():
        if len(events) > 1:
            yield Violation("sms", run.number, f"{len(events)} short messages were asked for, of message {seqno} to "
                            f"{person}", list(events.values()))
        message = messages.by_seqno.get(seqno)
        if message is None:
            if not run.is_cut:
                yield Violation("sms", run.number, f"a short message for message {seqno}, which nobody sent",
                                list(events.values()))
            continue
        sms = message.asked.get("sms")
        if not sms or not message.is_for(person, people):
            yield Violation("sms", run.number, f"a short message that message {seqno} did not ask for, to {person}",
                            message.lines + list(events.values()))
            continue
        for attempt, result in confirmed[seqno, person]:
            in_time = attempt.is_ok and attempt.end < message.begin + sms[0] * 1_000_000
            if in_time and result in ("recorded", "duplicate") and (sms[1] == "received" or attempt.op == "read"):
                yield Violation("sms", run.number, f"{person} had confirmed message {seqno} in time",
                                attempt.lines + list(events.values()))
                break
    if run.hears_events and run.has_ended:
        yield from check_missing(run, people, messages, asked, confirmed)


def check_missing(run, people, messages, asked, confirmed):
    """Who was named, was reached and has confirmed nothing gets one."""
    for message in messages.known:
        sms = message.asked.get("sms")
        if not sms or message.last is None or message.last["state"] == "cancelled":
            continue
        reached = {people.only_person(delivery["token"]) for delivery in message.deliveries} - {None}
        for person in sorted(reached):
            forgotten = people.erased_at(person)
            if not person.startswith("user ") or (message.seqno, person) in asked or \
                    forgotten is not None and forgotten <= message.last["t"]:
                continue
            ops = ("receipt", "read") if sms[1] == "received" else ("read",)
            if not any(attempt.op in ops for attempt, _ in confirmed[message.seqno, person]):
                yield Violation("sms", run.number, f"{person} has confirmed nothing of message {message.seqno}, and no "
                                "short message was asked for", message.lines)

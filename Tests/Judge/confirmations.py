"""Receipts and reads: kept once they were answered, and recorded once."""

from collections import defaultdict

from history import Violation
from messages import statuses


def check(run, people, messages):
    """A confirmation is recorded once: whoever repeats it hears `duplicate`, and only who repeats it does."""
    yield from check_strangers(run, messages)
    said = defaultdict(list)
    for message in messages.by_seqno.values():
        reached = {people.only_installation(delivery["token"]) for delivery in message.deliveries}
        for attempt, token, result, place in message.confirmations:
            device, name = people.only_installation(token), people.only_person(token)
            if device is None or name is None or people.erased_at(name) is not None:
                continue
            said[message.seqno, device].append((attempt, place, result))
            if result == "recorded" and device not in reached and not run.is_cut:
                yield Violation("confirm", run.number, f"the {attempt.op} of message {message.seqno} by {device}, "
                                "which it never reached, was recorded", attempt.lines)
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
                # Where something is done to the center it repeats by itself what the database may have committed already.
                if (result == "duplicate" and not run.is_cut and not run.deeds
                        and not has_another(all_said, op, attempt, index)):
                    yield Violation("confirm", run.number, f"the {op} of message {seqno} by {device} is called a "
                                    "repetition and is none", attempt.lines)


def check_strangers(run, messages):
    """Nothing is recorded of a message that was neither answered nor delivered."""
    if run.is_cut:
        return
    for attempt in run.of("receipt", "read"):
        for item, result in zip(attempt.asked["items"], statuses(attempt)):
            if result in ("recorded", "duplicate") and item[0] not in messages.by_seqno \
                    and item[0] not in messages.unnamed:
                yield Violation("confirm", run.number, f"something was recorded of message {item[0]}, which nobody "
                                "asked for", attempt.lines)


def has_another(all_said, op, attempt, index):
    """Whether something may have been recorded before: for a receipt a read will do."""
    return any((other is not attempt or at != index) and other.begin <= attempt.end
               and (op == "receipt" or other.op == op) for other, at, _ in all_said)

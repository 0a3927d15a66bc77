"""Receipts and reads: kept once they were answered; that each counts once is for the funnels."""

from history import Violation
from messages import statuses


def check(run, people, messages):
    """Whoever was reached and confirms it hears that it is recorded, and nobody else does."""
    yield from check_strangers(run, messages)
    for message in messages.by_seqno.values():
        reached = {people.only_installation(delivery["token"]) for delivery in message.deliveries}
        for attempt, token, result, _ in message.confirmations:
            device, name = people.only_installation(token), people.only_person(token)
            if device is None or name is None or people.erased_at(name) is not None:
                continue
            what = f"the {attempt.op} of message {message.seqno} by {device}"
            if result == "recorded" and device not in reached and not run.is_cut:
                yield Violation("confirm", run.number, f"{what}, which it never reached, was recorded", attempt.lines)
            if result not in (None, "recorded"):
                yield Violation("confirm", run.number, f"{what} was answered {result}", attempt.lines)


def check_strangers(run, messages):
    """Nothing is recorded of a message that was neither answered nor delivered."""
    if run.is_cut:
        return
    for attempt in run.of("receipt", "read"):
        for item, result in zip(attempt.asked["items"], statuses(attempt)):
            if result == "recorded" and item[0] not in messages.by_seqno \
                    and item[0] not in messages.unnamed:
                yield Violation("confirm", run.number, f"something was recorded of message {item[0]}, which nobody "
                                "asked for", attempt.lines)

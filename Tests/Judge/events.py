"""What webhooks were told: short messages for those alone who had not confirmed, and each message's end."""

from collections import defaultdict

from history import Violation
from messages import told_of


def check(run, people, messages):
    yield from check_short_messages(run, people, messages)
    yield from check_ends(run, messages)


def check_ends(run, messages):
    """The end of a message is told once, and once more each time that it is told to be open again."""
    told, reopened = told_of(run, "message.finished"), told_of(run, "message.reopened")
    for seqno, events in told.items():
        if len(events) > 1 + len(reopened[seqno]):
            yield Violation("told", run.number, f"the end of message {seqno} is {len(events)} events",
                            list(events.values()) + list(reopened[seqno].values()))
        if seqno not in messages.by_seqno and not run.is_cut:
            yield Violation("told", run.number, f"the end of message {seqno}, which nobody sent", list(events.values()))
    for seqno, events in reopened.items():
        if seqno not in told and not run.is_cut:
            yield Violation("told", run.number, f"message {seqno} goes on, and its end was never told",
                            list(events.values()))
    if run.hears_events and run.has_ended:
        for message in messages.known:
            if message.last and message.seqno not in told:
                yield Violation("told", run.number, f"the end of message {message.seqno} was not told", message.lines)


def check_short_messages(run, people, messages):
    """At most one short message for a person and a message, and none for those who confirmed in time."""
    asked = defaultdict(dict)
    for event in run.events:
        if event["kind"] == "sms.requested":
            asked[event["seqno"], "user " + event["user"]].setdefault(event["id"], event)
    confirmed = defaultdict(list)
    for message in messages.by_seqno.values():
        for attempt, token, result, _ in message.confirmations:
            confirmed[message.seqno, people.only_person(token)].append((attempt, result))
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
        early = [event for event in events.values() if event["t"] < message.begin]
        if early:
            yield Violation("sms", run.number, f"a short message before message {seqno} was asked for",
                            message.lines + early)
        for attempt, result in confirmed[seqno, person]:
            in_time = attempt.is_ok and attempt.end < message.begin + sms[0] * 1_000_000
            if in_time and result == "recorded" and (sms[1] == "received" or attempt.op == "read"):
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

"""Deliveries against what was promised of them: once each, under the same ids, none after a pause or a cancellation."""

from collections import Counter, defaultdict

from history import Violation
from messages import NEGATIVE
from people import person

# Pauses and cancellations hold within a second; two more for a machine on which everything is under torture.
PROMISED, GRACE = 1_000_000, 2_000_000
# After the end of a disturbance, until reconnections and retries are through.
RECOVERY = 6_000_000


def check(run, people, messages):
    alive = last_seen_alive(run, people, messages)
    nobody_refused = not any(message.last and message.last["rejected"] for message in messages.known)
    for message in messages.known:
        yield from check_ids(run, people, message)
        yield from check_numbers(run, message)
        yield from check_audience(run, people, message, alive, nobody_refused)
        yield from check_stops(run, message)
        yield from check_cancelled(run, message)


def check_ids(run, people, message):
    tokens, ids = defaultdict(list), defaultdict(list)
    for delivery in message.deliveries:
        if delivery["t"] < message.begin:
            yield Violation("once", run.number, f"message {message.seqno} was delivered before it was asked for",
                            message.lines + [delivery])
        if delivery["collapseId"] != message.deliveries[0]["collapseId"]:
            yield Violation("once", run.number, f"message {message.seqno} has two collapse-ids",
                            [message.deliveries[0], delivery])
        tokens[delivery["apnsId"]].append(delivery)
        installation = people.only_installation(delivery["token"])
        if installation:
            ids[installation].append(delivery)
    for some in ids.values():
        if len({delivery["apnsId"] for delivery in some}) > 1:
            yield Violation("once", run.number, f"message {message.seqno} reached one device under two ids", some[:4])
    for some in tokens.values():
        names = {people.only_installation(delivery["token"]) for delivery in some} - {None}
        if len(names) > 1:
            yield Violation("once", run.number, f"message {message.seqno} has one id for two devices", some[:4])


def check_numbers(run, message):
    """Everything that was accepted arrived; what arrived otherwise, or more than once, is counted as doubt."""
    last = message.last
    if last is None:
        if run.has_ended:
            yield Violation("once", run.number, f"message {message.seqno} was never seen to end", message.lines)
        return
    counts = Counter(delivery["apnsId"] for delivery in message.deliveries)
    excess = sum(counts.values()) - len(counts)
    if last["accepted"] > len(counts):
        yield Violation("once", run.number, f"message {message.seqno}: {last['accepted']} devices are said to have "
                        f"been reached, {len(counts)} were", message.lines + [last])
    if len(counts) - last["accepted"] > last["unknown"]:
        yield Violation("once", run.number, f"message {message.seqno} reached {len(counts)} devices: "
                        f"{last['accepted']} accepted, only {last['unknown']} in doubt",
                        message.lines + [last])
    if excess > last["resent"] + last["unknown"]:
        twice = [delivery for delivery in message.deliveries if counts[delivery["apnsId"]] > 1]
        yield Violation("once", run.number, f"message {message.seqno} arrived {excess} times too often, "
                        f"{last['resent']} were counted as resent and {last['unknown']} as unknown", twice[:6] + [last])


def last_seen_alive(run, people, messages):
    """By installation, the latest begin of a message that reached it."""
    seen = {}
    for message in messages.known:
        for delivery in message.deliveries:
            name = people.only_installation(delivery["token"])
            seen[name] = max(seen.get(name, 0), message.begin)
    return seen


def check_audience(run, people, message, alive, nobody_refused):
    """Every device that certainly belonged to the audience was reached, or is among those that ended negative."""
    last = message.last
    if last is None or run.is_cut or message.original:
        return
    reached = {people.only_installation(delivery["token"]) for delivery in message.deliveries}
    certain = set()
    for name, registrations in people.by_installation.items():
        before = [one for one in registrations if one.is_ok and one.end < message.begin]
        shared = any(people.only_installation(one.asked["token"]) is None for one in registrations)
        if not before or shared:
            continue
        if not message.is_for(person(before[-1]), people) or message.asked["audience"] == "groups":
            continue
        if any(erasure.asked["user"] == before[-1].asked["user"] and erasure.begin <= message.last["t"]
               for erasure in people.erasures):
            continue
        # One that the network refused may have been dropped, unless it got something later without registering again.
        is_alive = alive.get(name, 0) > message.begin and not any(
            message.begin <= one.begin <= alive[name] for one in registrations)
        if nobody_refused or is_alive:
            certain.add(name)
    missing = certain - reached
    negative = sum(last[name] for name in NEGATIVE)
    if len(missing) > negative:
        yield Violation("once", run.number, f"message {message.seqno} did not reach {sorted(missing)[:5]}, and only "
                        f"{negative} devices are said to have been left out", message.lines + [last])
    if last["targeted"] is None or last["targeted"] < len(certain):
        yield Violation("once", run.number, f"message {message.seqno} was for {len(certain)} devices at least, and "
                        f"{last['targeted']} are said to have been meant", message.lines + [last])


def check_stops(run, message):
    """Nothing is delivered later than the promised second after an answered cancel or pause; resuming ends a pause."""
    for stop in message.controls:
        if not stop.is_ok or stop.op == "resume":
            continue
        for delivery in message.deliveries:
            if delivery["t"] <= stop.end + PROMISED + GRACE or is_disturbed(run, stop.begin, delivery["t"]):
                continue
            resumed = stop.op == "pause" and any(
                other.op == "resume" and other.end >= stop.begin and other.begin <= delivery["t"]
                for other in message.controls)
            if not resumed:
                late = (delivery["t"] - stop.end) / 1e6
                yield Violation("stop", run.number, f"message {message.seqno} was delivered {late:.1f} s after its "
                                f"{stop.op} was answered", stop.lines + [delivery])
                break


def check_cancelled(run, message):
    """It is cancelled when that was answered, and only when it was asked for."""
    cancels = [attempt for attempt in message.controls if attempt.op == "cancel"]
    for funnel in message.funnels:
        state = funnel.answer["state"]
        if state == "cancelled" and not any(attempt.begin <= funnel.end for attempt in cancels):
            yield Violation("stop", run.number, f"message {message.seqno} is cancelled, and nobody asked for that",
                            funnel.lines)
            return
        before = [attempt for attempt in cancels if attempt.is_ok and attempt.end < funnel.begin]
        # Until what is under way has come back it is called paused.
        if before and state not in ("paused", "cancelled"):
            yield Violation("stop", run.number, f"message {message.seqno} is {state} after its cancellation was "
                            "answered", before[0].lines + funnel.lines)
            return


def is_disturbed(run, begin, end):
    return any(deed["t"] <= end and begin <= deed["until"] + RECOVERY for deed in run.deeds)

"""Funnels as they were seen: they add up, and what counts up never counts down."""

from history import Violation
from messages import FINAL, NEGATIVE, is_settled

RISING = ("accepted", "unknown", "resent")
CONFIRMED = ("received", "read")


def check(run, people, messages):
    for message in messages.known:
        for funnel in message.funnels:
            yield from check_sum(run, people, message, funnel)
        yield from check_course(run, people, message)
        yield from check_confirmations(run, people, message)


def check_sum(run, people, message, funnel):
    numbers = funnel.answer
    ended = numbers["accepted"] + sum(numbers[name] for name in NEGATIVE)
    counts = [name for name in RISING + CONFIRMED + NEGATIVE + ("targeted", "pending") if (numbers[name] or 0) < 0]
    if counts:
        yield Violation("funnel", run.number, f"message {message.seqno} has numbers below zero", funnel.lines)
    elif numbers["targeted"] is None:
        if ended:
            yield Violation("funnel", run.number, f"message {message.seqno}: devices have ended before anybody was "
                            "counted", funnel.lines)
    elif numbers["targeted"] != (numbers["pending"] or 0) + ended:
        yield Violation("funnel", run.number, f"message {message.seqno} does not add up: {numbers['targeted']} were "
                        f"meant, {numbers['pending']} are pending, {ended} have ended", funnel.lines)
    elif numbers["state"] == "completed" and numbers["pending"]:
        yield Violation("funnel", run.number, f"message {message.seqno} is completed with devices pending",
                        funnel.lines)
    if numbers["read"] > numbers["received"] and funnel.end < people.first_erasure(message):
        yield Violation("funnel", run.number, f"message {message.seqno} was read by more than have received it",
                        funnel.lines)


def check_course(run, people, message):
    """Each funnel against the highest numbers that were answered before it was asked for.

    A message may go on after its end as often as that was told.
    """
    best, done, reopenings_left = {}, [], message.reopenings
    # Funnels asked for before this say nothing of an end that counts: the message has gone on since.
    open_since = 0
    # Asked for in this order; answered in that of `message.funnels`.
    answered = iter(message.funnels)
    ahead = next(answered, None)
    settled = None
    for funnel in sorted(message.funnels, key=lambda attempt: attempt.begin):
        while ahead is not None and ahead.end < funnel.begin:
            # Not `targeted`: who went before it was their turn is taken out of it again.
            for name in RISING + CONFIRMED:
                value = ahead.answer[name]
                if value > best.get(name, (-1, None))[0]:
                    best[name] = (value, ahead)
            if ahead.begin >= open_since:
                if is_settled(ahead.answer):
                    settled = settled or ahead
                elif ahead.answer["state"] in FINAL:
                    done.append(ahead)
            ahead = next(answered, None)
        if reopenings_left and (done or settled) and goes_on(funnel.answer, settled):
            reopenings_left -= 1
            settled, done, open_since = None, [], funnel.begin
        for name, (value, before) in best.items():
            if name in CONFIRMED and funnel.end >= people.first_erasure(message):
                continue
            if funnel.answer[name] < value:
                yield Violation("funnel", run.number, f"message {message.seqno}: {name} went from {value} to "
                                f"{funnel.answer[name]}", before.lines + funnel.lines)
        if done and funnel.answer["state"] not in FINAL:
            yield Violation("funnel", run.number, f"message {message.seqno} was {done[0].answer['state']} and is "
                            f"{funnel.answer['state']}", done[0].lines + funnel.lines)
        if settled:
            names = ("state", "targeted", "pending", "accepted") + NEGATIVE
            moved = [name for name in names if funnel.answer[name] != settled.answer[name]]
            if moved:
                yield Violation("funnel", run.number, f"message {message.seqno} moved after its end: "
                                + ", ".join(moved), settled.lines + funnel.lines)


def goes_on(numbers, settled):
    """Whether these are numbers of a message that is not over, or has ended anew."""
    return numbers["state"] not in FINAL or settled is not None and any(
        numbers[name] != settled.answer[name] for name in ("accepted",) + NEGATIVE)


def check_confirmations(run, people, message):
    """`received` and `read` count what was answered before, and nothing that nobody said."""
    names = {token: people.only_installation(token) for _, token, _, _ in message.confirmations}
    if run.is_cut or None in names.values():
        return
    for name, ops in (("received", ("receipt", "read")), ("read", ("read",))):
        some = [(attempt, names[token], status) for attempt, token, status, _ in message.confirmations
                if attempt.op in ops]
        for funnel in message.funnels:
            sure = {device for attempt, device, status in some
                    if attempt.is_ok and attempt.end < funnel.begin and status == "recorded"
                    and not was_erased(people, device, funnel.end)}
            most = {device for attempt, device, _ in some if attempt.begin < funnel.end}
            if not len(sure) <= funnel.answer[name] <= len(most):
                yield Violation("confirm", run.number, f"message {message.seqno}: {name} is {funnel.answer[name]}, and "
                                f"must be {len(sure)} to {len(most)}", funnel.lines)
                break


def was_erased(people, installation, moment):
    """Whether what the device confirmed may have been forgotten by then, with its user."""
    return any(erasure.begin < moment and erasure.asked["user"] == one.asked["user"]
               for erasure in people.erasures for one in people.by_installation[installation])

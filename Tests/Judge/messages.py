"""The messages of a run: which key, which SEQNO, what was asked for and delivered, and which funnels were seen."""

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property

from history import Violation

FINAL = ("completed", "cancelled", "expired", "failed")
# Where the beginning was thrown away, what is sent soon after may be the repetition of something older. Microseconds.
FORGOTTEN = 60_000_000
NEGATIVE = ("rejected", "expired", "cancelled", "skipped")


@dataclass
class Message:
    key: str
    attempts: list = field(default_factory=list)
    seqno: str = None
    # The message that this one repeats.
    original: "Message" = None
    deliveries: list = field(default_factory=list)
    funnels: list = field(default_factory=list)
    # Pauses, resumptions and cancellations.
    controls: list = field(default_factory=list)
    # Receipts and reads: (attempt, token, status, place in the attempt); the status is None where nothing was answered.
    confirmations: list = field(default_factory=list)
    # How often it was told that it goes on after its end.
    reopenings: int = 0

    @property
    def begin(self):
        return self.attempts[0].begin

    @property
    def asked(self):
        return self.original.asked if self.original else self.attempts[0].asked

    @property
    def lines(self):
        answered = [attempt for attempt in self.attempts if attempt.is_ok]
        return (answered or self.attempts)[0].lines

    def is_for(self, person, people):
        kind, names = self.asked.get("audience"), self.asked.get("names") or []
        if kind == "all":
            return True
        if kind == "users":
            return person in {"user " + name for name in names}
        return any(person in people.groups[name] for name in names)

    @cached_property
    def settled(self):
        """The funnel since which it has certainly ended, with nothing pending; None: it was never seen."""
        settled = [funnel for funnel in self.funnels if is_settled(funnel.answer)]
        return settled[-1 if self.reopenings else 0] if settled else None

    @cached_property
    def last(self):
        """The last settled funnel's numbers, or None."""
        settled = [funnel.answer for funnel in self.funnels if is_settled(funnel.answer)]
        return settled[-1] if settled else None


def told_of(run, kind):
    """By SEQNO, the events of this kind that were told of the message, by id."""
    told = defaultdict(dict)
    for event in run.events:
        if event["kind"] == kind:
            told[event["seqno"]].setdefault(event["id"], event)
    return told


def is_settled(numbers):
    return numbers["state"] in FINAL and not numbers["pending"]


def statuses(attempt):
    """One for each item; None where nothing was answered."""
    if not attempt.is_ok:
        return [None] * len(attempt.asked["items"])
    return [result[0] if isinstance(result, list) else result for result in attempt.answer["results"]]


class Messages:
    def __init__(self, run):
        self.run = run
        self.by_key, self.by_seqno = {}, {}
        self.violations = []
        # SEQNOs that were delivered and that no answer named.
        self.unnamed = {}
        for attempt in run.of("send", "resend"):
            message = self.by_key.setdefault(attempt.asked["key"], Message(attempt.asked["key"]))
            message.attempts.append(attempt)
            if attempt.is_ok:
                self.name(message, attempt.answer["seqno"], attempt.lines)
        for delivery in run.deliveries:
            message = self.by_key.get(delivery.get("key"))
            if message:
                self.name(message, delivery["seqno"], [delivery])
        for message in self.by_key.values():
            if message.attempts[0].op == "resend":
                message.original = self.by_seqno.get(message.attempts[0].asked["of"])
        self.adopt()
        for delivery in run.deliveries:
            if delivery["seqno"] in self.by_seqno:
                self.by_seqno[delivery["seqno"]].deliveries.append(delivery)
        for attempt in sorted(run.of("funnel"), key=lambda attempt: attempt.end):
            if attempt.is_ok and attempt.asked["seqno"] in self.by_seqno:
                self.by_seqno[attempt.asked["seqno"]].funnels.append(attempt)
        for seqno, events in told_of(run, "message.reopened").items():
            if seqno in self.by_seqno:
                self.by_seqno[seqno].reopenings = len(events)
        for attempt in run.of("pause", "resume", "cancel"):
            if attempt.asked["seqno"] in self.by_seqno:
                self.by_seqno[attempt.asked["seqno"]].controls.append(attempt)
        for attempt in run.of("receipt", "read"):
            for place, (item, status) in enumerate(zip(attempt.asked["items"], statuses(attempt))):
                if item[0] in self.by_seqno:
                    self.by_seqno[item[0]].confirmations.append((attempt, item[1], status, place))

    def name(self, message, seqno, lines):
        """An idempotency key makes at most one message, and a message has one key."""
        known = self.by_seqno.setdefault(seqno, message)
        if message.seqno not in (None, seqno):
            self.violations.append(Violation(
                "idempotency", self.run.number, f"key {message.key} made two messages, {message.seqno} and {seqno}",
                message.lines + lines))
        elif known is not message:
            self.violations.append(Violation(
                "idempotency", self.run.number, f"keys {known.key} and {message.key} were given one message, {seqno}",
                known.lines + lines))
        else:
            message.seqno = seqno

    def adopt(self):
        """Deliveries of messages that no answer named: there may be one for each key without an answer."""
        if self.run.is_cut:
            return
        named = {attempt.asked["seqno"]: attempt for attempt in self.run.of("funnel") if attempt.is_ok}
        strange = {delivery["seqno"]: delivery for delivery in reversed(self.run.deliveries)
                   if delivery["seqno"] not in self.by_seqno}
        self.unnamed = strange
        nameless = [message for message in self.by_key.values() if message.seqno is None]
        if len(strange) > len(nameless):
            self.violations.append(Violation(
                "idempotency", self.run.number, "more messages were delivered than anybody can have asked for",
                list(strange.values())[:4]))
        for seqno, attempt in named.items():
            if seqno not in self.by_seqno and len(nameless) == 0:
                self.violations.append(Violation(
                    "idempotency", self.run.number, "numbers were answered for a message that nobody asked for",
                    attempt.lines))

    @cached_property
    def known(self):
        """Messages with a number whose sending is in the history, with all that followed."""
        return [message for message in self.by_key.values()
                if message.seqno is not None and (message.attempts[0].op == "send" or message.original)
                and not (self.run.is_cut and message.begin < self.run.attempts[0].begin + FORGOTTEN)]

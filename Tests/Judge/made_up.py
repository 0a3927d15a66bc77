"""Made-up histories: a few devices, a message or two, and whatever a test wants to be wrong with it."""

import copy

import judge
from history import runs_of

SECOND = 1_000_000
EMPTY = {"targeted": 0, "pending": 0, "accepted": 0, "rejected": 0, "expired": 0, "cancelled": 0, "skipped": 0,
         "received": 0, "read": 0, "unknown": 0, "resent": 0}


class Story:
    """Events one after another, a tenth of a second apart unless a test says when."""

    def __init__(self, run=1):
        self.run, self.now, self.ids = run, 1_000 * SECOND, 0
        self.lines = [{"e": "history", "version": 1, "file": 1}]
        self.note("run", what="made up", events=True)

    def tick(self, seconds=0.1):
        self.now += int(seconds * SECOND)
        return self.now

    def note(self, name, at=None, /, **members):
        event = {"e": name, "run": self.run, "t": self.tick() if at is None else at, **members}
        self.lines.append(event)
        return event

    # Calls

    def begin(self, op, **asked):
        self.ids += 1
        return self.note("invoke", id=self.ids, process=self.ids, op=op, **asked)

    def end(self, begun, kind="ok", **answer):
        return self.note(kind, id=begun["id"], **answer)

    def call(self, op, answer=None, outcome="ok", **asked):
        begun = self.begin(op, **asked)
        self.end(begun, outcome, **(answer or {}) if outcome == "ok" else {})
        return begun

    def register(self, installation, token, user=None, outcome="ok"):
        return self.call("register", {"device": "device-" + installation}, outcome, installation=installation,
                         token=token, user=user)

    def send(self, key, seqno, audience="all", names=None, badge=None, sms=None, outcome="ok"):
        return self.call("send", {"seqno": seqno}, outcome, key=key, audience=audience, names=names, badge=badge,
                         sms=sms)

    def deliver(self, seqno, token, badge=None, apns=None, collapse=None, at=None):
        return self.note("delivery", at, seqno=seqno, token=token, apnsId=apns or f"{seqno}/{token}",
                         collapseId=collapse or "c" + seqno, badge=badge)

    def funnel(self, seqno, state="completed", **numbers):
        return self.call("funnel", {"state": state, **EMPTY, **numbers}, seqno=seqno)

    def receipt(self, seqno, token, result="recorded", outcome="ok"):
        return self.call("receipt", {"results": [result]}, outcome, items=[[seqno, token]])

    def read(self, seqno, token, badge, option="keep", value=None, result="recorded", outcome="ok"):
        return self.call("read", {"results": [[result, badge]]}, outcome, items=[[seqno, token, option, value]])

    def set_badge(self, installation, value, outcome="ok", answer=None):
        return self.call("setBadge", {"badge": value if answer is None else answer}, outcome,
                         device="device-" + installation, value=value)

    def get_badge(self, installation, badge):
        return self.call("getBadge", {"badge": badge}, device="device-" + installation)

    def control(self, op, seqno, outcome="ok"):
        return self.call(op, outcome=outcome, seqno=seqno)

    def event(self, name, seqno, user, kind="sms.requested"):
        return self.note("event", id=name, kind=kind, seqno=seqno, user=user)

    # Scenes

    def people(self):
        """kim has a telephone and a tablet, lee a telephone."""
        self.register("phone", "t1", "kim")
        self.register("tablet", "t2", "kim")
        self.register("other", "t3", "lee")
        return self

    def campaign(self, key="k1", seqno="1", badge=None, carried=None, **more):
        """A message that reaches all three."""
        self.send(key, seqno, badge=badge, **more)
        for token in ("t1", "t2", "t3"):
            self.deliver(seqno, token, carried)
        self.funnel(seqno, targeted=3, accepted=3)
        return self

    def told(self, *seqnos):
        """All is over, and the ends of these messages were told."""
        for seqno in seqnos:
            self.event("end of " + seqno, seqno, None, "message.finished")
        self.note("end")
        return self

    def judged(self):
        """The names of the promises that are broken, and what is said of them."""
        lines = copy.deepcopy(self.lines)
        for number, line in enumerate(lines, 1):
            line["line"] = str(number)
        runs, violations = runs_of(lines)
        return violations + judge.judge(runs)

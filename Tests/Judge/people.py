"""Who is who in a run: which installation and user a token or a device belonged to, and when that may have been so."""

from collections import defaultdict

from history import FOREVER, Violation


class People:
    def __init__(self, run):
        self.run = run
        self.registrations = run.of("register")
        self.erasures = run.of("erase")
        self.by_token, self.by_installation = defaultdict(list), defaultdict(list)
        self.installation_of = {}
        for attempt in self.registrations:
            self.by_token[attempt.asked["token"]].append(attempt)
            self.by_installation[attempt.asked["installation"]].append(attempt)
            if attempt.is_ok:
                self.installation_of[attempt.answer["device"]] = attempt.asked["installation"]
        self.groups = defaultdict(set)
        for attempt in run.of("join"):
            installation = self.installation_of.get(attempt.asked["device"])
            for registration in self.by_installation[installation]:
                self.groups[attempt.asked["group"]].add(person(registration))

    def persons_of(self, token):
        """All whom the token may ever have belonged to."""
        return {person(attempt) for attempt in self.by_token[token]}

    def only_person(self, token):
        """Whose it is, when it was never anybody else's."""
        persons = self.persons_of(token)
        return next(iter(persons)) if len(persons) == 1 else None

    def only_installation(self, token):
        names = {attempt.asked["installation"] for attempt in self.by_token[token]}
        return next(iter(names)) if len(names) == 1 else None

    def person_of_device(self, device):
        persons = {person(attempt) for attempt in self.by_installation[self.installation_of.get(device)]}
        return next(iter(persons)) if len(persons) == 1 else None

    def owners(self, token, begin, end):
        """The registrations by which somebody may have owned a token at a moment between these."""
        return [attempt for attempt in self.by_token[token]
                if attempt.begin <= end and not self.is_over(attempt, begin)]

    def is_over(self, attempt, moment):
        """Whether a registration has certainly ended by then: by one of its token or installation, or an erasure."""
        rivals = self.by_token[attempt.asked["token"]] + self.by_installation[attempt.asked["installation"]]
        rivals += [erasure for erasure in self.erasures if erasure.asked["user"] == attempt.asked["user"]]
        return any(rival is not attempt and rival.is_ok and attempt.end < rival.begin and rival.end < moment
                   for rival in rivals)

    @property
    def doubtful(self):
        """Persons that share a token with others: what a token does cannot be told apart."""
        found = set()
        for token in list(self.by_token):
            persons = self.persons_of(token)
            if len(persons) > 1:
                found |= persons
        return found

    def first_erasure(self, message):
        """When somebody for whom a message was is first forgotten, and what they confirmed of it with them."""
        times = [attempt.begin for attempt in self.erasures if message.is_for("user " + attempt.asked["user"], self)]
        return min(times, default=FOREVER)

    def erased_at(self, name):
        """When the erasure of a person was first asked for; None: never."""
        times = [attempt.begin for attempt in self.erasures if "user " + attempt.asked["user"] == name]
        return min(times, default=None)


def person(attempt):
    """A user, or a guest, who is one installation."""
    user = attempt.asked["user"]
    return f"user {user}" if user is not None else f"guest {attempt.asked['installation']}"


def check(run, people, messages):
    """A PSID's owner is a register: what is delivered to a token is meant for whoever owned it in that time."""
    if run.is_cut:
        return
    for delivery in run.deliveries:
        message = messages.by_seqno.get(delivery["seqno"])
        if message is None:
            continue
        owners = people.owners(delivery["token"], message.begin, delivery["t"])
        if not owners:
            known = [line for attempt in people.by_token[delivery["token"]] for line in attempt.lines]
            yield Violation("owner", run.number, "a delivery to a token that nobody can have owned",
                            known[-4:] + message.lines + [delivery])
        elif not any(message.is_for(person(owner), people) for owner in owners):
            yield Violation("owner", run.number, "a delivery to a token whose owner was not meant",
                            owners[-1].lines + message.lines + [delivery])

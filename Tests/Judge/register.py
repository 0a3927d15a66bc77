"""Whether operations on a user's count can have happened one after another (linearizability, after Wing and Gong).

Every operation takes effect at one moment between its begin and its end. One that is optional may have happened, at any
moment after its begin, or not at all. The search goes through the orders that time allows, deepest first, and never
twice through the same state; it gives up after so many states.
"""

from dataclasses import dataclass, field

HIGHEST = 1000
BUDGET = 200_000

# What a message added to the count, as far as it can be taken back.
IN, TAKEN_BACK, GIVEN_AGAIN, TAKEN_AGAIN, SET_OVER = range(5)


@dataclass
class Operation:
    """`kind`: `add`, `set`, `read` (what a read of `message` does is `option`) or `see`."""

    kind: str
    begin: int
    end: float
    lines: list
    value: int = 0
    option: str = ""
    # What was answered or carried; None: it is not known.
    answer: int = None
    is_optional: bool = False
    message: str = None
    # Only after this operation: what a payload carries is the count with its message.
    after: "Operation" = None
    # Of an `add`: it may be taken back, and from this moment on it must have been.
    may_be_taken_back: bool = False
    must_be_gone: float = float("inf")
    number: int = -1


@dataclass
class Finding:
    """Why there is no order: the operation that nothing explains, and the counts there can have been before it."""

    stuck: Operation
    counts: list
    before: list = field(default_factory=list)


class GaveUp(Exception):
    """More states than anybody will look through."""


def clamp(count):
    return max(0, min(HIGHEST, count))


class Search:
    def __init__(self, operations, budget=BUDGET):
        # Those that must happen have the lower numbers, so that the first of them that has not is found at once.
        self.operations = sorted(operations, key=lambda one: (one.is_optional, one.begin, one.end))
        for number, one in enumerate(self.operations):
            one.number = number
        self.budget = budget
        self.must = sum(not one.is_optional for one in self.operations)
        self.musts = (1 << self.must) - 1
        self.adds = {one.message: one for one in self.operations if one.kind == "add"}
        self.marks = {}
        for one in self.operations:
            if one.kind == "read" and one.option != "force":
                self.marks[one.message] = self.marks.get(one.message, 0) | 1 << one.number
        self.deepest, self.deepest_at = -1, {}

    def run(self):
        """None when there is an order; otherwise a Finding. Raises GaveUp."""
        # What has happened (a bit each), the count, and where what may be taken back stands: {message: (phase, moved)}.
        start = (0, 0, frozenset())
        seen, stack = {start}, [self.steps(start)]
        if not self.musts:
            return None
        while stack:
            state = next(stack[-1], None)
            if state is None:
                stack.pop()
                continue
            if state in seen:
                continue
            if state[0] & self.musts == self.musts:
                return None
            seen.add(state)
            if len(seen) > self.budget:
                raise GaveUp
            stack.append(self.steps(state))
        return self.finding()

    def steps(self, state):
        """Every state that may come next, the likeliest first."""
        done, count, moves = state
        limit, pending = float("inf"), []
        for number in range((~done & done + 1).bit_length() - 1, self.must):
            one = self.operations[number]
            if one.begin > limit:
                break
            if not done >> number & 1:
                pending.append(one)
                limit = min(limit, one.end)
        pending = sorted((one for one in pending if one.begin <= limit), key=lambda one: one.end)
        self.note(state, pending)
        for one in pending:
            yield from self.apply(one, state)
        yield from self.silent(state)
        for one in self.operations[self.must:]:
            if one.begin > limit:
                break
            if not done >> one.number & 1:
                yield from self.apply(one, state)

    def note(self, state, pending):
        depth = (state[0] & self.musts).bit_count()
        if depth > self.deepest:
            self.deepest, self.deepest_at = depth, {}
        if depth == self.deepest and pending:
            self.deepest_at.setdefault(pending[0].number, set()).add(state[1])

    def finding(self):
        number, counts = max(self.deepest_at.items(), key=lambda item: item[0])
        stuck = self.operations[number]
        before = [one for one in self.operations if one.end < stuck.end and not one.is_optional]
        return Finding(stuck, sorted(counts), sorted(before, key=lambda one: one.end)[-3:])

    # What an operation does

    def apply(self, one, state):
        done, count, moves = state
        if one.after is not None and not done >> one.after.number & 1:
            return
        for message, (phase, _) in moves:
            if phase in (IN, GIVEN_AGAIN) and self.adds[message].must_be_gone < one.begin:
                return
        after = done | 1 << one.number
        if one.kind == "see":
            if one.answer in (None, count):
                yield after, count, moves
        elif one.kind == "add":
            new = clamp(count + one.value)
            if one.may_be_taken_back:
                moves = moves | {(one.message, (IN, new - count))}
            yield after, new, moves
        elif one.kind == "set":
            if one.answer in (None, one.value):
                yield after, one.value, self.set_over(moves)
        else:
            for new, moves in self.read(one, state):
                if one.answer in (None, new):
                    yield after, new, moves

    def read(self, one, state):
        done, count, moves = state
        if one.option != "force" and done & self.marks[one.message]:
            if one.answer is not None or not one.is_optional:
                yield count, moves
            return
        if one.option == "keep":
            phase = dict(moves).get(one.message, (None, 0))[0]
            # What ended negative counts no more: reading it takes nothing from the others.
            if phase not in (TAKEN_BACK, TAKEN_AGAIN):
                yield clamp(count - 1), frozenset(move for move in moves if move[0] != one.message)
            if phase in (TAKEN_BACK, TAKEN_AGAIN, SET_OVER):
                yield count, moves
        else:
            yield (0 if one.option == "reset" else one.value), self.set_over(moves)

    @staticmethod
    def set_over(moves):
        """Once a count was set, what was added before is not taken back any more."""
        return frozenset((message, (SET_OVER if phase in (IN, GIVEN_AGAIN) else phase, moved))
                         for message, (phase, moved) in moves)

    def silent(self, state):
        """A message ends negative for the user, and waits again, without anybody being told."""
        done, count, moves = state
        for message, (phase, moved) in moves:
            if phase in (IN, GIVEN_AGAIN):
                new, next_phase = clamp(count - moved), phase + 1
            elif phase == TAKEN_BACK:
                new, next_phase = clamp(count + self.adds[message].value), GIVEN_AGAIN
            else:
                continue
            rest = frozenset(move for move in moves if move[0] != message)
            yield done, new, rest | {(message, (next_phase, abs(new - count)))}

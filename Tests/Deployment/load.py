"""Clients that register devices, send to them and confirm, without end; what is not answered well is asked again under
its own key, at the next address if there are several. Their book is held against the database afterwards."""

import http.client
import json
import threading
import time
import urllib.request

APP = "com.example.bank"


class Load:
    def __init__(self, addresses, client_key, api_key, simulator, tls=None, clients=16):
        """addresses: (host, port) each; simulator: where it is controlled; tls: an ssl.SSLContext, or plain HTTP."""
        self.addresses, self.tls, self.simulator = addresses, tls, simulator
        self.client_key, self.api_key = client_key, api_key
        self.sent, self.registered, self.confirmed = {}, set(), set()
        self.refused, self.errors = [], []
        self.first_push, self.longest = None, 0.0
        self.lock, self.over = threading.Lock(), threading.Event()
        self.threads = [threading.Thread(target=self.work, args=(number,)) for number in range(clients)]
        self.begin = time.monotonic()
        for thread in self.threads:
            thread.start()

    def call(self, state, method, path, body, bearer=None, key=None):
        """Asks until it is answered well, and returns the status and what was said."""
        headers = {"Content-Type": "application/json"}
        if bearer:
            headers["Authorization"] = "Bearer " + bearer
        if key:
            headers["Idempotency-Key"] = key
        begin = time.monotonic()
        while True:
            why = None
            try:
                if state.get("connection") is None:
                    host, port = self.addresses[state["node"] % len(self.addresses)]
                    kind = http.client.HTTPSConnection if self.tls else http.client.HTTPConnection
                    state["connection"] = kind(host, port, timeout=15, **({"context": self.tls} if self.tls else {}))
                state["connection"].request(method, path, json.dumps(body), headers)
                answer = state["connection"].getresponse()
                text = answer.read()
                if answer.status < 300:
                    with self.lock:
                        self.longest = max(self.longest, time.monotonic() - begin)
                    return answer.status, json.loads(text)
                # A proxy says 502 or 504 when a server that had the request is gone, and 503 when there is none.
                why = f"{answer.status} {text[:200].decode(errors='replace')}"
                if answer.status not in (502, 503, 504):
                    with self.lock:
                        self.errors.append(f"{method} {path}: {why}")
            except (OSError, http.client.HTTPException) as error:
                why = repr(error)
            if state.get("connection"):
                state["connection"].close()
            state["connection"], state["node"] = None, state["node"] + 1
            with self.lock:
                self.refused.append((time.monotonic() - self.begin, why))
            if time.monotonic() - begin > 60:
                with self.lock:
                    self.errors.append(f"{method} {path}: not answered within a minute, at last {why}")
                return None, {}
            time.sleep(0.05)

    def work(self, worker):
        state, turn = {"node": worker}, 0
        while not self.over.is_set():
            turn += 1
            name, token = f"{worker}-{turn}", f"{worker * 1_000_000 + turn:064x}"
            status, _ = self.call(state, "POST", "/v1/devices", {
                "appId": APP, "pnsId": "APNS", "environment": "production", "psid": token, "deviceId": "d" + name,
                "clientUid": "u" + name, "clientName": "N"}, bearer=self.client_key)
            if status is None:
                return
            with self.lock:
                self.registered.add("d" + name)
            _, sent = self.call(state, "POST", "/v1/admin/messages", {
                "appId": APP, "audience": {"clientUids": ["u" + name]}, "alert": "B", "badge": {"increment": 1}},
                bearer=self.api_key, key=name)
            if "seqno" not in sent:
                return
            with self.lock:
                self.sent[name] = sent["seqno"]
            key = self.pushkey(token, sent["seqno"])
            if key is None:
                continue
            _, said = self.call(state, "POST", "/v1/receipts", {
                "receipts": [{"seqno": sent["seqno"], "psid": token, "pushkey": key}]})
            if said.get("results", [{}])[0].get("status") == "recorded":
                with self.lock:
                    self.confirmed.add(sent["seqno"])

    def pushkey(self, token, seqno):
        """What the device reads in its push; None when it has not come within a second, as while its node is away."""
        for _ in range(40):
            with urllib.request.urlopen(f"{self.simulator}/deliveries?token={token}", timeout=10) as answer:
                found = json.load(answer)["deliveries"]
            for delivery in found:
                mps = json.loads(delivery["payload"]).get("mps", {})
                if mps.get("seqno") == seqno:
                    with self.lock:
                        self.first_push = self.first_push or time.monotonic() - self.begin
                    return mps["pushkey"]
            time.sleep(0.025)
        return None

    def wait(self, more):
        """Until so many more sends were answered."""
        goal, end = len(self.sent) + more, time.monotonic() + 90
        while len(self.sent) < goal:
            if time.monotonic() > end:
                raise RuntimeError(f"nothing goes on: {len(self.sent)} sent, {self.refused[-3:]}, {self.errors[-3:]}")
            time.sleep(0.02)

    def end(self):
        self.over.set()
        for thread in self.threads:
            thread.join()

    def verify(self, check, query, counters):
        """query: runs SQL and returns lines of columns with | between; counters: what the simulator counts."""
        end = time.monotonic() + 90
        while query("SELECT count(*) FROM messages WHERE state < 4") != ["0"] and time.monotonic() < end:
            time.sleep(0.2)
        check("every message has ended", query("SELECT count(*) FROM messages WHERE state < 4") == ["0"])
        stored = dict(line.split("|") for line in query("SELECT idempotency_key, seqno FROM messages"))
        count = int(query("SELECT count(*) FROM messages")[0])
        check("no send became two messages", count == len(stored), (count, len(stored)))
        lost = [key for key, seqno in self.sent.items() if stored.get(key) != seqno]
        check("every send that was answered is there", not lost, lost[:5])
        devices = set(query("SELECT device_id FROM devices"))
        check("every registration that was answered is there", self.registered <= devices)
        receipts = set(query("SELECT seqno FROM receipts"))
        check("every receipt that was answered is there", self.confirmed <= receipts,
              len(self.confirmed - receipts))
        totals = query("SELECT coalesce(sum(accepted),0), coalesce(sum(decided) - coalesce(sum(accepted),0),0), "
                       "coalesce(sum(received),0), coalesce(sum(resent),0) FROM message_totals")[0]
        accepted, other, received, resent = map(int, totals.split("|"))
        targeted = int(query("SELECT sum(targeted) FROM messages")[0])
        check("targeted is the sum of what was decided", targeted == accepted + other, (targeted, totals))
        wrong = query("SELECT count(*) FROM messages m LEFT JOIN (SELECT seqno, sum(decided) AS decided "
                      "FROM message_totals GROUP BY seqno) t USING (seqno) WHERE m.targeted IS DISTINCT FROM coalesce(t.decided, 0)")
        check("and that of each message too", wrong == ["0"], wrong)
        check("each receipt is counted once", received == len(receipts), (received, len(receipts)))
        check("no badge moved twice", query("SELECT count(*) FROM users WHERE badge > 1") == ["0"])
        check("no claim is left", query("SELECT count(*) FROM claims") == ["0"])
        reached = counters()["accepted"]
        check("what counts as accepted reached the network, and twice only where it is counted as resent",
              accepted <= reached <= accepted + resent, (accepted, resent, reached))
        check("nobody was told an error", not self.errors, self.errors[:5])
        print(f"      {len(self.sent)} sends, {len(self.registered)} registrations, {len(self.confirmed)} receipts "
              f"answered; {len(self.refused)} calls asked again, longest answer {self.longest:.1f} s, {resent} resent")

    def reasons(self):
        kinds = {}
        for _, why in self.refused:
            kinds[why[:60]] = kinds.get(why[:60], 0) + 1
        return kinds

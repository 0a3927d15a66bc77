import Domain
import Foundation
import Reactor
import Simulator
import Synchronization
import TestSupport
import Testing

/// Clients that register devices, send to them and confirm, one thing after the other and without end, as a company's
/// own servers do: what is not answered well is asked again under its own key, at the next node if there are several.
/// They write into one book, which is held against the database afterwards (`SteadyWork+Verdict`).
final class SteadyWork: Sendable {
  /// What the clients were told, and what they were not.
  struct Book: Sendable {
    /// Idempotency key → SEQNO of sends that were answered 202.
    var sent: [String: String] = [:]
    /// Keys of sends that were asked and not answered 202.
    var open: Set<String> = []
    /// Devices whose registration was answered 201 or 200.
    var registered: Set<String> = []
    /// SEQNOs whose receipt was answered as stored.
    var confirmed: Set<String> = []
    var lastAnswerAt: Instant?
    /// 503, or no answer at all: come again.
    var refusals = 0
    /// Anything else, which no client should be told.
    var errors: [String] = []
    var isOver = false
  }

  static let clients = 4

  private let book = Mutex(Book())
  private let ports: [UInt16]
  private let clientKey: String
  private let apiKey: String
  /// Nil: receipts are not sent.
  private let simulator: Simulator?
  private let ended: Inbox<Void>

  var now: Book { book.withLock { $0 } }

  /// Starts the clients.
  init(on ports: [UInt16], clientKey: String, apiKey: String, confirming simulator: Simulator? = nil) throws {
    (self.ports, self.clientKey, self.apiKey, self.simulator) = (ports, clientKey, apiKey, simulator)
    ended = try Inbox(capacity: Self.clients)
    for client in 0..<Self.clients {
      _ = try Thread(name: "client-\(client)") { [self] in
        work(client)
        _ = ended.offer(())
      }
    }
  }

  /// Has the clients finish what they do, then asks once more for what was never answered.
  func end(_ port: UInt16) throws {
    book.withLock { $0.isOver = true }
    var count = 0
    while count < Self.clients { count += ended.receive(atMost: .patience).count }
    let client = try TestClient(port: port)
    for key in now.open {
      let reply = try send(key, client)
      #expect(reply.status == 202, "\(reply.text)")
      if let seqno = reply.string("seqno") { note { $0.sent[key] = seqno } }
    }
  }

  /// Waits until the book says so.
  func wait(_ complaint: String, until condition: (Book) -> Bool) throws {
    _ = try poll("\(complaint): \(now.sent.count) sent, \(now.refusals) refused, \(now.errors.prefix(3))") {
      condition(now) ? true : nil
    }
  }

  // MARK: One client

  private func note(_ change: (inout Book) -> Void) { book.withLock { change(&$0) } }

  private func work(_ worker: Int) {
    var node = worker % ports.count
    guard var client = try? TestClient(port: ports[node]), let pause = try? Wakeup() else { return }
    /// Whether the call was answered as it should be; else the next one goes to the next node.
    func isDone(_ reply: Reply?, _ expected: [Int]) -> Bool {
      if let reply, expected.contains(reply.status) { return true }
      note { book in
        book.refusals += 1
        if let reply, reply.status != 503 { book.errors.append("\(reply.status) \(reply.text)") }
      }
      node = (node + 1) % ports.count
      if let next = try? TestClient(port: ports[node]) { client = next }
      // As a client does that was told to come again in a moment.
      _ = pause.wait(atMost: .milliseconds(50))
      return false
    }
    /// Sends whose push had not come when it was looked for.
    var late: [(seqno: String, token: String)] = []
    func confirm(_ seqno: String, _ key: String, _ token: String) {
      let body = #"{"receipts":[{"seqno":"\#(seqno)","psid":"\#(token)","pushkey":"\#(key)"}]}"#
      let answer = try? client.call("POST", "/v1/receipts", body)
      if isDone(answer, [200]), answer?.result["status"] as? String == "recorded" {
        note { _ = $0.confirmed.insert(seqno) }
      }
    }
    for turn in 0... {
      if now.isOver { return }
      let (name, token) = ("\(worker)-\(turn)", Self.token(worker, turn))
      guard isDone(try? register(name, token, client), [200, 201]) else { continue }
      note { _ = $0.registered.insert("d\(name)") }
      let reply = try? send(name, client)
      guard isDone(reply, [202]), let seqno = reply?.string("seqno") else {
        note { _ = $0.open.insert(name) }
        continue
      }
      let at = SystemClock().now
      note { book in
        book.sent[name] = seqno
        book.lastAnswerAt = at
      }
      guard let simulator else { continue }
      late.append((seqno, token))
      // On a busy machine every push takes longer than a client waits: those before have come meanwhile.
      for (seqno, token) in late where !now.isOver {
        let isLast = seqno == late.last?.seqno
        guard let key = pushkey(seqno, token, simulator, isLast ? pause : nil) else { continue }
        late.removeAll { $0.seqno == seqno }
        confirm(seqno, key, token)
      }
    }
  }

  private static func token(_ worker: Int, _ turn: Int) -> String {
    let digits = String(worker * 1_000_000 + turn, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
  }

  private func register(_ name: String, _ token: String, _ client: TestClient) throws -> Reply {
    try client.call(
      "POST", "/v1/devices", bearer: clientKey,
      """
      {"appId":"\(World.appID)","pnsId":"APNS","environment":"production","psid":"\(token)","deviceId":"d\(name)",
      "clientUid":"u\(name)","clientName":"N"}
      """)
  }

  private func send(_ key: String, _ client: TestClient) throws -> Reply {
    try client.call(
      "POST", "/v1/admin/messages", bearer: apiKey, idempotencyKey: key,
      #"{"appId":"\#(World.appID)","audience":{"clientUids":["u\#(key)"]},"alert":"B","badge":{"increment":1}}"#)
  }

  /// What the device reads in the push; nil when it has not come within half a second, as while its node is away.
  /// - Parameter pause: nil to look once.
  private func pushkey(_ seqno: String, _ token: String, _ simulator: Simulator, _ pause: Wakeup?) -> String? {
    for _ in 0..<25 {
      for delivery in simulator.deliveries(to: token) {
        let payload = try? JSONSerialization.jsonObject(with: Data(delivery.payload ?? [])) as? [String: Any]
        if let mps = payload?["mps"] as? [String: Any], mps["seqno"] as? String == seqno {
          return mps["pushkey"] as? String
        }
      }
      guard let pause else { return nil }
      _ = pause.wait(atMost: .milliseconds(20))
    }
    return nil
  }
}

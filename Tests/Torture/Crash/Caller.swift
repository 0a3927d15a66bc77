import Foundation
import HTTPClient
import Reactor

/// A client of two nodes who repeats each call until it is answered: whatever is answered must be there at the end, and
/// whatever is repeated may be there once.
final class Caller {
  private let nodes: [HTTPClient.Blocking]
  /// Called before each attempt: what has died is noticed and comes back.
  private let tend: () throws -> Void
  private let pause: Wakeup
  private let history: History?
  private let run: Int

  /// - Parameter run: as the history calls it.
  init(ports: [UInt16], history: History? = nil, run: Int = 1, tend: @escaping () throws -> Void) throws {
    nodes = try ports.map { try HTTPClient.Blocking(HTTPOrigin(host: "127.0.0.1", port: $0)) }
    self.tend = tend
    self.history = history
    self.run = run
    pause = try Wakeup()
  }

  /// - Parameters:
  ///   - node: which is asked first; the others are when it does not answer.
  ///   - accepting: statuses beside 2xx that a repetition may have.
  ///   - type: of the body.
  func call(
    _ method: String, _ path: String, bearer: String? = nil, key: String? = nil, node: Int = 0, accepting: [Int] = [],
    type: String = "application/json", _ body: String = ""
  ) throws -> Reply {
    var request = HTTPRequest(method, path, headers: [("Content-Type", type)], body: Array(body.utf8))
    if let bearer { request.headers.append(("Authorization", "Bearer \(bearer)")) }
    if let key { request.headers.append(("Idempotency-Key", key)) }
    let attempts = HistoryAttempts(history, run: run, method, path, key: key, body: body)
    var last = "no answer"
    for attempt in 0..<Limits.attempts {
      try tend()
      let id = attempts?.begin()
      do {
        let response = try nodes[(node + attempt) % nodes.count].send(request, timeout: Limits.timeout)
        attempts?.end(id, Reply(status: response.status, text: response.text))
        last = "\(response.status) \(response.text.prefix(300))"
        if (200..<300).contains(response.status) || accepting.contains(response.status) {
          return Reply(status: response.status, text: response.text)
        }
        // Nothing of it is carried out later, and nothing of it ever.
        guard response.status >= 500 || response.status == 429 else { break }
      } catch {
        attempts?.end(id, nil)
        last = "\(error)"
      }
      _ = pause.wait(atMost: .milliseconds(min(100, 5 << attempt)))
    }
    throw Trouble("\(method) \(path) \(body.prefix(200)): \(last)")
  }

  /// Asks again and again until there is an answer.
  func poll<Value>(_ complaint: @autoclosure () -> String, _ body: () throws -> Value?) throws -> Value {
    let end = SystemClock().now + Limits.rest
    while SystemClock().now < end {
      try tend()
      if let value = try body() { return value }
      _ = pause.wait(atMost: .milliseconds(20))
    }
    throw Trouble(complaint())
  }

  private enum Limits {
    static let attempts = 200
    static let timeout: Duration = .seconds(5)
    /// How long it may take until everything is at rest after a crash: retries after answers that nobody heard come 15 s
    /// later, and an event whose teller has died is told again after a minute.
    static let rest: Duration = .seconds(120)
  }
}

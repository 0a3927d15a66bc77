import Foundation
import HTTPClient
import Reactor

/// A client of two nodes that repeats each call until it is answered: the effect of an answered call must exist at the
/// end, and a repeated call may take effect at most once.
final class Caller {
  private let nodes: [HTTPClient.Blocking]
  /// Called before each attempt: notices dead processes and restarts them.
  private let tend: () throws -> Void
  private let pause: Wakeup
  private let history: History?
  private let run: Int

  /// - Parameter run: the run's number in the history.
  init(ports: [UInt16], history: History? = nil, run: Int = 1, tend: @escaping () throws -> Void) throws {
    nodes = try ports.map { try HTTPClient.Blocking(HTTPOrigin(host: "127.0.0.1", port: $0)) }
    self.tend = tend
    self.history = history
    self.run = run
    pause = try Wakeup()
  }

  /// - Parameters:
  ///   - node: tried first; the others follow if it does not respond.
  ///   - accepting: statuses besides 2xx that a repeated call may get.
  ///   - type: of the body.
  ///   - timeout: time until an answer counts as lost; longer for a call that cannot be repeated.
  func call(
    _ method: String, _ path: String, bearer: String? = nil, key: String? = nil, node: Int = 0, accepting: [Int] = [],
    type: String = "application/json", _ body: String = "", timeout: Duration = Limits.timeout
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
        let response = try nodes[(node + attempt) % nodes.count].send(request, timeout: timeout)
        attempts?.end(id, Reply(status: response.status, text: response.text))
        last = "\(response.status) \(response.text.prefix(300))"
        if (200..<300).contains(response.status) || accepting.contains(response.status) {
          return Reply(status: response.status, text: response.text)
        }
        // Any other status means that the call was not executed and never will be.
        guard response.status >= 500 || response.status == 429 else { break }
      } catch {
        attempts?.end(id, nil)
        last = "\(error)"
      }
      _ = pause.wait(atMost: .milliseconds(min(100, 5 << attempt)))
    }
    throw Trouble("\(method) \(path) \(body.prefix(200)): \(last)")
  }

  /// Polls until there is a value.
  func poll<Value>(_ complaint: @autoclosure () -> String, _ body: () throws -> Value?) throws -> Value {
    let end = SystemClock().now + Limits.rest
    while SystemClock().now < end {
      try tend()
      if let value = try body() { return value }
      _ = pause.wait(atMost: .milliseconds(20))
    }
    throw Trouble(complaint())
  }

  enum Limits {
    static let attempts = 200
    static let timeout: Duration = .seconds(5)
    /// Upper bound until everything is at rest after a crash: retries after lost responses come 15 s later, and an
    /// event whose sender died is redelivered after a minute.
    static let rest: Duration = .seconds(120)
  }
}

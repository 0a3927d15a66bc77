import Domain
import HTTPServer
import TestSupport
import Testing

@testable import API

/// A server in a process of its own, requests to it, and what they cost its threads.
final class BodyStage {
  private enum Limits {
    /// What a request may cost for four times the bytes: linear work has 4, quadratic 16.
    static let ratio = 6.0
    /// Milliseconds below which a ratio says nothing: noise, and what every request costs.
    static let floor = 5.0
    static let tries = 5
  }

  let example: ExampleStage
  private let server: ServerProcess
  private let clock: ThreadClock
  private(set) var requests = 0

  init() throws {
    example = try ExampleStage()
    server = try example.world.process(["UPMC_CTL_TRUSTED_SENDERS": "127.0.0.1"])
    try server.start()
    let server = server
    _ = try poll("the server does not serve: \(server.output.suffix(2000))") {
      (try? TestClient(port: server.port).call("GET", "/ready"))?.status == 200 ? true : nil
    }
    clock = try ThreadClock(process: try #require(server.identifier))
  }

  deinit { _ = server.stop() }

  /// The request line and headers of an operation, with whatever its path needs.
  func head(_ operation: Endpoint) throws -> String {
    let (target, credential) = try example.prepare(operation)
    var head = "\(operation.method.rawValue) \(target) HTTP/1.1"
    if let credential { head += "\nAuthorization: Bearer \(credential)" }
    if let type = operation.body?.type { head += "\nContent-Type: \(type)" }
    return head
  }

  /// Sends a body of so many bytes and one of a quarter, and complains when the long one costs more than its share.
  func compare(_ label: String, _ head: String, _ bytes: Int, _ body: (Int) -> String) throws {
    try compare(label, bytes) { (head, body($0)) }
  }

  func compare(_ label: String, _ bytes: Int, _ request: (Int) -> (head: String, body: String)) throws {
    var least = (whole: Double.infinity, quarter: Double.infinity)
    for _ in 0..<Limits.tries {
      // The long one first: what only the first request of its kind costs must not excuse it.
      least.whole = min(least.whole, try cost(request(bytes)))
      if least.whole <= Limits.floor { return }
      least.quarter = min(least.quarter, try cost(request(bytes / 4)))
      if least.whole <= least.quarter * Limits.ratio { return }
    }
    Issue.record("\(label): \(bytes) bytes cost \(least.whole) ms, a quarter of them \(least.quarter) ms")
  }

  /// Milliseconds that one request takes of the server's threads.
  private func cost(_ request: (head: String, body: String)) throws -> Double {
    let before = clock.now()
    _ = try RawHTTP(port: server.port, request.head, body: Array(request.body.utf8))
    requests += 1
    return clock.now() - before
  }
}

import Foundation
import HTTPClient
import Reactor
import Simulator

/// Calls to whichever node responds, each repeated until answered, as a careful client does. On the driver's thread.
final class Calls {
  private let loop: EventLoop
  private let clients: [HTTPClient]
  private var dice: SplitMix64
  private let history: History?
  /// Calls not yet answered.
  private(set) var open = 0
  private(set) var answered = 0
  /// Attempts without a response, and responses that said "later".
  private(set) var lost = 0
  private(set) var busy = 0
  /// Responses that no fault explains: status and text of the last few.
  private(set) var odd: [String] = []

  init(ports: [UInt16], loop: EventLoop, seed: UInt64, history: History? = nil) throws {
    self.loop = loop
    self.history = history
    dice = SplitMix64(seed: seed)
    var configuration = HTTPClient.Configuration()
    configuration.connections = 40
    clients = try ports.map { port in
      HTTPClient(try HTTPOrigin(host: "127.0.0.1", port: port), loop: loop, configuration: configuration)
    }
  }

  func close() {
    for client in clients { client.close() }
  }

  private static let timeout = Duration.seconds(4)
  /// A session waits at most half a second for a lock, and a transaction takes a few; the rest is slack for a loaded
  /// machine.
  private static let moment = Duration.seconds(8)

  /// Repeats a call until the response is anything but "later".
  /// - Parameter isOrdered: the call must have taken effect, or never do so, before the next step. A frozen server
  ///   still executes requests queued in its sockets, so the call stays with that server until it resumes. A call
  ///   answered 503 because its commit was not confirmed may also take effect a moment later.
  func send(
    _ method: String, _ target: String, bearer: String? = nil, key: String? = nil, isOrdered: Bool = false,
    _ body: String = "", completion: @escaping (Reply) -> Void
  ) {
    var request = HTTPRequest.json(method, target, bearer: bearer, body: Array(body.utf8))
    if let key { request.headers.append(("Idempotency-Key", key)) }
    open += 1
    let attempts = HistoryAttempts(history, run: 1, method, target, key: key, body: body)
    attempt(request, attempts, number: 0, isOrdered ? .seconds(60) : Self.timeout, completion)
  }

  private func attempt(
    _ request: HTTPRequest, _ attempts: HistoryAttempts?, number: Int, _ timeout: Duration,
    _ completion: @escaping (Reply) -> Void
  ) {
    let client = clients[Int(dice.next() % UInt64(clients.count))]
    let id = attempts?.begin()
    client.send(request, timeout: timeout) { [self] result in
      attempts?.end(id, (try? result.get()).map { Reply(status: $0.status, text: $0.text) })
      switch result {
      case .success(let response) where response.status < 500 && response.status != 429:
        open -= 1
        answered += 1
        completion(Reply(status: response.status, text: response.text))
      case .success(let response):
        busy += 1
        if response.status != 503, response.status != 429 { note("\(response.status) \(response.text.prefix(200))") }
        again(
          request, attempts, number, timeout, after: timeout > Self.timeout ? Self.moment : .zero, completion)
      case .failure(.closed): return
      case .failure:
        lost += 1
        again(request, attempts, number, timeout, completion)
      }
    }
  }

  private func again(
    _ request: HTTPRequest, _ attempts: HistoryAttempts?, _ number: Int, _ timeout: Duration,
    after pause: Duration = .zero,
    _ completion: @escaping (Reply) -> Void
  ) {
    loop.schedule(after: max(pause, .milliseconds(min(1000, 30 << min(number, 5))))) { [self] in
      attempt(request, attempts, number: number + 1, timeout, completion)
    }
  }

  private func note(_ text: String) {
    if odd.count < 20 { odd.append(text) }
  }
}

/// A response, as JSON.
struct Reply {
  let status: Int
  let text: String

  var object: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]) ?? [:] }
  func int(_ key: String) -> Int? { (object[key] as? NSNumber)?.intValue }
  func string(_ key: String) -> String? { object[key] as? String }
}

import WebhookDelivery
import Foundation
import HTTPServer
import Reactor
import Server
import Synchronization
import TestSupport
import Testing

/// A customer's server that is told events: remembers them, and answers as a test says.
final class EventReceiver: Sendable {
  struct Told: Sendable {
    let headers: [(name: String, value: String)]
    let body: [UInt8]
    /// Seconds since 1970.
    let arrivedAt: Double

    func header(_ name: String) -> String { headers.first { $0.name.lowercased() == name }?.value ?? "" }
    var id: String { header("webhook-id") }
    var json: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]) ?? [:] }
    var kind: String { json["kind"] as? String ?? "" }
    var data: [String: Any] { json["data"] as? [String: Any] ?? [:] }
    var user: String { data["clientUid"] as? String ?? "" }

    /// Whether the headers prove it, as a receiver would check when it arrives.
    func isSigned(with secret: String) -> Bool {
      guard let key = Data(base64Encoded: String(secret.dropFirst("whsec_".count))),
        let seconds = Int64(header("webhook-timestamp"))
      else { return false }
      return abs(arrivedAt - Double(seconds)) < 300
        && header("webhook-signature").split(separator: " ").contains {
          $0 == Signature.sign(id: id, seconds: seconds, body: body, secret: Array(key))
        }
    }
  }

  private final class State: Sendable {
    let told = Mutex<[Told]>([])
    /// How many of them were held against the document.
    let checked = Mutex(0)
    /// How it answers; 204 at first.
    let status = Mutex(204)
  }

  private let state: State
  private let server: ServerThread

  init() throws {
    let state = State()
    self.state = state
    server = try ServerThread("receiver") { Handler(state) }
  }

  var port: UInt16 { server.port }

  /// All that it was told so far. Each body is as the document says.
  var told: [Told] {
    let told = state.told.withLock { $0 }
    let new = state.checked.withLock { checked in
      defer { checked = told.count }
      return told[min(checked, told.count)...]
    }
    for one in new {
      #expect(
        DocumentedWire.faults(ofEvent: one.body, one.kind) == [], "\(String(decoding: one.body, as: UTF8.self))")
    }
    return told
  }

  func answer(_ status: Int) {
    state.status.withLock { $0 = status }
  }

  private final class Handler: RequestHandler {
    private let state: State

    init(_ state: State) { self.state = state }

    func handle(_ request: Request, _ responder: Responder) {
      let told = Told(
        headers: request.headers, body: request.bodyBytes, arrivedAt: Date().timeIntervalSince1970)
      state.told.withLock { $0.append(told) }
      var headers: [(String, String)] = []
      let status = state.status.withLock { $0 }
      if (300..<400).contains(status) { headers.append(("Location", "/elsewhere")) }
      responder.send(Response(status: Status(status), headers: headers, body: []))
    }
  }
}

extension World {
  /// A world whose webhooks may be on this machine, and are tried again quickly.
  convenience init(webhookPauses: [Int32], networks: [String] = ["127.0.0.0/8"]) throws {
    try self.init(server: { Self.tell(&$0, pauses: webhookPauses, networks: networks) })
  }

  /// One more such node: whichever comes first tells an event.
  func startTellingNode() throws -> Server {
    try startNode { Self.tell(&$0, pauses: [1], networks: ["127.0.0.0/8"]) }
  }

  /// Lets a server's webhooks be on this machine, and tries them again quickly.
  static func tell(_ configuration: inout Configuration, pauses: [Int32], networks: [String]) {
    configuration.webhookNetworks = networks.compactMap { IPBlock($0) }
    configuration.benchmarkOverrides.webhookRetrySeconds = pauses
    // No event is told twice because the machine is busy.
    configuration.benchmarkOverrides.webhookTimeout = .patience
  }

  /// Makes a webhook, and tells its number and secret.
  func webhook(
    _ receiver: EventReceiver, _ kinds: String = #""sms.requested""#, scheme: String = "http"
  ) throws -> (number: String, secret: String) {
    let reply = try client.call(
      "POST", "/v1/admin/webhooks", bearer: apiKey,
      #"{"appId":"\#(Self.appID)","url":"\#(scheme)://127.0.0.1:\#(receiver.port)/hook?x=1","kinds":[\#(kinds)]}"#)
    #expect(reply.status == 201, "\(reply.text)")
    return (try #require(reply.string("webhookId")), try #require(reply.string("secret")))
  }
}

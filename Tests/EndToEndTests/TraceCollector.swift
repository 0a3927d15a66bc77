import Foundation
import HTTPClient
import HTTPServer
import Reactor
import Synchronization
import TLS
import TestSupport
import Testing

@testable import Server

/// A collector of OpenTelemetry on this machine, as small as can be: remembers what it gets, and answers as a test says.
final class TraceCollector: Sendable {
  struct Span: @unchecked Sendable {
    let trace: String
    let id: String
    let parent: String?
    let name: String
    let kind: Int
    let began: Int
    let ended: Int
    /// Texts and numbers alike as text.
    let attributes: [String: String]
    let isFault: Bool

    init?(_ json: [String: Any]) {
      guard let trace = json["traceId"] as? String, let id = json["spanId"] as? String,
        let name = json["name"] as? String, let kind = json["kind"] as? Int,
        let began = (json["startTimeUnixNano"] as? String).flatMap({ Int($0) }),
        let ended = (json["endTimeUnixNano"] as? String).flatMap({ Int($0) })
      else { return nil }
      (self.trace, self.id, self.name, self.kind, self.began, self.ended) = (trace, id, name, kind, began, ended)
      parent = json["parentSpanId"] as? String
      isFault = (json["status"] as? [String: Any])?["code"] as? Int == 2
      attributes = TraceCollector.attributes(json)
    }
  }

  private struct State {
    var requests: [(path: String, headers: [(name: String, value: String)], body: [UInt8])] = []
    var status = 200
    var answer = "{}"
    var headers: [(String, String)] = []
  }

  private let state: StateBox
  private let server: ServerThread

  private final class StateBox: Sendable {
    let value = Mutex(State())
  }

  /// - Parameter tls: nil for plain HTTP.
  init(tls: TLSContext? = nil) throws {
    let state = StateBox()
    self.state = state
    server = try ServerThread("collector", tls: tls) { Handler(state) }
  }

  var port: UInt16 { server.port }

  /// How it answers from now on; 200 with an empty object at first.
  func answer(_ status: Int, _ body: String = "{}", headers: [(String, String)] = []) {
    state.value.withLock { ($0.status, $0.answer, $0.headers) = (status, body, headers) }
  }

  var export: Configuration.Export {
    get throws { Configuration.Export(url: try #require(HTTPURL("http://127.0.0.1:\(port)/otel"))) }
  }

  /// Requests of one signal, refused ones too.
  func requests(_ signal: String) -> [(headers: [(name: String, value: String)], body: [UInt8])] {
    state.value.withLock { $0.requests }.filter { $0.path == "/otel/v1/\(signal)" }.map { ($0.headers, $0.body) }
  }

  private func json(_ signal: String) -> [[String: Any]] {
    requests(signal).compactMap { try? JSONSerialization.jsonObject(with: Data($0.body)) as? [String: Any] }
  }

  /// All spans so far, by the resource's instance that sent them.
  var spans: [Span] {
    json("traces").flatMap { Self.list($0, "resourceSpans", "scopeSpans", "spans") }.compactMap(Span.init)
  }

  /// The latest values of a metric: the labels' values, with commas, and the first number of the point.
  func metric(_ name: String) -> [String: Double] {
    guard let last = json("metrics").last,
      let metric = Self.list(last, "resourceMetrics", "scopeMetrics", "metrics").first(where: {
        $0["name"] as? String == name
      }), let form = ["sum", "gauge", "histogram"].compactMap({ metric[$0] as? [String: Any] }).first,
      let points = form["dataPoints"] as? [[String: Any]]
    else { return [:] }
    let values = points.map { point in
      let labels = Self.attributes(point).sorted { $0.key < $1.key }.map(\.value).joined(separator: ",")
      let text = point["asInt"] as? String ?? point["count"] as? String
      return (labels, text.flatMap(Double.init) ?? point["asDouble"] as? Double ?? .nan)
    }
    return Dictionary(values, uniquingKeysWith: { first, _ in first })
  }

  private static func list(_ json: [String: Any], _ names: String...) -> [[String: Any]] {
    names.reduce([json]) { level, name in level.flatMap { $0[name] as? [[String: Any]] ?? [] } }
  }

  fileprivate static func attributes(_ json: [String: Any]) -> [String: String] {
    let pairs = (json["attributes"] as? [[String: Any]] ?? []).map { attribute in
      let value = attribute["value"] as? [String: Any] ?? [:]
      return (attribute["key"] as? String ?? "", value["stringValue"] as? String ?? value["intValue"] as? String ?? "")
    }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  private final class Handler: RequestHandler {
    private let state: StateBox

    init(_ state: StateBox) { self.state = state }

    func bodyLimit(for request: Request, standard: Int) -> Int { 64 << 20 }

    func handle(_ request: Request, _ responder: Responder) {
      let got = (path: request.path, headers: request.headers, body: request.bodyBytes)
      let (status, body, headers) = state.value.withLock { state in
        state.requests.append(got)
        return (state.status, state.answer, state.headers)
      }
      responder.send(
        Response(
          status: Status(status), headers: [("Content-Type", "application/json")] + headers, body: Array(body.utf8)))
    }
  }
}

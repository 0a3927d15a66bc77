import Foundation
import HTTPClient
import Reactor
import TestSupport
import Testing

/// A blocking HTTP client for tests.
final class TestClient {
  private let loop: EventLoop
  private let client: HTTPClient

  init(port: UInt16) throws {
    loop = try EventLoop()
    client = HTTPClient(try HTTPOrigin(host: "127.0.0.1", port: port), loop: loop)
  }

  deinit { client.close() }

  /// One call; throws when there is no answer.
  func call(
    _ method: String, _ target: String, bearer: String? = nil, idempotencyKey: String? = nil, _ json: String? = nil,
    type: String? = nil, session: Session? = nil, headers: [(String, String)] = []
  ) throws -> Reply {
    var request = HTTPRequest.json(method, target, bearer: bearer, body: Array((json ?? "").utf8))
    request.headers += headers
    if let session { request.headers += [("Cookie", session.cookie), ("X-CSRF-Token", session.csrfToken)] }
    if let type {
      request.headers.removeAll { $0.name.lowercased() == "content-type" }
      request.headers.append(("Content-Type", type))
    }
    if let idempotencyKey { request.headers.append(("Idempotency-Key", idempotencyKey)) }
    var outcome: Result<HTTPResponse, HTTPClientError>?
    client.send(request, timeout: .patience) { outcome = $0 }
    while outcome == nil { loop.turn(atMost: .seconds(1)) }
    let response = try #require(outcome).get()
    let cookie = response.header("set-cookie").map { String($0.prefix { $0 != ";" }) }
    return Reply(status: response.status, text: response.text, cookie: cookie, headers: response.headers)
  }

  /// What a browser keeps of somebody who has signed in.
  struct Session {
    let cookie: String
    let csrfToken: String
  }

  /// Signs in by a link, as `/#sign-in=…` does.
  func signIn(_ path: String) throws -> Session {
    let token = path.split(separator: "=", maxSplits: 1).last ?? ""
    let reply = try call("POST", "/v1/admin/session", #"{"link":"\#(token)"}"#)
    return Session(cookie: try #require(reply.cookie), csrfToken: try #require(reply.string("csrfToken")))
  }
}

/// What came back, as JSON.
struct Reply {
  let status: Int
  let text: String
  /// The cookie that it sets, as browsers send it back.
  var cookie: String?
  var headers: [(name: String, value: String)] = []

  /// The first header of this name, which is given in lower case.
  func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }

  subscript(key: String) -> Any? {
    let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    return object?[key]
  }

  func int(_ key: String) -> Int? { (self[key] as? NSNumber)?.intValue }
  func string(_ key: String) -> String? { self[key] as? String }

  /// The first of the `results` of a confirmation.
  var result: [String: Any] { (self["results"] as? [[String: Any]])?.first ?? [:] }
}

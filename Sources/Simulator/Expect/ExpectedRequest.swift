internal import FoundationEssentials
internal import HTTPServer
internal import Reactor

/// A request of the client under test.
struct ExpectedRequest: Sendable {
  /// Path that redirects point to.
  static let elsewhere = "/elsewhere"
  /// Cursor of the inbox's second page.
  static let nextPage = "page2"

  let method: String
  let path: String
  /// The query of the URL, without `?`.
  let query: String
  /// The token of `Authorization: Bearer`; nil if absent.
  let key: String?
  let isJSON: Bool
  let body: Body
  let arrivedAt: Instant

  /// Members that the bodies of the client's requests may contain.
  struct Body: Codable, Sendable {
    var appId: String?
    var psid: String?
    var deviceId: String?
    var clientUid: String?
    var userProof: String?
    var badge: Int?
    var seqno: String?
    var pushkey: String?
    var notification: Bool?
    var ad: Bool?
    var nightAd: Bool?
    var receipts: [Entry]?
    var reads: [Entry]?

    struct Entry: Codable, Sendable {
      var seqno: String?
      var psid: String?
      var pushkey: String?
      var badgeOption: String?
      var badge: Int?
    }
  }

  init(_ request: Request, at instant: Instant) {
    arrivedAt = instant
    method = request.methodName
    path = request.path
    query = request.query
    key = request.bearerToken
    isJSON = request.header("content-type")?.lowercased().hasPrefix("application/json") == true
    let bytes = request.bodyBytes
    body = (try? JSONDecoder().decode(Body.self, from: Data(bytes))) ?? Body()
  }

  /// The receipts or reads in the body; nil for other requests.
  var confirmations: [Body.Entry]? {
    switch (method, path) {
    case ("POST", "/v1/receipts"): body.receipts ?? []
    case ("POST", "/v1/reads"): body.reads ?? []
    default: nil
    }
  }

  var isRegistration: Bool { method == "POST" && path == "/v1/devices" }
  var isPossession: Bool { method == "POST" && path.hasSuffix("/possession") }
  /// True if the request is for the inbox's second page.
  var isNextPage: Bool { query.split(separator: "&").contains("cursor=\(Self.nextPage)") }
}

/// A complete response. The connection adds Date, X-Request-Id, X-Content-Type-Options, Content-Length (unless the
/// status forbids a body) and, where needed, Connection; with TLS also Strict-Transport-Security.
package struct Response: Sendable {
  package var status: Status
  /// Headers, with names in any case. Date, Connection, X-Request-Id, Content-Length and Transfer-Encoding are dropped,
  /// because the connection writes them. Control characters other than tabs become spaces.
  package var headers: [(String, String)]
  package var body: [UInt8]

  package init(status: Status, headers: [(String, String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  package init(status: Status, contentType: String, body: String) {
    self.init(status: status, headers: [("Content-Type", contentType)], body: Array(body.utf8))
  }
}

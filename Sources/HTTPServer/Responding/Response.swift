/// A complete response. The connection adds Date, Content-Length, Connection, X-Request-Id and X-Content-Type-Options,
/// and over TLS Strict-Transport-Security.
package struct Response: Sendable {
  package var status: Status
  /// Headers, with names in any case. Fields that the connection itself writes, such as Content-Length, are dropped.
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

internal import Reactor

/// A request as it goes out. `Host` and `Content-Length` are added.
package struct HTTPRequest: Sendable {
  package var method: String
  /// Path and query, percent-encoded already.
  package var target: String
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]
  /// Whether it may be sent again when its connection is lost before the answer begins. By default what RFC 9110 §9.2.2
  /// calls idempotent; set it for a request that carries its own protection, such as an idempotency key.
  package var isRepeatable: Bool

  package init(_ method: String, _ target: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    isRepeatable = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(method)
  }

  /// A request with a JSON body.
  package static func json(
    _ method: String, _ target: String, bearer: String? = nil, body: [UInt8]
  ) -> HTTPRequest {
    var headers = [(name: "Content-Type", value: "application/json")]
    if let bearer { headers.append(("Authorization", "Bearer \(bearer)")) }
    return HTTPRequest(method, target, headers: headers, body: body)
  }

  /// False when a part of it could be read as more than that part: a line break in a header, a space in the target.
  var isWellFormed: Bool {
    !method.isEmpty && method.utf8.allSatisfy(HTTPToken.isToken)
      && !target.isEmpty && target.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
      && headers.allSatisfy { header in
        !header.name.isEmpty && header.name.utf8.allSatisfy(HTTPToken.isToken)
          && !header.value.utf8.contains(where: HTTPToken.isControl)
          && !["host", "content-length", "transfer-encoding"].contains(header.name.lowercased())
      }
  }

  func write(to buffer: inout ByteBuffer, host: String) {
    buffer.append(method)
    buffer.append(" ")
    buffer.append(target)
    buffer.append(" HTTP/1.1\r\nHost: ")
    buffer.append(host)
    for header in headers {
      buffer.append("\r\n")
      buffer.append(header.name)
      buffer.append(": ")
      buffer.append(header.value)
    }
    if !body.isEmpty || method != "GET" && method != "HEAD" {
      buffer.append("\r\nContent-Length: ")
      buffer.append(decimal: body.count)
    }
    buffer.append("\r\n\r\n")
    buffer.append(body)
  }
}

/// An answer, whole.
package struct HTTPResponse: Sendable {
  package let status: Int
  package let headers: [(name: String, value: String)]
  package let body: [UInt8]

  package init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The first field of this name; names are compared without case.
  package func header(_ lowercasedName: String) -> String? {
    headers.first { $0.name.lowercased() == lowercasedName }?.value
  }

  package var text: String { String(decoding: body, as: UTF8.self) }
}

/// Why there is no answer.
package enum HTTPClientError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No connection could be made: the request has certainly not been seen.
  case unreachable(String)
  /// The proxy opened no way to the server: the request has certainly not been seen.
  case noTunnel(TunnelFault)
  /// The connection broke after the request was sent: it may have been carried out.
  case lost(String)
  /// Neither is known.
  case timedOut
  /// What came back is no HTTP.
  case malformed(String)
  /// Not sent at all.
  case refused(String)
  /// The client was closed meanwhile.
  case closed

  package var description: String {
    switch self {
    case .unreachable(let reason): "the server cannot be reached: \(reason)"
    case .noTunnel(let fault): "the way out did not open: \(fault.reason)"
    case .lost(let reason): "the connection broke before the answer: \(reason)"
    case .timedOut: "no answer in time"
    case .malformed(let reason): "the answer is no HTTP: \(reason)"
    case .refused(let reason): reason
    case .closed: "the client was closed"
    }
  }
}

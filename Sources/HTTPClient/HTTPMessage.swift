internal import Reactor

/// An outgoing request. The client adds `Host` and `Content-Length`.
package struct HTTPRequest: Sendable {
  package var method: String
  /// The path and query, percent-encoded.
  package var target: String
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]
  /// True if the client may resend the request after its connection is lost before the response begins. By default true
  /// for the idempotent methods of RFC 9110 §9.2.2; set it for requests protected otherwise, by an idempotency key for
  /// example.
  package var isRepeatable: Bool

  package init(_ method: String, _ target: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    isRepeatable = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(method)
  }

  /// Creates a request with a JSON body.
  package static func json(
    _ method: String, _ target: String, bearer: String? = nil, body: [UInt8]
  ) -> HTTPRequest {
    var headers = [(name: "Content-Type", value: "application/json")]
    if let bearer { headers.append(("Authorization", "Bearer \(bearer)")) }
    return HTTPRequest(method, target, headers: headers, body: body)
  }

  /// False if a part contains characters that could be read as more than that part, such as a line break in a header or
  /// a space in the target.
  package var isWellFormed: Bool {
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

/// A complete response.
package struct HTTPResponse: Sendable {
  package let status: Int
  package let headers: [(name: String, value: String)]
  package let body: [UInt8]

  package init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Returns the first header with this name, compared case-insensitively; nil if absent.
  package func header(_ lowercasedName: String) -> String? {
    headers.first { $0.name.lowercased() == lowercasedName }?.value
  }

  package var text: String { String(decoding: body, as: UTF8.self) }
}

/// The reason why there is no response.
package enum HTTPClientError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No connection could be established: the server has certainly not received the request.
  case unreachable(String)
  /// The proxy opened no tunnel: the server has certainly not received the request.
  case noTunnel(TunnelFault)
  /// The connection was lost after the request was sent: the server may have carried it out.
  case lost(String)
  /// The response did not arrive in time. The server may have carried out the request.
  case timedOut
  /// The response is not valid HTTP.
  case malformed(String)
  /// The client rejected the request without sending it.
  case refused(String)
  /// The client was closed before the response.
  case closed

  package var description: String {
    switch self {
    case .unreachable(let reason): "the server cannot be reached: \(reason)"
    case .noTunnel(let fault): "the proxy did not connect: \(fault.reason)"
    case .lost(let reason): "the connection broke before the answer: \(reason)"
    case .timedOut: "no answer in time"
    case .malformed(let reason): "the answer is no HTTP: \(reason)"
    case .refused(let reason): reason
    case .closed: "the client was closed"
    }
  }
}

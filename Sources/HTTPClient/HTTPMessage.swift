package import Reactor

/// A server to talk to.
package struct HTTPOrigin: Hashable, Sendable, CustomStringConvertible {
  package let host: String
  package let address: SocketAddress

  /// Looks the host up; blocking.
  package init(host: String, port: UInt16) throws(SystemError) {
    self.host = port == 80 ? host : "\(host):\(port)"
    guard let address = try SocketAddress.resolve(host: host, port: port).first else {
      throw SystemError(code: 113, operation: "resolve", subject: host)
    }
    self.address = address
  }

  /// Reads `http://host[:port]`. Nil for anything else.
  package static func parse(_ url: String) throws(SystemError) -> HTTPOrigin? {
    guard url.hasPrefix("http://") else { return nil }
    let authority = url.dropFirst("http://".count).prefix { $0 != "/" }
    guard let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") else {
      return try HTTPOrigin(host: String(authority), port: 80)
    }
    guard let port = UInt16(authority[authority.index(after: colon)...]) else { return nil }
    return try HTTPOrigin(host: String(authority[..<colon]), port: port)
  }

  package var description: String { "http://\(host)" }
}

/// A request as it goes out. `Host` and `Content-Length` are added.
package struct HTTPRequest: Sendable {
  package var method: String
  /// Path and query, percent-encoded already.
  package var target: String
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  package init(_ method: String, _ target: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
  }

  /// A request with a JSON body.
  package static func json(
    _ method: String, _ target: String, bearer: String? = nil, body: [UInt8]
  ) -> HTTPRequest {
    var headers = [(name: "Content-Type", value: "application/json")]
    if let bearer { headers.append(("Authorization", "Bearer \(bearer)")) }
    return HTTPRequest(method, target, headers: headers, body: body)
  }

  func write(to buffer: inout ByteBuffer, host: String) {
    buffer.append("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n")
    for header in headers { buffer.append("\(header.name): \(header.value)\r\n") }
    if !body.isEmpty || method != "GET" { buffer.append("Content-Length: \(body.count)\r\n") }
    buffer.append("\r\n")
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
  /// The connection broke after the request was sent: it may have been carried out.
  case lost(String)
  /// Neither is known.
  case timedOut
  /// What came back is no HTTP.
  case malformed(String)
  case refused(String)
  case closed

  package var description: String {
    switch self {
    case .unreachable(let reason): "the server cannot be reached: \(reason)"
    case .lost(let reason): "the connection broke before the answer: \(reason)"
    case .timedOut: "no answer in time"
    case .malformed(let reason): "the answer is no HTTP: \(reason)"
    case .refused(let reason): reason
    case .closed: "the client was closed"
    }
  }
}

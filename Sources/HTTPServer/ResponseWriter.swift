internal import Reactor

/// Writes the heads of answers into the output buffers of connections. One per server; knows nothing of sockets.
struct ResponseWriter {
  /// What an answer must know of its request when the request's bytes are gone.
  struct Exchange {
    var number: UInt64 = 0
    var isHead = false
    var minorVersion = 1
    /// Whether the connection stays open after this answer.
    var keepsAlive = true
  }

  private let clock: any Clock
  /// `Date: …` with its CR LF, renewed once a second.
  private var dateLine: [UInt8] = []
  private var dateIsValidUntil = Instant(nanoseconds: .min)

  init(clock: any Clock) {
    self.clock = clock
  }

  /// The hot path: one content type, no other headers.
  mutating func writeHead(
    _ status: Status, contentType: StaticString, bodyCount: Int, _ exchange: Exchange, now: Instant,
    to output: inout ByteBuffer
  ) {
    writeStart(status, exchange, now: now, to: &output)
    output.append("Content-Type: ")
    output.append(contentType)
    output.append("\r\n")
    writeLength(status, bodyCount, to: &output)
    output.append("\r\n")
  }

  /// - Parameter bodyCount: nil for a body of unknown length, which goes in chunks (or ends with the connection, in
  ///   HTTP/1.0).
  mutating func writeHead(
    _ status: Status, headers: [(String, String)], bodyCount: Int?, _ exchange: Exchange, now: Instant,
    to output: inout ByteBuffer
  ) {
    writeStart(status, exchange, now: now, to: &output)
    for (name, value) in headers where !Self.isReserved(name) {
      Self.writeSafely(name, to: &output)
      output.append(": ")
      Self.writeSafely(value, to: &output)
      output.append("\r\n")
    }
    if let bodyCount {
      writeLength(status, bodyCount, to: &output)
    } else if exchange.minorVersion > 0 {
      output.append("Transfer-Encoding: chunked\r\n")
    }
    output.append("\r\n")
  }

  private mutating func writeStart(_ status: Status, _ exchange: Exchange, now: Instant, to output: inout ByteBuffer) {
    if status == .ok {
      output.append("HTTP/1.1 200 OK\r\n")
    } else {
      output.append("HTTP/1.1 ")
      output.append(decimal: status.code)
      output.append(ByteClass.space)
      output.append(status.reason)
      output.append("\r\n")
    }
    if now >= dateIsValidUntil { renewDate(now) }
    output.append(dateLine)
    if !exchange.keepsAlive {
      output.append("Connection: close\r\n")
    } else if exchange.minorVersion == 0 {
      output.append("Connection: keep-alive\r\n")
    }
    output.append("X-Request-Id: ")
    RequestID.append(exchange.number, to: &output)
    output.append("\r\n")
  }

  private func writeLength(_ status: Status, _ count: Int, to output: inout ByteBuffer) {
    // 1xx and 204 must not have it; a 304 would have to name the length of the 200 (RFC 9110 §8.6).
    guard !status.forbidsBody else { return }
    output.append("Content-Length: ")
    output.append(decimal: count)
    output.append("\r\n")
  }

  private mutating func renewDate(_ now: Instant) {
    let microseconds = clock.wallMicroseconds
    dateLine = Array("Date: \(HTTPDate.text(seconds: microseconds / 1_000_000))\r\n".utf8)
    dateIsValidUntil = now + .microseconds(1_000_000 - microseconds % 1_000_000)
  }

  /// Fields that frame the message or that the connection writes itself.
  private static func isReserved(_ name: String) -> Bool {
    switch name.utf8.count {
    case 4: name.lowercased() == "date"
    case 10: name.lowercased() == "connection"
    case 12: name.lowercased() == "x-request-id"
    case 14: name.lowercased() == "content-length"
    case 17: name.lowercased() == "transfer-encoding"
    default: false
    }
  }

  /// A line break in a value that came from elsewhere must not begin a header of its own: it becomes a space.
  private static func writeSafely(_ text: String, to output: inout ByteBuffer) {
    if text.utf8.contains(where: ByteClass.isControl) {
      output.append(text.utf8.map { ByteClass.isControl($0) ? ByteClass.space : $0 })
    } else {
      output.append(text)
    }
  }
}

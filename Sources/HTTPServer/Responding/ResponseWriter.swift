internal import Reactor
internal import Time

/// Encodes responses into the output of connections. One per server; performs no I/O.
struct ResponseWriter: ~Copyable {
  /// The facts about a request that its response needs after the request's bytes are gone.
  struct Exchange {
    var number: UInt64 = 0
    var isHead = false
    var minorVersion = 1
    /// True if the connection stays open after this response.
    var keepsAlive = true
  }

  private let clock: any Clock
  /// Headers that are the same for all responses; they precede Date.
  private let fixedFields: String
  /// Encoded headers common to all responses, up to the name of X-Request-Id; renewed with the date once a second.
  private var dateLine: [UInt8] = []
  /// The same headers preceded by the status line of a 200.
  private var startOfOK: [UInt8] = []
  private var dateIsValidUntil = Instant(nanoseconds: .min)
  /// Buffer for bodies that are written before their length is known.
  private var scratch = ByteBuffer(capacity: 1_024)

  /// Creates a writer.
  /// - Parameter isSecure: true to add Strict-Transport-Security, because responses are sent over TLS.
  init(clock: any Clock, isSecure: Bool = false) {
    self.clock = clock
    fixedFields =
      "\r\nX-Content-Type-Options: nosniff" + (isSecure ? "\r\nStrict-Transport-Security: max-age=31536000" : "")
  }

  // MARK: Short responses

  /// Writes a response with a content type and no other headers; optimized for the hot path. Calls the closure `body`
  /// even if the body is not sent, as for HEAD. The closure must not answer another request.
  mutating func write(
    _ status: Status, _ contentType: StaticString, _ exchange: Exchange, now: Instant, to output: inout Output,
    body: (inout ByteBuffer) -> Void
  ) {
    scratch.removeAll()
    body(&scratch)
    writeHead(status, contentType, bodyCount: scratch.count, exchange, now: now, to: &output)
    guard !exchange.isHead, !status.forbidsBody else { return }
    scratch.withReadable { output.buffer.append($0) }
  }

  mutating func write(
    _ status: Status, _ contentType: StaticString, _ body: Span<UInt8>, _ exchange: Exchange, now: Instant,
    to output: inout Output
  ) {
    writeHead(status, contentType, bodyCount: body.count, exchange, now: now, to: &output)
    if !exchange.isHead, !status.forbidsBody { output.buffer.append(body) }
  }

  private mutating func writeHead(
    _ status: Status, _ contentType: StaticString, bodyCount: Int, _ exchange: Exchange, now: Instant,
    to output: inout Output
  ) {
    output.reattach()
    writeStart(status, exchange, now: now, to: &output.buffer)
    // A literal is a `String` unless it is told not to be, which costs three times as much to append.
    output.buffer.append("\r\nContent-Type: " as StaticString)
    output.buffer.append(contentType)
    if !status.forbidsBody {
      output.buffer.append("\r\nContent-Length: " as StaticString)
      output.buffer.append(decimal: bodyCount)
    }
    output.buffer.append("\r\n\r\n" as StaticString)
  }

  // MARK: Any response

  /// Writes status line, common headers, `headers` without the reserved ones, and the empty line.
  /// - Parameter bodyCount: size of the body in bytes; nil if unknown: the body is then sent chunked, or in HTTP/1.0
  ///   until the connection closes.
  mutating func writeHead(
    _ status: Status, headers: [(String, String)], bodyCount: Int?, _ exchange: Exchange, now: Instant,
    to buffer: inout ByteBuffer
  ) {
    writeStart(status, exchange, now: now, to: &buffer)
    for (name, value) in headers where !Self.isReserved(name) {
      buffer.append("\r\n")
      Self.writeSafely(name, to: &buffer)
      buffer.append(": ")
      Self.writeSafely(value, to: &buffer)
    }
    // 1xx and 204 must not have a length, and a 304's would have to be that of the 200 (RFC 9110 §8.6).
    if status.forbidsBody {
    } else if let bodyCount {
      buffer.append("\r\nContent-Length: ")
      buffer.append(decimal: bodyCount)
    } else if exchange.minorVersion > 0 {
      buffer.append("\r\nTransfer-Encoding: chunked")
    }
    buffer.append("\r\n\r\n")
  }

  /// Writes status line, common headers, Date, X-Request-Id and, if needed, Connection, without the final CR LF.
  private mutating func writeStart(_ status: Status, _ exchange: Exchange, now: Instant, to buffer: inout ByteBuffer) {
    if now >= dateIsValidUntil { renewDate(now) }
    if status == .ok {
      buffer.append(startOfOK)
    } else {
      buffer.append("HTTP/1.1 ")
      buffer.append(decimal: status.code)
      buffer.append(ByteClass.space)
      buffer.append(status.reason)
      buffer.append(dateLine)
    }
    RequestID.append(exchange.number, to: &buffer)
    if !exchange.keepsAlive {
      buffer.append("\r\nConnection: close")
    } else if exchange.minorVersion == 0 {
      buffer.append("\r\nConnection: keep-alive")
    }
  }

  private mutating func renewDate(_ now: Instant) {
    let time = clock.wallTime
    let date = HTTPDate.text(seconds: time.seconds)
    dateLine = Array("\(fixedFields)\r\nDate: \(date)\r\nX-Request-Id: ".utf8)
    startOfOK = Array("HTTP/1.1 200 OK".utf8) + dateLine
    dateIsValidUntil = now + (Timestamp(seconds: time.seconds + 1) - time)
  }

  /// Returns whether a handler cannot set this header, because `writeHead` or `writeStart` writes its own value.
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

  /// Appends a header's name or value. Replaces line breaks and other control characters except tabs by spaces, so that
  /// an untrusted value cannot inject a header.
  private static func writeSafely(_ text: String, to buffer: inout ByteBuffer) {
    if text.utf8.contains(where: ByteClass.isControl) {
      buffer.append(text.utf8.map { ByteClass.isControl($0) ? ByteClass.space : $0 })
    } else {
      buffer.append(text)
    }
  }
}

/// Formats dates for HTTP: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
package enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Returns a time in the format of HTTP headers.
  /// - Parameter seconds: seconds since 1970-01-01 UTC, not negative.
  package static func text(seconds: Int64) -> String {
    let day = Int(seconds / 86_400)
    let second = Int(seconds % 86_400)
    let (year, month, dayOfMonth) = civil(day)
    return "\(days[day % 7]), \(two(dayOfMonth)) \(months[month - 1]) \(year) "
      + "\(two(second / 3_600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// Converts days since 1970-01-01, not negative, to a Gregorian date with months and days counted from 1. Computes in
  /// eras of 400 years that begin on 1 March.
  private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = day + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}

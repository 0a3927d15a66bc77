/// The reason why a session was not opened, read from libpq's verbose message, the only place where libpq gives the
/// server's code.
/// Source: `pqBuildErrorMessage3` in `fe-protocol3.c` of libpq.
///
/// ```
///   connection to server at "10.0.0.1", port 5432 failed: FATAL:  28P01: password authentication failed for user "u"
///   LOCATION:  auth_failed, auth.c:326
/// ```
struct ConnectFailure {
  /// The code of the last host that gave one. A code ends the attempt, unless the host is starting or stopping (57P03);
  /// only after that code can another host's failure follow. PgBouncer gives one code (08P01) for everything that it
  /// refuses; then this is the code that PostgreSQL would give, if the words show it.
  let sqlState: SQLState?
  /// The message on one line, in libpq's words without the verbose parts.
  let message: String

  init(_ text: String) {
    var state: SQLState?
    var kept: [Substring] = []
    for line in text.split(separator: "\n") where !line.hasPrefix("LOCATION:") {
      var words = line.split(whereSeparator: \.isWhitespace)
      let place = words.indices.dropFirst().first { Self.isCode(words[$0]) && words[$0 - 1].last == ":" }
      if let place { state = SQLState(rawValue: String(words.remove(at: place).dropLast())) }
      kept += words
    }
    message = kept.joined(separator: " ")
    // libpq's own error, without a code: the server asked for a password, and neither the URL nor a PGPASSFILE has one.
    if state == nil, message.contains("no password supplied") { state = .invalidPassword }
    if state == .protocolViolation { state = Self.poolerState(message) ?? state }
    sqlState = state
  }

  /// Returns PostgreSQL's code for a pooler's refusal; nil for anything else, including an unreachable database and too
  /// many connections. Source: the messages of PgBouncer 1.18, in `client.c`.
  private static func poolerState(_ message: String) -> SQLState? {
    if message.contains("no such database") { return .unknownDatabase }
    if message.contains("no such user") || message.contains("authentication failed") { return .invalidPassword }
    return message.contains("login rejected") ? .invalidAuthorization : nil
  }

  /// Five digits and capitals before a colon. At least one is a digit, which distinguishes a code from a severity
  /// (`FATAL:`).
  private static func isCode(_ word: Substring) -> Bool {
    guard word.utf8.count == 6, word.last == ":" else { return false }
    let code = word.utf8.dropLast()
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
    return code.allSatisfy { digits.contains($0) || capitals.contains($0) } && code.contains { digits.contains($0) }
  }
}

internal import COpenSSL
internal import Glibc

/// TLS failed: at which step, and everything that OpenSSL had to say about it.
package struct TLSError: Error, CustomStringConvertible, Sendable, Equatable {
  /// The step, for example `handshake` or `read certificate`.
  package let operation: String
  /// OpenSSL's error queue, oldest first, or our own reason.
  package let reason: String

  package init(operation: String, reason: String) {
    self.operation = operation
    self.reason = reason
  }

  package var description: String { "\(operation): \(reason)" }

  /// Takes what the failed call left in this thread's error queue, and empties it.
  static func drained(_ operation: String, else fallback: String = "no reason given") -> TLSError {
    let reasons = ErrorQueue.drain()
    return TLSError(operation: operation, reason: reasons.isEmpty ? fallback : reasons.joined(separator: "; "))
  }
}

/// OpenSSL's error queue of the present thread.
enum ErrorQueue {
  static func clear() {
    ERR_clear_error()
  }

  /// Removes all entries and returns them as text, oldest first.
  static func drain() -> [String] {
    var reasons: [String] = []
    while true {
      let code = ERR_get_error()
      guard code != 0 else { return reasons }
      if reasons.count < TLS.Limits.reportedErrors { reasons.append(text(code)) }
    }
  }

  private static func text(_ code: UInt) -> String {
    if let reason = unsafe ERR_reason_error_string(code) { return unsafe String(cString: reason) }
    var line = [CChar](repeating: 0, count: 256)
    // Safe: OpenSSL writes at most the given length, with the terminator.
    unsafe ERR_error_string_n(code, &line, line.count)
    return String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

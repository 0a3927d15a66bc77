internal import COpenSSL

/// The error queue of OpenSSL for the current thread.
package enum ErrorQueue {
  /// Maximum number of entries returned; further ones are dropped.
  private static let reportedErrors = 16

  package static func clear() {
    ERR_clear_error()
  }

  /// Removes all entries and returns them as text, oldest first.
  package static func drain() -> [String] {
    var reasons: [String] = []
    while true {
      let code = ERR_get_error()
      guard code != 0 else { return reasons }
      if reasons.count < reportedErrors { reasons.append(text(code)) }
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

internal import CNGHTTP2

/// A rejected call or a failed session. If `receive` or `writeOutput` throws it, the connection must be closed.
package struct HTTP2Error: Error, CustomStringConvertible, Sendable, Equatable {
  package let operation: String
  package let reason: String

  package init(operation: String, reason: String) {
    self.operation = operation
    self.reason = reason
  }

  /// Creates the error for a failed nghttp2 call.
  /// - Parameter code: a negative result of an nghttp2 function.
  init(_ operation: String, code: Int) {
    self.operation = operation
    reason = unsafe String(cString: nghttp2_strerror(Int32(clamping: code)))
  }

  package var description: String { "\(operation): \(reason)" }
}

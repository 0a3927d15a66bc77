internal import CNGHTTP2

/// A refused call or a failed session. When `receive` or `writeOutput` throws it, drop the connection.
package struct HTTP2Error: Error, CustomStringConvertible, Sendable, Equatable {
  package let operation: String
  package let reason: String

  package init(operation: String, reason: String) {
    self.operation = operation
    self.reason = reason
  }

  /// - Parameter code: a negative result of an nghttp2 function.
  init(_ operation: String, code: Int) {
    self.operation = operation
    reason = unsafe String(cString: nghttp2_strerror(Int32(clamping: code)))
  }

  package var description: String { "\(operation): \(reason)" }
}

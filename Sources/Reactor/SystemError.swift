internal import CLinux
internal import Glibc

/// A failed system call: which call, on which object, and its `errno`.
package struct SystemError: Error, CustomStringConvertible, Sendable {
  /// The value of `errno`.
  package let code: Int32
  /// The name of the call or, where several calls are involved, of the operation: `bind`, `resolve`.
  package let operation: String
  /// The object of the call, such as an address or a path; empty if that adds nothing.
  package let subject: String

  package init(code: Int32, operation: String, subject: String = "") {
    self.code = code
    self.operation = operation
    self.subject = subject
  }

  /// Creates an error from the current `errno`.
  package static func last(_ operation: String, _ subject: String = "") -> SystemError {
    SystemError(code: errno, operation: operation, subject: subject)
  }

  package var description: String {
    let reason = unsafe String(cString: strerror(code))
    return subject.isEmpty ? "\(operation): \(reason)" : "\(operation) \(subject): \(reason)"
  }
}

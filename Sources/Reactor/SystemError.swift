internal import CLinux
internal import Glibc

/// A system call that failed: which one, on what, and the kernel's reason.
package struct SystemError: Error, CustomStringConvertible, Sendable {
  /// The value of `errno`.
  package let code: Int32
  /// The call, for example `bind`.
  package let operation: String
  /// Its object, for example an address or a path; empty if that adds nothing.
  package let subject: String

  package init(code: Int32, operation: String, subject: String = "") {
    self.code = code
    self.operation = operation
    self.subject = subject
  }

  /// An error with the `errno` of the call that has just failed.
  package static func last(_ operation: String, _ subject: String = "") -> SystemError {
    SystemError(code: errno, operation: operation, subject: subject)
  }

  package var description: String {
    let reason = unsafe String(cString: strerror(code))
    return subject.isEmpty ? "\(operation): \(reason)" : "\(operation) \(subject): \(reason)"
  }
}

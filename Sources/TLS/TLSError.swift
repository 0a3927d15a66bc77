internal import Crypto

/// A TLS failure: the step that failed, and OpenSSL's reasons.
package struct TLSError: Error, CustomStringConvertible, Sendable, Equatable {
  /// The step that failed, for example `handshake` or `read certificate`.
  package let operation: String
  /// The errors of OpenSSL, oldest first, or a reason determined by this module.
  package let reason: String

  package init(operation: String, reason: String) {
    self.operation = operation
    self.reason = reason
  }

  package var description: String { "\(operation): \(reason)" }

  /// Creates an error from this thread's OpenSSL error queue, and empties the queue.
  static func drained(_ operation: String, else fallback: String = "no reason given") -> TLSError {
    let reasons = ErrorQueue.drain()
    return TLSError(operation: operation, reason: reasons.isEmpty ? fallback : reasons.joined(separator: "; "))
  }
}

extension OpenSSLObject {
  /// Takes ownership of `pointer`. If it is nil, throws the errors that the failed call left in the queue.
  init(takingOwnership pointer: OpaquePointer?, free: @escaping Free, operation: String) throws(TLSError) {
    guard let object = unsafe OpenSSLObject(takingOwnership: pointer, free: free) else { throw .drained(operation) }
    self = object
  }
}

internal import Crypto

/// A TLS failure: the step that failed, and OpenSSL's reasons.
package struct TLSError: Error, CustomStringConvertible, Sendable, Equatable {
  /// The step, for example `handshake` or `read certificate`.
  package let operation: String
  /// OpenSSL's error queue, oldest first, or a reason of our own.
  package let reason: String

  package init(operation: String, reason: String) {
    self.operation = operation
    self.reason = reason
  }

  package var description: String { "\(operation): \(reason)" }

  /// Drains this thread's error queue after the failed call.
  static func drained(_ operation: String, else fallback: String = "no reason given") -> TLSError {
    let reasons = ErrorQueue.drain()
    return TLSError(operation: operation, reason: reasons.isEmpty ? fallback : reasons.joined(separator: "; "))
  }
}

extension OpenSSLObject {
  /// Takes ownership. If the pointer is nil, throws what the failed call left in the error queue.
  init(takingOwnership pointer: OpaquePointer?, free: @escaping Free, operation: String) throws(TLSError) {
    guard let object = unsafe OpenSSLObject(takingOwnership: pointer, free: free) else { throw .drained(operation) }
    self = object
  }
}

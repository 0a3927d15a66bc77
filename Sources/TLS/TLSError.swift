internal import Crypto

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

extension OpenSSLObject {
  /// Takes ownership. Throws what the failed call left behind when there is no object.
  init(takingOwnership pointer: OpaquePointer?, free: @escaping Free, operation: String) throws(TLSError) {
    guard let object = unsafe OpenSSLObject(takingOwnership: pointer, free: free) else { throw .drained(operation) }
    self = object
  }
}

internal import Domain
internal import Store

/// The rules of keys that make repeating a send harmless.
enum IdempotencyKey {
  /// What whoever uses a key for another request is told.
  static func conflict(_ key: String, _ earlier: Messages.Earlier) -> Problem {
    Problem(
      .idempotencyConflict,
      "The key \"\(key)\" was used for another request (message \(earlier.seqno)). Use a new key for a new message.")
  }

  /// Throws what is wrong with a key.
  static func check(_ key: String?) throws(Problem) {
    guard let key else { return }
    guard (1...Domain.Limits.idempotencyKeyBytes).contains(key.utf8.count) else {
      throw Problem(
        .invalidField, "An Idempotency-Key must have 1 to \(Domain.Limits.idempotencyKeyBytes) bytes.")
    }
  }
}

internal import Domain
internal import Store

/// Rules for idempotency keys, which make it safe to repeat a send.
enum IdempotencyKey {
  /// Returns the problem for a key that an earlier, different request has used.
  static func conflict(_ key: String, _ earlier: Messages.Earlier) -> Problem {
    Problem(
      .idempotencyConflict,
      "The key \"\(key)\" was used for another request (message \(earlier.seqno)). Use a new key for a new message.")
  }

  /// Throws `.invalidField` if the length of the key is not permitted. Nil, for no key, is valid.
  static func check(_ key: String?) throws(Problem) {
    guard let key else { return }
    guard (1...Domain.Limits.idempotencyKeyBytes).contains(key.utf8.count) else {
      throw Problem(
        .invalidField, "An Idempotency-Key must have 1 to \(Domain.Limits.idempotencyKeyBytes) bytes.")
    }
  }
}

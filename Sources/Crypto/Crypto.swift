/// Computes digests, ciphers, signatures and keys, based on the system's libcrypto.
///
/// ```
///   SymmetricKey ─┬─► HMAC ─► 32 bytes      SHA256 ─► 32 bytes
///                 ├─► AESGCM: seal ⇄ open
///                 └─► KeyDerivation (HKDF, and scrypt of a password)
///   PEM text ─► P256 or RSA: PrivateKey ─► signature ─► PublicKey: valid or not
/// ```
///
/// Values and pure functions over bytes, except for the random generator. Keys and an `HMAC` may be shared by all
/// threads. The module also holds what every user of OpenSSL needs: objects with a single owner, and the error queue.
///
/// Invariants: each function conforms to its standard, as tested with the published vectors. Every call leaves the
/// thread's error queue empty, except `OpenSSLObject.init`, which leaves the reason for a failure there for its caller.
///
/// Failure: errors caused by a key, a file or a sealed text are values (`UnusableKey`, nil, false). Errors that can
/// only come from a lack of memory or random bytes, or from a library without a standard algorithm, end the process.
///
/// Decision 114.
package enum Crypto {
  /// Ends the process with a fatal error.
  /// - Parameter what: completes the sentence "OpenSSL does not …".
  static func fail(_ what: String) -> Never {
    fatalError("OpenSSL does not \(what): \(ErrorQueue.drain().joined(separator: "; "))")
  }
}

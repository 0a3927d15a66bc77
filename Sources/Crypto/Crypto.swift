/// Digests, ciphers, signatures and keys, by the system's libcrypto.
///
/// ```
///   SymmetricKey ─┬─► HMAC ─► 32 bytes      SHA256 ─► 32 bytes
///                 ├─► AESGCM: seal ⇄ open
///                 └─► KeyDerivation (HKDF, and scrypt of a password)
///   PEM text ─► P256 or RSA: PrivateKey ─► signature ─► PublicKey: valid or not
/// ```
///
/// Values and pure functions over bytes, but for the generator of random bytes. Keys and an `HMAC` may be shared by all
/// threads. What all users of OpenSSL need stands here too: objects with one owner, and the error queue.
///
/// Invariants: each function does what its standard says, which the published vectors test. A call leaves the thread's
/// error queue as empty as it was.
///
/// Failure: what a key, a file or a sealed text can cause is a value (`UnusableKey`, nil, false). What fails only because
/// memory or random bytes are wanting, or the library lacks an algorithm that all of them have, ends the process.
package enum Crypto {
  /// Ends the process.
  /// - Parameter what: behind "OpenSSL does not".
  static func fail(_ what: String) -> Never {
    fatalError("OpenSSL does not \(what): \(ErrorQueue.drain().joined(separator: "; "))")
  }
}

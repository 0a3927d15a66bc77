/// What OpenSSL asks when a block of PEM text claims to be encrypted.
package enum Passphrase {
  /// Gives none. Without a callback OpenSSL would ask for one on the terminal, or on standard input.
  package static let none:
    @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = { _, _, _, _ in
      -1
    }
}

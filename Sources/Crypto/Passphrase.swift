/// The passphrase callback of OpenSSL for PEM text that may be encrypted.
package enum Passphrase {
  /// Supplies no passphrase. Without a callback, OpenSSL would prompt on the terminal or read standard input.
  package static let none:
    @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = { _, _, _, _ in
      -1
    }
}

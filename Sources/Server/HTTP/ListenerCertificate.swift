package import TLS

/// The TLS certificate of the listening sockets, read at the start, and again after the operator has renewed it.
/// Decision 102.
package enum ListenerCertificate {
  /// Reads certificate and key. Returns nil for plain HTTP.
  /// - Throws: one sentence that names the file and says what is wrong with it.
  package static func read(
    _ listening: Listening
  ) throws(ServerError) -> (identity: TLSIdentity, context: TLSContext)? {
    guard let file = listening.certificateFile else { return nil }
    let keyFile = listening.keyFile ?? file
    do throws(TLSError) {
      let identity = try TLSIdentity(certificateFile: file, privateKeyFile: keyFile)
      return (identity, try TLSContext.server(identity: identity, protocols: ["http/1.1"]))
    } catch {
      throw ServerError(
        "UPMC_TLS_CERTIFICATE (\(file)) and its key (\(keyFile)) cannot be used: \(error). Both must be PEM files that "
          + "this user may read, the key without a passphrase and belonging to the first certificate.")
    }
  }
}

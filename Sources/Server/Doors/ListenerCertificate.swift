package import TLS

/// The listeners' TLS certificate: read at the start, and again when the operator has renewed it. Decision 102.
package enum ListenerCertificate {
  /// Nil for plain HTTP.
  /// - Throws: one sentence that says what is wrong with which file.
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

internal import COpenSSL
internal import Crypto
internal import Glibc

/// A certificate chain and its private key, in PEM. The initializers check that they belong together.
package struct TLSIdentity: Sendable {
  /// The leaf certificate, followed by intermediates.
  package let certificateChainPEM: String
  /// The unencrypted private key. Never log it.
  package let privateKeyPEM: String
  /// The contents of the leaf certificate.
  package let certificate: CertificateInfo

  package init(certificateChainPEM: String, privateKeyPEM: String) throws(TLSError) {
    ErrorQueue.clear()
    self.certificateChainPEM = certificateChainPEM
    self.privateKeyPEM = privateKeyPEM
    let leaf = try PEM.certificate(certificateChainPEM)
    let key = try PEM.privateKey(privateKeyPEM)
    guard unsafe X509_check_private_key(leaf.pointer, key.pointer) == 1 else {
      throw .drained("match certificate and key")
    }
    certificate = try unsafe CertificateInfo(reading: leaf.pointer)
  }

  /// Reads certificates and key from one PEM text, as written by `openssl pkcs12 -in push.p12`. The key may be
  /// encrypted; it is stored decrypted here.
  /// - Parameter passphrase: the key's passphrase; empty if the key is not encrypted.
  package init(pem: String, passphrase: String = "") throws(TLSError) {
    let key = try PEM.privateKey(pem, passphrase: passphrase)
    var chain = ""
    try PEM.eachCertificate(pem) { certificate throws(TLSError) in
      chain += try unsafe PEM.text(certificate: certificate.pointer)
    }
    try unsafe self.init(certificateChainPEM: chain, privateKeyPEM: PEM.text(privateKey: key.pointer))
  }

  /// Returns true if the certificate is valid for `host` (a name or numeric address).
  package func isGood(forHost host: String) -> Bool {
    guard let leaf = try? PEM.certificate(certificateChainPEM) else { return false }
    // Safe: the string lives for the call, and the certificate until its end.
    return unsafe X509_check_ip_asc(leaf.pointer, host, 0) == 1
      || X509_check_host(leaf.pointer, host, host.utf8.count, 0, nil) == 1
  }

  /// The certificates and the unencrypted key in one PEM text. Never log it.
  package var pem: String { certificateChainPEM + privateKeyPEM }

  /// Reads certificates and key from PEM files; both may be in the same file.
  package init(certificateFile: String, privateKeyFile: String) throws(TLSError) {
    try self.init(
      certificateChainPEM: PEM.readFile(certificateFile), privateKeyPEM: PEM.readFile(privateKeyFile))
  }

  /// Opens a PKCS#12 archive (`.p12`). Archives of older tools use RC2 and triple DES, which OpenSSL 3 has only in its
  /// legacy provider. That provider is tried second, in its own library context, so the weak ciphers stay disabled
  /// elsewhere.
  package init(pkcs12: [UInt8], passphrase: String) throws(TLSError) {
    do {
      self = try PKCS12Archive.open(pkcs12, passphrase: passphrase, legacyCiphers: false)
    } catch {
      guard error.operation != DerivationCost.operation else { throw error }
      do {
        self = try PKCS12Archive.open(pkcs12, passphrase: passphrase, legacyCiphers: true)
      } catch let second {
        throw second.operation == DerivationCost.operation ? second : error
      }
    }
  }

  /// Returns the identity as a PKCS#12 archive; `legacyCiphers` selects the ciphers of older tools.
  package func pkcs12(passphrase: String, legacyCiphers: Bool = false) throws(TLSError) -> [UInt8] {
    try PKCS12Archive.pack(self, passphrase: passphrase, legacyCiphers: legacyCiphers)
  }
}

/// Parses PEM text.
enum PEM {
  /// Returns the first certificate in `text`.
  static func certificate(_ text: String) throws(TLSError) -> OpenSSLObject {
    ErrorQueue.clear()
    let bio = OpenSSLObject.memory(Array(text.utf8))
    return try unsafe OpenSSLObject(
      takingOwnership: PEM_read_bio_X509(bio.pointer, nil, Passphrase.none, nil), free: { unsafe X509_free($0) },
      operation: "read certificate")
  }

  /// Calls `body` with each certificate in `text`, in order. Throws if there is none.
  static func eachCertificate(
    _ text: String, _ body: (consuming OpenSSLObject) throws(TLSError) -> Void
  ) throws(TLSError) {
    ErrorQueue.clear()
    let bio = OpenSSLObject.memory(Array(text.utf8))
    var count = 0
    while let pointer = unsafe PEM_read_bio_X509(bio.pointer, nil, Passphrase.none, nil) {
      count += 1
      try unsafe body(
        OpenSSLObject(takingOwnership: pointer, free: { unsafe X509_free($0) }, operation: "read certificate"))
    }
    if count == 0 { throw .drained("read certificate") }
    // OpenSSL reports the end of the text as an error ("no start line").
    ErrorQueue.clear()
  }

  static func privateKey(_ text: String, passphrase: String = "") throws(TLSError) -> OpenSSLObject {
    ErrorQueue.clear()
    let bio = OpenSSLObject.memory(Array(text.utf8))
    guard !passphrase.isEmpty else {
      return try unsafe OpenSSLObject(
        takingOwnership: PEM_read_bio_PrivateKey(bio.pointer, nil, Passphrase.none, nil),
        free: { unsafe EVP_PKEY_free($0) },
        operation: "read private key")
    }
    try weigh(text)
    var phrase = Array(passphrase.utf8CString)
    // Safe: without a callback OpenSSL treats the argument as a NUL-terminated string, and only reads it.
    let pointer = unsafe phrase.withUnsafeMutableBytes { bytes in
      unsafe PEM_read_bio_PrivateKey(bio.pointer, nil, nil, bytes.baseAddress)
    }
    return try unsafe OpenSSLObject(
      takingOwnership: pointer, free: { unsafe EVP_PKEY_free($0) }, operation: "read private key")
  }

  /// Checks that the encrypted keys in `text` require no more derivation rounds than permitted; throws otherwise. A
  /// block that cannot be parsed ends this scan although OpenSSL may skip it when it opens the key, so only reaching
  /// the end of the text counts as success.
  private static func weigh(_ text: String) throws(TLSError) {
    ErrorQueue.clear()
    let bio = OpenSSLObject.memory(Array(text.utf8))
    var cost = DerivationCost()
    while let pointer = unsafe PEM_read_bio_PKCS8(bio.pointer, nil, Passphrase.none, nil) {
      defer { unsafe X509_SIG_free(pointer) }
      try unsafe cost.add(key: pointer)
    }
    guard upmc_err_is_no_start_line(ERR_peek_last_error()) == 1 else { throw .drained("read private key") }
    ErrorQueue.clear()
  }

  static func text(certificate: OpaquePointer) throws(TLSError) -> String {
    let bio = OpenSSLObject.memory()
    guard unsafe PEM_write_bio_X509(bio.pointer, certificate) == 1 else { throw .drained("write certificate") }
    return bio.memoryText()
  }

  static func text(privateKey: OpaquePointer) throws(TLSError) -> String {
    let bio = OpenSSLObject.memory()
    guard unsafe PEM_write_bio_PrivateKey(bio.pointer, privateKey, nil, nil, 0, nil, nil) == 1 else {
      throw .drained("write private key")
    }
    return bio.memoryText()
  }

  static func readFile(_ path: String) throws(TLSError) -> String {
    ErrorQueue.clear()
    let file = try unsafe OpenSSLObject(
      takingOwnership: BIO_new_file(path, "r"), free: { unsafe _ = BIO_free($0) }, operation: "open \(path)")
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe BIO_read(file.pointer, &chunk, Int32(chunk.count))
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk.prefix(Int(count))
    }
  }
}

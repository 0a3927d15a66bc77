internal import COpenSSL
internal import Crypto

/// Reads and writes PKCS#12 files (`.p12`): a certificate, its key and its chain, encrypted.
enum PKCS12Archive {
  static func open(_ bytes: [UInt8], passphrase: String, legacyCiphers: Bool) throws(TLSError) -> TLSIdentity {
    ErrorQueue.clear()
    let library = try LibraryContext(legacyCiphers: legacyCiphers)
    let bio = OpenSSLObject.memory(bytes)
    // Create an empty archive in our library context: when the file is read into it, OpenSSL decrypts with that
    // context's ciphers.
    var pointer = unsafe PKCS12_init_ex(NID_pkcs7_data, library.pointer, nil)
    let isRead = unsafe d2i_PKCS12_bio(bio.pointer, &pointer) != nil
    // After a failure the archive either still exists, partly filled and ours to free, or has been freed already.
    let archive = try unsafe OpenSSLObject(
      takingOwnership: pointer, free: { unsafe PKCS12_free($0) }, operation: "read PKCS#12 archive")
    guard isRead else { throw .drained("read PKCS#12 archive", else: "not a PKCS#12 archive") }

    var cost = DerivationCost()
    try unsafe cost.add(archive: archive.pointer, passphrase: passphrase)
    var keyPointer: OpaquePointer?
    var leafPointer: OpaquePointer?
    var chain: OpaquePointer?
    let code = unsafe PKCS12_parse(archive.pointer, passphrase, &keyPointer, &leafPointer, &chain)
    defer { unsafe upmc_x509_stack_free(chain) }
    guard code == 1 else { throw .drained("open PKCS#12 archive") }
    let noKey = "open PKCS#12 archive: no private key or certificate inside"
    let key = try unsafe OpenSSLObject(
      takingOwnership: keyPointer, free: { unsafe EVP_PKEY_free($0) }, operation: noKey)
    let leaf = try unsafe OpenSSLObject(
      takingOwnership: leafPointer, free: { unsafe X509_free($0) }, operation: noKey)

    var pem = try unsafe PEM.text(certificate: leaf.pointer)
    let further = unsafe upmc_x509_stack_count(chain)
    for index in 0..<further {
      if let certificate = unsafe upmc_x509_stack_get(chain, index) {
        pem += try unsafe PEM.text(certificate: certificate)
      }
    }
    return try unsafe TLSIdentity(certificateChainPEM: pem, privateKeyPEM: PEM.text(privateKey: key.pointer))
  }

  static func pack(_ identity: TLSIdentity, passphrase: String, legacyCiphers: Bool) throws(TLSError) -> [UInt8] {
    ErrorQueue.clear()
    let library = try LibraryContext(legacyCiphers: legacyCiphers)
    let leaf = try PEM.certificate(identity.certificateChainPEM)
    let key = try PEM.privateKey(identity.privateKeyPEM)
    let cipher = legacyCiphers ? NID_pbe_WithSHA1And40BitRC2_CBC : 0
    let keyCipher = legacyCiphers ? NID_pbe_WithSHA1And3_Key_TripleDES_CBC : 0
    let archive = try unsafe OpenSSLObject(
      takingOwnership: PKCS12_create_ex(
        passphrase, "push", key.pointer, leaf.pointer, nil, keyCipher, cipher, 0, 0, 0, library.pointer, nil),
      free: { unsafe PKCS12_free($0) }, operation: "write PKCS#12 archive")
    let bio = OpenSSLObject.memory()
    guard unsafe i2d_PKCS12_bio(bio.pointer, archive.pointer) == 1 else { throw .drained("write PKCS#12 archive") }
    return bio.memoryBytes()
  }

  /// An OpenSSL library context with the default provider, and the legacy provider only if requested.
  @safe
  private final class LibraryContext {
    let pointer: OpaquePointer
    private let providers: [OpaquePointer]

    init(legacyCiphers: Bool) throws(TLSError) {
      guard let made = unsafe OSSL_LIB_CTX_new() else { throw .drained("allocate") }
      var loaded: [OpaquePointer] = unsafe []
      var missing: TLSError?
      for name in legacyCiphers ? ["default", "legacy"] : ["default"] {
        if let provider = unsafe OSSL_PROVIDER_load(made, name) {
          unsafe loaded.append(provider)
        } else {
          missing = .drained("load OpenSSL's \(name) provider")
        }
      }
      // Assign before throwing, so that deinit frees everything.
      unsafe pointer = made
      unsafe providers = loaded
      if let missing { throw missing }
    }

    deinit {
      unsafe providers.forEach { provider in unsafe _ = OSSL_PROVIDER_unload(provider) }
      unsafe OSSL_LIB_CTX_free(pointer)
    }
  }
}

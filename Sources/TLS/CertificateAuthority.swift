internal import COpenSSL
internal import Crypto
internal import Glibc

/// A certificate authority (EC P-256) created at run time, for the simulator and for tests.
@safe
package final class CertificateAuthority {
  /// The authority's own certificate and key. Pass it to `init(restoring:)` to recreate the same authority.
  package let identity: TLSIdentity
  private let certificate: OpenSSLObject
  private let key: OpenSSLObject

  /// The authority's certificate in PEM, which clients must trust.
  package var certificatePEM: String { identity.certificateChainPEM }

  package init(commonName: String = "UPMC test authority") throws(TLSError) {
    ErrorQueue.clear()
    key = try Self.generateKey()
    let now = Int64(time(nil))
    certificate = try unsafe Self.certificate(
      for: key.pointer,
      Request(
        subject: [(NID_commonName, commonName)], notBefore: now - 3600,
        notAfter: now + 10 * TLS.Limits.certificateDays * 86_400,
        extensions: [
          (NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
          (NID_subject_key_identifier, "hash"),
        ]),
      issuer: nil, issuerKey: key.pointer)
    identity = try unsafe TLSIdentity(
      certificateChainPEM: PEM.text(certificate: certificate.pointer),
      privateKeyPEM: PEM.text(privateKey: key.pointer))
  }

  package init(restoring identity: TLSIdentity) throws(TLSError) {
    self.identity = identity
    certificate = try PEM.certificate(identity.certificateChainPEM)
    key = try PEM.privateKey(identity.privateKeyPEM)
  }

  /// Issues a server certificate for these DNS names and IP literals.
  /// - Parameters:
  ///   - notBefore: start of validity, in seconds since 1970; nil for an hour ago.
  ///   - notAfter: end of validity, in seconds since 1970; nil for `Limits.certificateDays` (397 days).
  package func issueServer(
    names: [String] = ["localhost", "127.0.0.1", "::1"], notBefore: Int64? = nil, notAfter: Int64? = nil
  ) throws(TLSError) -> TLSIdentity {
    let alternatives = names.map { name in
      let literal = unsafe a2i_IPADDRESS(name)
      defer { unsafe ASN1_OCTET_STRING_free(literal) }
      return unsafe literal == nil ? "DNS:\(name)" : "IP:\(name)"
    }
    return try issue(
      subject: [(NID_commonName, names.first ?? "localhost")], usage: "serverAuth",
      notBefore: notBefore, notAfter: notAfter,
      extensions: [(NID_subject_alt_name, alternatives.joined(separator: ","))])
  }

  /// Issues a client certificate in the form of Apple's push certificates: UID, CN and the topics it covers.
  /// - Parameter topics: pairs of topic and kind, for example `("com.example.app.voip", "voip")`.
  package func issuePushClient(
    bundleID: String, topics: [(topic: String, kind: String)], notBefore: Int64? = nil, notAfter: Int64? = nil
  ) throws(TLSError) -> TLSIdentity {
    try issue(
      subject: [(NID_userId, bundleID), (NID_commonName, "Apple Push Services: \(bundleID)")], usage: "clientAuth",
      notBefore: notBefore, notAfter: notAfter,
      appleExtensions: [
        (CertificateInfo.AppleExtension.development, DERWriter.null),
        (CertificateInfo.AppleExtension.production, DERWriter.null),
        (CertificateInfo.AppleExtension.topics, DERWriter.topics(topics)),
      ])
  }

  // MARK: Issuing certificates

  private struct Request {
    var subject: [(kind: Int32, value: String)]
    var notBefore: Int64
    var notAfter: Int64
    /// The standard extensions, with values in OpenSSL's configuration syntax.
    var extensions: [(kind: Int32, value: String)]
    /// The extensions of Apple: object identifier and DER value.
    var appleExtensions: [(identifier: String, der: [UInt8])] = []
  }

  private func issue(
    subject: [(kind: Int32, value: String)], usage: String, notBefore: Int64?, notAfter: Int64?,
    extensions: [(kind: Int32, value: String)] = [], appleExtensions: [(identifier: String, der: [UInt8])] = []
  ) throws(TLSError) -> TLSIdentity {
    ErrorQueue.clear()
    let leafKey = try Self.generateKey()
    let now = Int64(time(nil))
    let request = Request(
      subject: subject, notBefore: notBefore ?? now - 3600,
      notAfter: notAfter ?? now + TLS.Limits.certificateDays * 86_400,
      extensions: [
        (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
        (NID_ext_key_usage, usage), (NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid"),
      ] + extensions,
      appleExtensions: appleExtensions)
    let leaf = try unsafe Self.certificate(
      for: leafKey.pointer, request, issuer: certificate.pointer, issuerKey: key.pointer)
    return try unsafe TLSIdentity(
      certificateChainPEM: PEM.text(certificate: leaf.pointer), privateKeyPEM: PEM.text(privateKey: leafKey.pointer))
  }

  private static func generateKey() throws(TLSError) -> OpenSSLObject {
    try unsafe OpenSSLObject(
      takingOwnership: upmc_generate_p256(), free: { unsafe EVP_PKEY_free($0) }, operation: "generate key")
  }

  /// Creates a signed X.509 v3 certificate; self-signed if there is no issuer.
  private static func certificate(
    for key: OpaquePointer, _ request: Request, issuer: OpaquePointer?, issuerKey: OpaquePointer
  ) throws(TLSError) -> OpenSSLObject {
    let made = try unsafe OpenSSLObject(
      takingOwnership: X509_new(), free: { unsafe X509_free($0) }, operation: "make certificate")
    let certificate = unsafe made.pointer
    let name = unsafe X509_get_subject_name(certificate)
    unsafe X509_set_version(certificate, 2)
    unsafe ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), .random(in: 1...UInt64(Int64.max)))
    for (kind, value) in request.subject {
      let bytes = Array(value.utf8)
      guard unsafe X509_NAME_add_entry_by_NID(name, kind, MBSTRING_UTF8, bytes, Int32(bytes.count), -1, 0) == 1 else {
        throw .drained("name certificate")
      }
    }
    unsafe X509_set_issuer_name(certificate, issuer == nil ? name : X509_get_subject_name(issuer))
    unsafe ASN1_TIME_set(X509_getm_notBefore(certificate), Int(request.notBefore))
    unsafe ASN1_TIME_set(X509_getm_notAfter(certificate), Int(request.notAfter))
    unsafe X509_set_pubkey(certificate, key)
    for (kind, value) in request.extensions {
      try unsafe add(kind, value, to: certificate, issuer: issuer ?? certificate)
    }
    for (identifier, der) in request.appleExtensions { try unsafe add(identifier, der, to: certificate) }
    guard unsafe X509_sign(certificate, issuerKey, EVP_sha256()) > 0 else { throw .drained("sign certificate") }
    return made
  }

  private static func add(
    _ kind: Int32, _ value: String, to certificate: OpaquePointer, issuer: OpaquePointer
  ) throws(TLSError) {
    var context = unsafe X509V3_CTX()
    unsafe X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
    let made = try unsafe OpenSSLObject(
      takingOwnership: X509V3_EXT_conf_nid(nil, &context, kind, value), free: { unsafe X509_EXTENSION_free($0) },
      operation: "make certificate extension \(value)")
    // The certificate copies the extension.
    guard unsafe X509_add_ext(certificate, made.pointer, -1) == 1 else { throw .drained("add certificate extension") }
  }

  private static func add(
    _ identifier: String, _ der: [UInt8], to certificate: OpaquePointer
  ) throws(TLSError) {
    let object = unsafe OBJ_txt2obj(identifier, 1)
    let value = unsafe ASN1_OCTET_STRING_new()
    defer {
      unsafe ASN1_OBJECT_free(object)
      unsafe ASN1_OCTET_STRING_free(value)
    }
    unsafe ASN1_OCTET_STRING_set(value, der, Int32(der.count))
    let made = try unsafe OpenSSLObject(
      takingOwnership: X509_EXTENSION_create_by_OBJ(nil, object, 0, value), free: { unsafe X509_EXTENSION_free($0) },
      operation: "make certificate extension \(identifier)")
    guard unsafe X509_add_ext(certificate, made.pointer, -1) == 1 else { throw .drained("add certificate extension") }
  }
}

/// Encodes the few kinds of DER values that push certificates contain.
enum DERWriter {
  static let null: [UInt8] = [0x05, 0x00]

  static func topics(_ topics: [(topic: String, kind: String)]) -> [UInt8] {
    element(
      DERReader.sequence,
      topics.flatMap { topic, kind in
        element(DERReader.utf8String, Array(topic.utf8))
          + element(DERReader.sequence, element(DERReader.utf8String, Array(kind.utf8)))
      })
  }

  static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    var length: [UInt8] = []
    if content.count < 0x80 {
      length = [UInt8(content.count)]
    } else {
      var rest = content.count
      while rest > 0 {
        length.insert(UInt8(rest & 0xFF), at: 0)
        rest >>= 8
      }
      length.insert(0x80 | UInt8(length.count), at: 0)
    }
    return [tag] + length + content
  }
}

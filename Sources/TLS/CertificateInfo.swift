internal import COpenSSL
internal import Crypto
internal import Glibc

/// The parts of a certificate that UPMC uses.
package struct CertificateInfo: Sendable, Equatable {
  /// The subject, for example `UID=com.example.app,CN=Apple Push Services: com.example.app` (in the certificate's
  /// order).
  package let subject: String
  package let commonName: String?
  /// The subject's UID attribute: the bundle identifier in a push certificate.
  package let userID: String?
  /// The start of validity, in seconds since 1970.
  package let notBefore: Int64
  /// The end of validity, in seconds since 1970.
  package let notAfter: Int64
  /// The topics that a push certificate covers (Apple's extension 1.2.840.113635.100.6.3.6); empty if it has none.
  package let topics: [String]
  /// True if the certificate is valid for the development environment (extension …6.3.1).
  package let allowsDevelopment: Bool
  /// True if the certificate is valid for the production environment (extension …6.3.2).
  package let allowsProduction: Bool

  package init(
    subject: String, commonName: String?, userID: String?, notBefore: Int64, notAfter: Int64, topics: [String],
    allowsDevelopment: Bool, allowsProduction: Bool
  ) {
    self.subject = subject
    self.commonName = commonName
    self.userID = userID
    self.notBefore = notBefore
    self.notAfter = notAfter
    self.topics = topics
    self.allowsDevelopment = allowsDevelopment
    self.allowsProduction = allowsProduction
  }
}

extension CertificateInfo {
  /// The object identifiers of Apple's certificate extensions for push.
  enum AppleExtension {
    static let development = "1.2.840.113635.100.6.3.1"
    static let production = "1.2.840.113635.100.6.3.2"
    static let topics = "1.2.840.113635.100.6.3.6"
  }

  /// Reads a certificate, which the caller must keep alive during the call.
  init(reading certificate: OpaquePointer) throws(TLSError) {
    let name = unsafe X509_get_subject_name(certificate)
    let text = OpenSSLObject.memory()
    unsafe _ = X509_NAME_print_ex(text.pointer, name, 0, UInt(XN_FLAG_SEP_COMMA_PLUS | XN_FLAG_FN_SN))
    subject = text.memoryText()
    unsafe commonName = Self.attribute(NID_commonName, of: name)
    unsafe userID = Self.attribute(NID_userId, of: name)
    notBefore = try unsafe Self.seconds(X509_get0_notBefore(certificate))
    notAfter = try unsafe Self.seconds(X509_get0_notAfter(certificate))
    unsafe topics = Self.appleTopics(Self.extensionValue(AppleExtension.topics, of: certificate) ?? [])
    allowsDevelopment = unsafe Self.extensionValue(AppleExtension.development, of: certificate) != nil
    allowsProduction = unsafe Self.extensionValue(AppleExtension.production, of: certificate) != nil
  }

  /// Returns the first attribute of this kind in a name; nil if there is none.
  private static func attribute(_ kind: Int32, of name: OpaquePointer?) -> String? {
    let index = unsafe X509_NAME_get_index_by_NID(name, kind, -1)
    guard index >= 0, let entry = unsafe X509_NAME_get_entry(name, index) else { return nil }
    var utf8: UnsafeMutablePointer<UInt8>?
    let count = unsafe ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(entry))
    guard count >= 0, let utf8 = unsafe utf8 else { return nil }
    defer { unsafe CRYPTO_free(utf8, nil, 0) }
    // Safe: OpenSSL allocated `count` bytes there, freed above after the copy.
    return unsafe String(decoding: UnsafeBufferPointer(start: utf8, count: Int(count)), as: UTF8.self)
  }

  private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) throws(TLSError) -> Int64 {
    var parts = unsafe tm()
    guard unsafe ASN1_TIME_to_tm(time, &parts) == 1 else { throw .drained("read certificate dates") }
    return unsafe Int64(timegm(&parts))
  }

  /// Returns the DER value of an extension; nil if the certificate lacks it.
  private static func extensionValue(_ identifier: String, of certificate: OpaquePointer) -> [UInt8]? {
    guard let object = unsafe OBJ_txt2obj(identifier, 1) else { return nil }
    defer { unsafe ASN1_OBJECT_free(object) }
    let index = unsafe X509_get_ext_by_OBJ(certificate, object, -1)
    guard index >= 0, let data = unsafe X509_EXTENSION_get_data(X509_get_ext(certificate, index)) else { return nil }
    // Safe: the string belongs to the certificate, which the caller keeps alive.
    let raw = unsafe UnsafeBufferPointer(start: ASN1_STRING_get0_data(data), count: Int(ASN1_STRING_length(data)))
    return unsafe Array(raw)
  }

  /// Parses `SEQUENCE { UTF8String topic, SEQUENCE { UTF8String kind }, … }` and returns the topics.
  static func appleTopics(_ der: [UInt8]) -> [String] {
    var outer = DERReader(der[...])
    guard let list = outer.next(), list.tag == DERReader.sequence else { return [] }
    var items = DERReader(list.content)
    var topics: [String] = []
    while let item = items.next() {
      if item.tag == DERReader.utf8String { topics.append(String(decoding: item.content, as: UTF8.self)) }
    }
    return topics
  }
}

/// Reads DER elements (X.690) of one nesting level in order. Stops at the first malformed one.
struct DERReader {
  static let integer: UInt8 = 0x02
  static let utf8String: UInt8 = 0x0C
  static let sequence: UInt8 = 0x30

  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  mutating func next() -> (tag: UInt8, content: ArraySlice<UInt8>)? {
    var bytes = rest
    guard let tag = bytes.popFirst(), let first = bytes.popFirst() else { return nil }
    var count = Int(first)
    if first >= 0x80 {
      // Long form: the low bits give the number of length bytes that follow; four suffice for any certificate.
      guard first > 0x80, first <= 0x84 else { return nil }
      count = 0
      for _ in 0..<(first & 0x7F) {
        guard let byte = bytes.popFirst() else { return nil }
        count = count << 8 | Int(byte)
      }
    }
    guard count <= bytes.count else { return nil }
    rest = bytes.dropFirst(count)
    return (tag, bytes.prefix(count))
  }
}

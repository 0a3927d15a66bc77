internal import COpenSSL
internal import Crypto

/// Limits the work that opening an encrypted file may cost. The file's author chooses the number of key derivation
/// rounds, up to 2^31, each with a hash or two, so that an attempt to open it could take hours.
///
/// The rounds of every derivation are added before it is performed, whether for encryption or authentication: PBKDF2
/// and scrypt (PBES2, RFC 8018 and 7914), and the schemes of PBES1 and PKCS#12 (RFC 7292, appendix B). Decision 083.
struct DerivationCost {
  /// The error's `operation`, by which callers recognize it and do not try another way of opening the same file.
  static let operation = "open the encrypted file"

  private(set) var rounds = 0

  /// Adds rounds. Throws if the total exceeds the limit.
  mutating func add(_ more: Int) throws(TLSError) {
    let (sum, isTooLarge) = rounds.addingReportingOverflow(max(0, more))
    guard more >= 0, !isTooLarge, sum <= TLS.Limits.derivationRounds else {
      throw Self.refusal(
        "its passphrase is to be hashed more than \(TLS.Limits.derivationRounds) times, which no usual tool asks for")
    }
    rounds = sum
  }

  private static func refusal(_ reason: String) -> TLSError {
    TLSError(
      operation: operation,
      reason: "\(reason); export it anew, for example with openssl pkcs12 -export -iter 100000")
  }

  /// Adds the rounds that an encryption algorithm requires.
  /// - Parameter algorithm: valid during the call; nil adds nothing.
  mutating func add(algorithm: UnsafePointer<X509_ALGOR>?) throws(TLSError) {
    guard let algorithm = unsafe algorithm else { return }
    var bytes: UnsafePointer<UInt8>?
    let count = unsafe upmc_algorithm_parameters(algorithm, &bytes)
    guard count > 0, let bytes = unsafe bytes else { return }
    // Safe: the parameters belong to the algorithm and have `count` bytes.
    try unsafe add(parameters: Array(UnsafeBufferPointer(start: bytes, count: Int(count))))
  }

  /// Adds the rounds given in DER parameters: `SEQUENCE { salt, rounds, … }`, or for PBES2 `SEQUENCE { SEQUENCE { OID,
  /// SEQUENCE { salt, rounds, … } }, cipher }`, where scrypt has `SEQUENCE { salt, N, r, p, … }`. Throws for any other
  /// form, because OpenSSL accepts more than DER, and could be made to perform any number of rounds.
  mutating func add(parameters der: [UInt8]) throws(TLSError) {
    var outer = DERReader(der[...])
    guard let whole = outer.next(), whole.tag == DERReader.sequence else { throw Self.unreadable }
    var items = DERReader(whole.content)
    guard let first = items.next() else { throw Self.unreadable }
    guard first.tag == DERReader.sequence else { return try add(Self.number(items.next())) }
    var function = DERReader(first.content)
    guard let name = function.next(), let inner = function.next(), inner.tag == DERReader.sequence else {
      throw Self.unreadable
    }
    var numbers = DERReader(inner.content)
    // Skip the salt.
    guard numbers.next() != nil else { throw Self.unreadable }
    guard Array(name.content) == Self.scrypt else { return try add(Self.number(numbers.next())) }
    var product = 1
    for _ in 0..<3 {
      let (next, isTooLarge) = product.multipliedReportingOverflow(by: Self.number(numbers.next()))
      product = isTooLarge ? .max : next
    }
    try add(product)
  }

  private static var unreadable: TLSError { refusal("how often its passphrase is to be hashed cannot be read") }

  /// The object identifier of scrypt: 1.3.6.1.4.1.11591.4.11 (RFC 7914 §7).
  private static let scrypt: [UInt8] = [0x2B, 0x06, 0x01, 0x04, 0x01, 0xDA, 0x47, 0x04, 0x0B]

  /// Returns the value of an INTEGER; `Int.max` for anything else and for a value beyond 64 bits, so that it exceeds
  /// every limit.
  private static func number(_ item: (tag: UInt8, content: ArraySlice<UInt8>)?) -> Int {
    guard let item, item.tag == DERReader.integer, (1...8).contains(item.content.count), item.content.first! < 0x80
    else { return .max }
    return item.content.reduce(0) { $0 << 8 | Int($1) }
  }
}

// MARK: Counting rounds

extension DerivationCost {
  /// Adds the cost of every derivation in a PKCS #12 archive. Decrypts an encrypted part, to count what it contains,
  /// only after its own cost has been added and is within the limit.
  mutating func add(archive: OpaquePointer, passphrase: String) throws(TLSError) {
    try unsafe addMAC(archive)
    guard let parts = unsafe PKCS12_unpack_authsafes(archive) else { return ErrorQueue.clear() }
    defer { unsafe upmc_pkcs7_stack_free(parts) }
    let count = unsafe upmc_pkcs7_stack_count(parts)
    for index in 0..<count {
      guard let part = unsafe upmc_pkcs7_stack_get(parts, index) else { continue }
      guard let bags = unsafe try open(part, passphrase) else { continue }
      defer { unsafe upmc_safebag_stack_free(bags) }
      try unsafe add(bags: bags)
    }
    ErrorQueue.clear()
  }

  private mutating func addMAC(_ archive: OpaquePointer) throws(TLSError) {
    var algorithm: UnsafePointer<X509_ALGOR>?
    var rounds: UnsafePointer<ASN1_INTEGER>?
    unsafe PKCS12_get0_mac(nil, &algorithm, nil, &rounds, archive)
    try unsafe add(algorithm: algorithm)
    // The field is optional and defaults to 1.
    guard let rounds = unsafe rounds else { return }
    var count: Int64 = 0
    let isRead = unsafe ASN1_INTEGER_get_int64(&count, rounds) == 1
    ErrorQueue.clear()
    try add(isRead ? Int(count) : .max)
  }

  /// Decrypts one part of an archive and returns its contents; nil if the passphrase is wrong.
  private mutating func open(_ part: UnsafeMutablePointer<PKCS7>, _ passphrase: String) throws(TLSError)
    -> OpaquePointer?
  {
    guard let algorithm = unsafe upmc_pkcs7_encryption(part) else { return unsafe PKCS12_unpack_p7data(part) }
    try unsafe add(algorithm: algorithm)
    if let bags = unsafe PKCS12_unpack_p7encdata(part, passphrase, Int32(clamping: passphrase.utf8.count)) {
      return unsafe bags
    }
    // Some tools encrypt with no passphrase, which differs from an empty one: try both.
    return unsafe passphrase.isEmpty ? PKCS12_unpack_p7encdata(part, nil, 0) : nil
  }

  private mutating func add(bags: OpaquePointer) throws(TLSError) {
    let count = unsafe upmc_safebag_stack_count(bags)
    for index in 0..<count {
      guard let bag = unsafe upmc_safebag_stack_get(bags, index) else { continue }
      if let key = unsafe PKCS12_SAFEBAG_get0_pkcs8(bag) { try unsafe add(key: key) }
      if let inner = unsafe PKCS12_SAFEBAG_get0_safes(bag) { try unsafe add(bags: inner) }
    }
  }

  /// Adds the rounds that an encrypted private key (`X509_SIG`) requires.
  mutating func add(key: OpaquePointer) throws(TLSError) {
    var algorithm: UnsafePointer<X509_ALGOR>?
    unsafe X509_SIG_get0(key, &algorithm, nil)
    try unsafe add(algorithm: algorithm)
  }
}

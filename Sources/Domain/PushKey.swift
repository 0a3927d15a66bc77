package import Crypto

/// Creates and verifies `pushkey`, which proves that the sender of a confirmation has received the message, and
/// contains the delivery's coordinates.
///
/// 40 hex digits, 20 bytes. D is HMAC-SHA-256(key, SEQNO ‖ 0 ‖ PSID), with APNs tokens in lower case; words are
/// big-endian:
///
/// ```
///   0 … 7    D[0 … 7]: proves the token
///   8 … 12   the delivery's coordinates, XOR D[8 … 12], because they would reveal a message's number of devices
///   13 … 19  a · x + b mod 2⁶¹ − 1, the lower 56 bits: authenticates the coordinates against anyone who has seen no others
///            for that token; a and b are D[13 … 20] and D[21 … 28], x the coordinates, then 21 bits of the incarnation
/// ```
/// **Incarnation**: a restored database reuses block numbers that it has assigned to other devices before. A key
/// from a former incarnation still proves its token, but its coordinates are ignored.
///
/// The current key is tried first, then former ones, so that keys can be rotated while messages are in progress.
package struct PushKeyring: Sendable {
  /// The content of a valid pushkey, besides the proof of the token.
  package struct Proof: Equatable, Sendable {
    /// The delivery's coordinates; nil if it must be found by its token.
    package let coordinates: DeliveryCoordinates?
  }

  private static let digestBytes = 20
  private let keys: LiveKeys<HMAC>
  private let incarnation: UInt64

  /// Creates a keyring.
  /// - Parameter incarnation: the database's incarnation number, below 2²¹.
  package init(present: SymmetricKey, previous: SymmetricKey? = nil, incarnation: Int32 = 0) {
    keys = LiveKeys(HMAC(key: present), others: previous.map { [HMAC(key: $0)] } ?? [])
    self.incarnation = UInt64(incarnation) & (1 << 21 - 1)
  }

  /// Replaces the keys in every copy of this keyring: `present` signs, and all of them verify.
  package func take(_ present: SymmetricKey, others: [SymmetricKey]) {
    keys.take(HMAC(key: present), others: others.map { HMAC(key: $0) })
  }

  /// Appends the 40 digits of a pushkey to a payload.
  package func append(seqno: String, psid: String, at place: DeliveryCoordinates? = nil, to bytes: inout [UInt8]) {
    let digest = Self.digest(seqno, psid, keys.present)
    let coordinates = place?.packed ?? DeliveryCoordinates.nowhere
    let start = bytes.count
    Hex.append(digest[..<8], to: &bytes)
    Hex.append(coordinates ^ Self.word(digest[8..<13]), bytes: 5, to: &bytes)
    Hex.append(Self.seal(coordinates, incarnation, digest), bytes: 7, to: &bytes)
    assert(bytes.count == start + 2 * Self.digestBytes)
  }

  package func make(seqno: String, psid: String, at place: DeliveryCoordinates? = nil) -> String {
    var bytes: [UInt8] = []
    append(seqno: seqno, psid: psid, at: place, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Verifies a pushkey. Returns nil if it is not valid for this message and token.
  package func proof(_ pushkey: String, seqno: String, psid: String) -> Proof? {
    guard pushkey.utf8.count == 2 * Self.digestBytes, let claimed = Hex.decode(pushkey) else { return nil }
    for key in keys.all {
      if let proof = proof(claimed, Self.digest(seqno, psid, key)) { return proof }
    }
    return nil
  }

  private func proof(_ claimed: [UInt8], _ digest: [UInt8]) -> Proof? {
    // Compare whole words, so that the time does not reveal how many bytes match.
    guard Self.word(claimed[..<8]) == Self.word(digest[..<8]) else { return nil }
    let coordinates = Self.word(claimed[8..<13]) ^ Self.word(digest[8..<13])
    let isOurs = Self.word(claimed[13...]) == Self.seal(coordinates, incarnation, digest)
    return Proof(coordinates: isOurs ? DeliveryCoordinates(packed: coordinates) : nil)
  }

  private static func digest(_ seqno: String, _ psid: String, _ key: HMAC) -> [UInt8] {
    var message: [UInt8] = []
    message.reserveCapacity(seqno.utf8.count + 1 + psid.utf8.count)
    message.append(contentsOf: seqno.utf8)
    message.append(0)
    message.append(contentsOf: psid.utf8)
    return key.authenticationCode(for: message)
  }

  private static func seal(_ coordinates: UInt64, _ incarnation: UInt64, _ digest: [UInt8]) -> UInt64 {
    let prime: UInt64 = 1 << 61 - 1
    let (factor, summand) = (word(digest[13..<21]) % prime, word(digest[21..<29]) % prime)
    let product = factor.multipliedFullWidth(by: (coordinates << 21 | incarnation) % prime)
    let (_, rest) = prime.dividingFullWidth((product.high, product.low))
    return (rest + summand) % prime & (1 << 56 - 1)
  }

  private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    let bytes = bytes.span
    var word: UInt64 = 0
    for index in bytes.indices { word = word << 8 | UInt64(bytes[index]) }
    return word
  }
}

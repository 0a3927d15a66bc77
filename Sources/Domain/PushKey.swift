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
///   13 … 19  a · x + b mod 2⁶¹ − 1, the lower 56 bits: authenticates the coordinates against anyone who has seen no
///            others for that token; a and b are D[13 … 20] and D[21 … 28], x the coordinates, then 21 bits of the
///            incarnation
/// ```
/// **Incarnation**: a restored database reuses block numbers that it has assigned to other devices before. A key from a
/// former incarnation still proves its token, but its coordinates are ignored.
///
/// The current key is tried first, then former ones, so that keys can be rotated while messages are in progress.
package struct PushKeyring: Sendable {
  /// The content of a valid pushkey, besides the proof of the token.
  package struct Proof: Equatable, Sendable {
    /// The delivery's coordinates; nil if the delivery is in no block, or if the coordinates are not authentic or from
    /// another incarnation. The delivery is then found by its token.
    package let coordinates: DeliveryCoordinates?
  }

  private static let digestBytes = 20
  private let keys: LiveKeys<HMAC>
  private let incarnation: UInt64

  /// Creates a keyring.
  /// - Parameters:
  ///   - previous: a further key that verifies; nil if there is none.
  ///   - incarnation: the database's incarnation number, below 2²¹.
  package init(present: SymmetricKey, previous: SymmetricKey? = nil, incarnation: Int32 = 0) {
    keys = LiveKeys(HMAC(key: present), others: previous.map { [HMAC(key: $0)] } ?? [])
    self.incarnation = UInt64(incarnation) & (1 << 21 - 1)
  }

  /// Replaces the keys in every copy of this keyring: `present` signs, and all of them verify.
  package func replace(with present: SymmetricKey, others: [SymmetricKey]) {
    keys.replace(with: HMAC(key: present), others: others.map { HMAC(key: $0) })
  }

  /// Appends the 40 digits of a pushkey to a payload.
  /// - Parameters:
  ///   - psid: the token that the push is sent to, normalized (`PushNetwork.normalize`).
  ///   - place: the delivery's coordinates; nil if it is in no block.
  package func append(seqno: String, psid: String, at place: DeliveryCoordinates? = nil, to bytes: inout [UInt8]) {
    let digest = keys.present.words(of: seqno.utf8.span, and: psid.utf8.span)
    let coordinates = place?.packed ?? DeliveryCoordinates.nowhere
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: 2 * Self.digestBytes))
    var digits = bytes.mutableSpan
    Hex.write(digest.first, digits: 16, at: start, to: &digits)
    Hex.write((coordinates ^ digest.mask) << 24, digits: 10, at: start + 16, to: &digits)
    Hex.write(Self.seal(coordinates, incarnation, digest) << 8, digits: 14, at: start + 26, to: &digits)
  }

  package func make(seqno: String, psid: String, at place: DeliveryCoordinates? = nil) -> String {
    var bytes: [UInt8] = []
    append(seqno: seqno, psid: psid, at: place, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Verifies a pushkey. Returns nil if it is malformed or was not created for this message and token with one of this
  /// keyring's keys. `psid` must be normalized (`PushNetwork.normalize`).
  package func proof(_ pushkey: String, seqno: String, psid: String) -> Proof? {
    proof(pushkey.utf8.span, seqno: seqno.utf8.span, psid: psid.utf8.span)
  }

  /// Verifies a pushkey without allocating, like the other `proof`.
  package func proof(_ pushkey: Span<UInt8>, seqno: Span<UInt8>, psid: Span<UInt8>) -> Proof? {
    guard pushkey.count == 2 * Self.digestBytes, let token = Hex.word(pushkey, 0..<16),
      let place = Hex.word(pushkey, 16..<26), let seal = Hex.word(pushkey, 26..<40)
    else { return nil }
    for key in keys.all {
      let digest = key.words(of: seqno, and: psid)
      // Compare whole words, so that the time does not reveal how many bytes match.
      guard token == digest.first else { continue }
      let coordinates = place ^ digest.mask
      let isOurs = seal == Self.seal(coordinates, incarnation, digest)
      return Proof(coordinates: isOurs ? DeliveryCoordinates(packed: coordinates) : nil)
    }
    return nil
  }

  private static func seal(_ coordinates: UInt64, _ incarnation: UInt64, _ digest: HMAC.Words) -> UInt64 {
    let prime: UInt64 = 1 << 61 - 1
    let (factor, summand) = (digest.factor % prime, digest.summand % prime)
    let product = factor.multipliedFullWidth(by: (coordinates << 21 | incarnation) % prime)
    let (_, rest) = prime.dividingFullWidth((product.high, product.low))
    return (rest + summand) % prime & (1 << 56 - 1)
  }
}

/// The parts of D.
extension HMAC.Words {
  /// D[8 … 12].
  fileprivate var mask: UInt64 { second >> 24 }
  /// D[13 … 20].
  fileprivate var factor: UInt64 { second << 40 | third >> 24 }
  /// D[21 … 28].
  fileprivate var summand: UInt64 { third << 40 | fourth >> 24 }
}

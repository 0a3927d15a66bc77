package import Crypto

/// Makes and checks `pushkey`: the proof that whoever confirms a message really received it.
///
/// 40 hex digits: the first 20 bytes of HMAC-SHA-256(key, SEQNO ‖ 0 ‖ PSID), APNs tokens lower-cased. The present key is
/// tried first, then the previous one, so keys can be rotated while messages are on their way.
package struct PushKeyring: Sendable {
  private static let digestBytes = 20
  private let present: HMAC
  private let previous: HMAC?

  package init(present: SymmetricKey, previous: SymmetricKey? = nil) {
    self.present = HMAC(key: present)
    self.previous = previous.map { HMAC(key: $0) }
  }

  /// Appends the 40 digits to a payload.
  package func append(seqno: String, psid: String, to bytes: inout [UInt8]) {
    Hex.append(Self.digest(seqno, psid, present), to: &bytes)
  }

  package func make(seqno: String, psid: String) -> String {
    Hex.encode(Self.digest(seqno, psid, present))
  }

  package func isValid(_ pushkey: String, seqno: String, psid: String) -> Bool {
    guard pushkey.utf8.count == 2 * Self.digestBytes, let claimed = Hex.decode(pushkey) else { return false }
    if ConstantTime.isEqual(claimed, Array(Self.digest(seqno, psid, present))) { return true }
    guard let previous else { return false }
    return ConstantTime.isEqual(claimed, Array(Self.digest(seqno, psid, previous)))
  }

  private static func digest(_ seqno: String, _ psid: String, _ key: HMAC) -> ArraySlice<UInt8> {
    var message: [UInt8] = []
    message.reserveCapacity(seqno.utf8.count + 1 + psid.utf8.count)
    message.append(contentsOf: seqno.utf8)
    message.append(0)
    message.append(contentsOf: psid.utf8)
    return key.authenticationCode(for: message).prefix(digestBytes)
  }
}

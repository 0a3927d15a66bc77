#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A receipt or read that the server has not acknowledged; stored in one file of the outbox.
package struct OutboxEntry: Codable, Equatable, Sendable {
  package var kind: Confirmation.Kind
  package var seqno: String
  package var pushkey: String
  /// The token that the push was probably sent to, then earlier ones, newest first. If the server rejects a token, the
  /// next one is tried, because the token may have changed while the push was in transit. Never empty.
  var psids: [String]
  /// The time of the receipt or read (RFC 3339); nil if the device's clock is obviously wrong.
  var at: String?
  var badgeOption: BadgeOption?
  var badge: Int?
  /// The time at which the entry was created, by the device's clock, in seconds since 1970.
  var writtenAt: Double

  /// Creates an entry; nil if SEQNO, pushkey or a token is invalid, or if there is no token. The SEQNO becomes part of
  /// the file's name, so it is checked that it contains only digits.
  init?(
    _ kind: Confirmation.Kind, seqno: String, pushkey: String, psids: [String], option: BadgeOption? = nil,
    badge: Int? = nil, now: Date
  ) {
    guard Self.isSound(seqno, pushkey, psids) else { return nil }
    self.kind = kind
    self.seqno = seqno
    self.pushkey = pushkey
    self.psids = psids
    at = Confirmation.moment(now)
    badgeOption = option
    self.badge = badge
    writtenAt = now.timeIntervalSince1970
  }

  /// Creates an entry from a confirmation, with the current time instead of the confirmation's; nil if SEQNO, pushkey
  /// or token is invalid.
  package init?(_ kind: Confirmation.Kind, _ confirmation: Confirmation) {
    self.init(
      kind, seqno: confirmation.seqno, pushkey: confirmation.pushkey, psids: [confirmation.psid],
      option: confirmation.badgeOption, badge: confirmation.badge, now: Date())
  }

  /// Decodes the content of a file; nil if it is damaged or belongs to an entry whose file has another name.
  init?(_ bytes: [UInt8], named name: String) {
    guard let entry = try? JSONDecoder().decode(OutboxEntry.self, from: Data(bytes)), entry.name == name,
      Self.isSound(entry.seqno, entry.pushkey, entry.psids), entry.writtenAt.isFinite
    else { return nil }
    self = entry
  }

  var bytes: [UInt8] { WireBody.encode(self) }

  /// The file's name: SEQNO and kind and, for a read, badge option and number. So the acknowledgment of a read does not
  /// remove another read of the same message that the app has requested meanwhile.
  var name: String {
    guard kind == .read else { return "\(seqno).receipt" }
    return "\(seqno).read-\(badgeOption?.rawValue ?? "keep")\(badge.map { "-\($0)" } ?? "")"
  }

  /// Parses a file name, so that entries can be sorted and counted without opening them; nil if no entry's file has
  /// such a name.
  static func parts(of name: String) -> (seqno: String, kind: Confirmation.Kind)? {
    guard let dot = name.firstIndex(of: "."), isSequence(String(name[..<dot])) else { return nil }
    let rest = name[name.index(after: dot)...]
    if rest == "receipt" { return (String(name[..<dot]), .receipt) }
    return rest.hasPrefix("read-") ? (String(name[..<dot]), .read) : nil
  }

  /// The confirmation to send, for the first of `psids`.
  var confirmation: Confirmation {
    Confirmation(seqno: seqno, psid: psids[0], pushkey: pushkey, at: at, badgeOption: badgeOption, badge: badge)
  }

  /// Returns true for a SEQNO, a pushkey and tokens as the server accepts them, of which there is at least one token.
  private static func isSound(_ seqno: String, _ pushkey: String, _ psids: [String]) -> Bool {
    isSequence(seqno) && isPlain(pushkey, 256) && !psids.isEmpty && psids.allSatisfy { isPlain($0, 512) }
  }

  static func isSequence(_ text: String) -> Bool {
    (1...19).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) } && text.utf8.first != 0x30
  }

  static func isPlain(_ text: String, _ most: Int) -> Bool {
    (1...most).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}

/// Identifies the owner of a device: a user or, for a guest, the device itself. Badge counts, the ledger of badge
/// changes, inboxes and group memberships are keyed by it.
///
/// Guests sort before users, so each of the two groups is a single range of keys.
package struct UserKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// `u` followed by the CUID, or `g` followed by the device's id.
  package let text: String

  /// The CUID that means "no user". Registering it makes the device a guest.
  package static let guestUID = "GUEST"

  package init(stored text: String) {
    self.text = text
  }

  package init(clientUID: String) {
    text = "u" + clientUID
  }

  package init(guest device: DeviceID) {
    text = "g" + device.description
  }

  package var isGuest: Bool { text.utf8.first == UInt8(ascii: "g") }

  /// The user's CUID; nil for a guest.
  package var clientUID: String? { isGuest ? nil : String(text.dropFirst()) }

  package var description: String { clientUID ?? Self.guestUID }

  /// Compares bytes, like the database: two Unicode representations of the same text are two users.
  package static func == (left: UserKey, right: UserKey) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(UInt8(0xFF))
  }

  /// Compares in byte order, as PostgreSQL's collation "C" sorts the column.
  package static func < (left: UserKey, right: UserKey) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

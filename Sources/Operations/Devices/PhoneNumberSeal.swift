internal import Domain
package import Store

/// Encrypts telephone numbers for storage. A number is bound to its user, so it cannot be decrypted after being copied
/// to another user's row. Decision 036.
package struct PhoneNumberSeal: Sendable {
  private let master: MasterKey

  package init(master: MasterKey) {
    self.master = master
  }

  package func seal(_ phone: String, of user: Users.Key) -> [UInt8] {
    master.seal(Array(phone.utf8), for: Self.place(user))
  }

  /// Returns the telephone number; nil if it was not encrypted with this master key for this user.
  package func open(_ sealed: [UInt8], of user: Users.Key) -> String? {
    (try? master.open(sealed, for: Self.place(user))).map { String(decoding: $0, as: UTF8.self) }
  }

  static func place(_ user: Users.Key) -> String { "phone \(user.app) \(user.userKey.text)" }
}

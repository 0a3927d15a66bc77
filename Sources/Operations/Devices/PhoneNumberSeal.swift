internal import Domain
package import Store

/// Seals telephone numbers for storage, bound to their user: moved to another row, a number does not open.
/// Decision 036.
package struct PhoneNumberSeal: Sendable {
  private let master: MasterKey

  package init(master: MasterKey) {
    self.master = master
  }

  package func seal(_ phone: String, of user: Users.Key) -> [UInt8] {
    master.seal(Array(phone.utf8), for: Self.place(user))
  }

  /// Returns nil if the number does not open with this master key.
  package func open(_ sealed: [UInt8], of user: Users.Key) -> String? {
    (try? master.open(sealed, for: Self.place(user))).map { String(decoding: $0, as: UTF8.self) }
  }

  static func place(_ user: Users.Key) -> String { "phone \(user.app) \(user.userKey.text)" }
}

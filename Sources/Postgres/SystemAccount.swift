internal import Glibc

/// A user account of the operating system, as `getpwnam` reports it.
package struct SystemAccount: Sendable, Equatable {
  package let name: String
  package let uid: UInt32
  /// Id of the primary group.
  package let gid: UInt32

  /// The effective user of this process; nil if it has no account, as in some containers.
  package static var current: SystemAccount? { SystemAccount(uid: geteuid()) }

  /// Looks up a user by name; nil if there is no such user, or the lookup fails.
  package init?(named name: String) {
    unsafe self.init { entry, buffer, size, found in unsafe getpwnam_r(name, entry, buffer, size, found) }
  }

  /// Looks up a user by id; nil if there is no such user, or the lookup fails.
  package init?(uid: UInt32) {
    unsafe self.init { entry, buffer, size, found in unsafe getpwuid_r(uid, entry, buffer, size, found) }
  }

  private typealias Lookup = (
    UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int, UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
  ) -> Int32

  private init?(_ lookup: Lookup) {
    // Far larger than any real entry; an account with a longer one counts as unknown.
    var buffer = [CChar](repeating: 0, count: 16_384)
    // Safe: the entry's strings lie in the buffer and are copied before it goes out of scope.
    let account = unsafe buffer.withUnsafeMutableBufferPointer { memory -> (String, UInt32, UInt32)? in
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>?
      guard unsafe lookup(&entry, memory.baseAddress!, memory.count, &found) == 0, unsafe found != nil else {
        return nil
      }
      return unsafe (String(cString: entry.pw_name), entry.pw_uid, entry.pw_gid)
    }
    guard let account else { return nil }
    (name, uid, gid) = account
  }
}

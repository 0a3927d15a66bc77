internal import Domain
internal import Store

/// What the lines of a file have named so far: 64 bits for each, hashed under a key that this process has drawn. Of ten
/// million lines one is taken for another's with a chance of one to a hundred thousand; it is told, and comes in alone.
struct InstalledMarks {
  private var devices: Set<Int> = []
  private var tokens: Set<Int> = []
  private var users: Set<Int> = []

  /// - Returns: what an earlier line has named already.
  mutating func add(_ line: InstalledLine, isSingle: Bool) -> InstalledColumns.Field? {
    guard devices.insert(Self.mark(line.device)).inserted else { return .deviceID }
    guard tokens.insert(Self.mark(line.psid)).inserted else { return .psid }
    if isSingle, case .named(let user) = line.user {
      guard users.insert(Self.mark(UserKey(clientUID: user))).inserted else { return .clientUID }
    }
    return nil
  }

  private static func mark(_ value: some Hashable) -> Int {
    var hasher = Hasher()
    hasher.combine(value)
    return hasher.finalize()
  }
}

internal import Domain
internal import Store

/// Detects repeated devices, tokens and users in a file by 64-bit hashes with a key drawn by this process. Among ten
/// million lines, the chance of a false match is about one in a hundred thousand; the line is then reported as a fault
/// and can be imported separately.
struct InstalledMarks {
  private var devices: Set<Int> = []
  private var tokens: Set<Int> = []
  private var users: Set<Int> = []

  /// Records a line's device and token and, if `isSingle`, its user.
  /// - Parameter isSingle: whether each user may have only one device.
  /// - Returns: the first of these fields that repeats an earlier line, in which case the fields after it are not
  ///   recorded; nil if none does.
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

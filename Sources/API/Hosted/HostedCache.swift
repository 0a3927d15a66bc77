internal import Reactor
internal import Store

/// Recently fetched records and parts, so that a million devices that open one page cost the database one read. One
/// owner, one thread.
///
/// Two generations: an entry that is used moves into the young one; when that reaches half the capacity it becomes the
/// old one, and entries unused since then are dropped. The content behind a name never changes; whether it is still there
/// is asked again after a minute, because somebody may have deleted it.
struct HostedCache {
  struct PartKey: Hashable {
    let name: String
    let part: Int
  }

  /// A file as it was when its record was read.
  struct Known {
    let record: HostedFiles.Record
    let readAt: Instant

    /// False when it may have been deleted since.
    func isFresh(at now: Instant) -> Bool { now - readAt < HostedLimits.recordLife }
  }

  private struct Generation {
    var files: [String: Known] = [:]
    var parts: [PartKey: [UInt8]] = [:]
    var bytes = 0
  }

  /// Approximate size of a record with its names.
  static let recordBytes = 512

  private let capacity: Int
  private var young = Generation()
  private var old = Generation()

  /// - Parameter capacity: bytes of both generations together.
  init(capacity: Int = HostedLimits.cacheBytes) {
    self.capacity = capacity
  }

  mutating func file(_ name: String) -> Known? {
    if let file = young.files[name] { return file }
    guard let file = old.files[name] else { return nil }
    keep(file)
    return file
  }

  mutating func part(_ key: PartKey) -> [UInt8]? {
    if let part = young.parts[key] { return part }
    guard let part = old.parts[key] else { return nil }
    keep(part, key)
    return part
  }

  mutating func keep(_ file: Known) {
    if young.files.updateValue(file, forKey: file.record.name) == nil { grow(Self.recordBytes) }
  }

  mutating func keep(_ part: [UInt8], _ key: PartKey) {
    if young.parts.updateValue(part, forKey: key) == nil { grow(part.count) }
  }

  /// Forgets a file's record: it is gone, or its expiry may have been prolonged.
  mutating func forget(_ name: String) {
    young.files[name] = nil
    old.files[name] = nil
  }

  private mutating func grow(_ bytes: Int) {
    young.bytes += bytes
    guard young.bytes >= capacity / 2 else { return }
    old = young
    young = Generation()
  }

  /// Bytes held, approximately.
  var bytes: Int { young.bytes + old.bytes }
}

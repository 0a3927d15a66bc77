internal import Reactor
internal import Store

/// A cache of records and parts of hosted files, so that a million devices that open the same page cause few database
/// reads. Confined to one thread.
///
/// The cache has two generations. An entry that is used is copied to the young generation. When the young generation
/// reaches half of the capacity, it becomes the old one, and the former old one is dropped, with the entries that were
/// not used meanwhile. The content of a file never changes; the owner checks again after `HostedLimits.recordLife`
/// whether the file still exists.
struct HostedCache {
  struct PartKey: Hashable {
    let name: String
    let part: Int
  }

  /// A file's record and the time at which it was read.
  struct Known {
    let record: HostedFiles.Record
    let readAt: Instant

    /// Returns whether the record was read less than `HostedLimits.recordLife` ago; if not, the file may have been
    /// deleted since.
    func isFresh(at now: Instant) -> Bool { now - readAt < HostedLimits.recordLife }
  }

  private struct Generation {
    var files: [String: Known] = [:]
    var parts: [PartKey: [UInt8]] = [:]
    var bytes = 0
  }

  /// Approximate size in bytes of a record with its names.
  static let recordBytes = 512

  private let capacity: Int
  private var young = Generation()
  private var old = Generation()

  /// Creates a cache.
  /// - Parameter capacity: approximate maximum size in bytes of both generations together.
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

  /// Removes a file's record, because the file is gone or its expiration may have been extended. Its parts stay until
  /// they are dropped, but are not used without the record.
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

  /// Approximate size in bytes of the entries of both generations. Counts copied and removed entries until their
  /// generation is dropped.
  var bytes: Int { young.bytes + old.bytes }
}

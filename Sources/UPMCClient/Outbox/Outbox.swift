#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Receipts and reads that the server has not acknowledged, a file each in a directory that the app and its extension share.
///
/// ```
///   add ──► file, synced ──► sent ──► recorded, invalid-pushkey, unknown-message ──► removed
///                              │ no answer, 5xx, 429, an answer that is none
///                              └──► stays for the next flush, of this process or another
/// ```
/// **Invariants.** What `add` has accepted is on the disk before anything is sent. A file is removed for an answer to
/// exactly what it holds. No lock is held: a process may be ended or frozen anywhere, and another goes on.
///
/// **Failure.** A full disk makes `add` throw, and the caller still sends what it has. Half a file cannot be seen; what a
/// dead process left aside is swept. A damaged file is removed and counted.
package struct Outbox: Sendable {
  let directory: String
  private let mostFiles: Int
  private let onStep: @Sendable (DurableFile.Step) -> Void

  package init(
    directory: String, mostFiles: Int = ClientLimits.outboxFiles,
    onStep: @escaping @Sendable (DurableFile.Step) -> Void = { _ in }
  ) {
    self.directory = directory + "/outbox"
    self.mostFiles = mostFiles
    self.onStep = onStep
  }

  /// Stores a confirmation. A receipt that waits already stays as it is, with its time; a read replaces another wish for
  /// the same message.
  package func add(_ entry: OutboxEntry) throws {
    try DurableFile.makeDirectory(directory)
    if try read(entry.name) == nil { try write(entry) }
    // Also where this wish waits already: a process may have ended between the two.
    if entry.kind == .read {
      for name in names() where name != entry.name {
        guard let parts = OutboxEntry.parts(of: name), parts.seqno == entry.seqno, parts.kind == .read else { continue }
        try DurableFile.remove(path(name))
      }
    }
    try limit()
  }

  /// Replaces what an entry's file holds.
  /// - Returns: false when there is none: another process was answered, or it could not be stored.
  func replace(_ entry: OutboxEntry) throws -> Bool {
    guard try read(entry.name) != nil else { return false }
    try write(entry)
    return true
  }

  package func remove(_ entry: OutboxEntry) throws {
    try DurableFile.remove(path(entry.name))
  }

  /// Returns the names of files that wait: receipts first, each by SEQNO.
  package func waiting() -> [String] {
    names().compactMap { name in OutboxEntry.parts(of: name).map { (name, $0) } }
      .sorted { left, right in
        if left.1.kind != right.1.kind { return left.1.kind == .receipt }
        return Self.isEarlier(left.1.seqno, right.1.seqno)
      }
      .map(\.0)
  }

  /// An entry; nil when it is gone, or was damaged and is removed.
  package func read(_ name: String) throws -> OutboxEntry? {
    guard let bytes = try DurableFile.read(path(name), mostBytes: 16_384) else { return nil }
    if let entry = OutboxEntry(bytes, named: name) { return entry }
    try DurableFile.remove(path(name))
    return nil
  }

  /// Removes what processes that have died left aside. One that is alive finds its file gone and writes it again.
  func sweep(now: Date) {
    for name in names() where name.hasPrefix(DurableFile.asidePrefix) {
      let attributes = try? FileManager.default.attributesOfItem(atPath: path(name))
      let age = (attributes?[.modificationDate] as? Date).map { now.timeIntervalSince($0) } ?? 0
      if age > 3_600 { try? DurableFile.remove(path(name)) }
    }
  }

  /// Whether an entry has waited for so long that no server knows its message any more.
  static func isTooOld(_ entry: OutboxEntry, now: Date) -> Bool {
    now.timeIntervalSince1970 - entry.writtenAt > ClientLimits.outboxSeconds
  }

  private func write(_ entry: OutboxEntry) throws {
    do {
      try writeOnce(entry)
    } catch  where (error as? DurableFile.Failure)?.isNoSuchFile == true {
      // Swept as if this process were dead, or the directory was emptied.
      try DurableFile.makeDirectory(directory)
      try writeOnce(entry)
    }
  }

  private func writeOnce(_ entry: OutboxEntry) throws {
    try DurableFile.write(entry.bytes, to: path(entry.name), in: directory, onStep: onStep)
  }

  /// Drops the oldest. By SEQNO, which only the server gives out: clocks may be wrong.
  private func limit() throws {
    let all = names().compactMap { name in OutboxEntry.parts(of: name).map { (name, $0.seqno) } }
    guard all.count > mostFiles else { return }
    for (name, _) in all.sorted(by: { Self.isEarlier($0.1, $1.1) }).prefix(all.count - mostFiles) {
      try DurableFile.remove(path(name))
    }
  }

  private static func isEarlier(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count ? left < right : left.utf8.count < right.utf8.count
  }

  private func names() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] }

  private func path(_ name: String) -> String { "\(directory)/\(name)" }
}

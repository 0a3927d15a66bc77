#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Receipts and reads that the server has not acknowledged, one file each, in a directory shared by the app and its
/// extension.
///
/// ```
///   add ──► file, synced ──► sent ──► recorded, invalid-pushkey, unknown-message, rejected ──► removed
///                              │ no answer, 5xx, 429, an answer that UPMC does not give
///                              └──► stays for the next flush, of this process or another
/// ```
/// **Invariants.** A confirmation that `add` has accepted is on disk before it is sent. Its file is removed only after
/// an answer to exactly what it contains, with three exceptions: another read of the same message replaces it, there
/// are too many files (`ClientLimits.outboxFiles`), or it is too old (`outboxSeconds`) while the server is busy. There
/// are no locks: any process can end or be suspended at any time, and another continues.
///
/// **Failure.** If the disk or the outbox is full, `add` throws, and the caller still tries to send. Readers never see
/// partial files, and temporary files of ended processes are removed after an hour. A damaged file is removed when it
/// is read.
package struct Outbox: Sendable {
  /// The error thrown if a confirmation has no place among those of newer messages.
  struct Full: Error, Equatable, CustomStringConvertible {
    let mostFiles: Int
    var description: String { "\(mostFiles) confirmations of newer messages wait" }
  }

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

  /// Stores a confirmation. If the same receipt or read is stored already, keeps that file with its time; a read
  /// replaces other reads of the message, which differ in badge option or number. If two processes add such reads at
  /// the same time, at least one of them stays. Above `mostFiles`, removes the entries with the lowest SEQNOs; if this
  /// is one of them, throws `Full`. Also throws if a file cannot be read, written or removed; then the confirmation may
  /// be stored nevertheless.
  package func add(_ entry: OutboxEntry) throws {
    try DurableFile.makeDirectory(directory)
    if try read(entry.name) == nil { try write(entry) }
    // Do this even if the read is stored already, because a process may have ended between the two steps.
    if entry.kind == .read, try removeOtherReads(than: entry) {
      // Another process may have added one of them just now, and removed this one in its turn: one has to stay.
      if try read(entry.name) == nil { try write(entry) }
    }
    if try limit().contains(entry.name) { throw Full(mostFiles: mostFiles) }
  }

  /// Removes the other reads of an entry's message. Returns true if there were any.
  private func removeOtherReads(than entry: OutboxEntry) throws -> Bool {
    let others = names().filter { name in
      guard name != entry.name, let parts = OutboxEntry.parts(of: name) else { return false }
      return parts.seqno == entry.seqno && parts.kind == .read
    }
    for name in others { try DurableFile.remove(path(name)) }
    return !others.isEmpty
  }

  /// Replaces the content of an entry's file. Returns false, and writes nothing, if there is no such file: another
  /// process has removed it after an answer, or it could not be stored. Throws if the file cannot be read or written.
  func replace(_ entry: OutboxEntry) throws -> Bool {
    guard try read(entry.name) != nil else { return false }
    try write(entry)
    return true
  }

  package func remove(_ entry: OutboxEntry) throws {
    try DurableFile.remove(path(entry.name))
  }

  /// Returns the names of the files that wait to be sent: receipts first, each kind in ascending order of SEQNO. Empty
  /// if there is no directory or it cannot be read.
  package func waiting() -> [String] {
    names().compactMap { name in OutboxEntry.parts(of: name).map { (name, $0) } }
      .sorted { left, right in
        if left.1.kind != right.1.kind { return left.1.kind == .receipt }
        return Self.isEarlier(left.1.seqno, right.1.seqno)
      }
      .map(\.0)
  }

  /// Returns the entry in the file of this name; nil if the file does not exist, or was damaged and has been removed.
  /// Throws if the file cannot be read or removed.
  package func read(_ name: String) throws -> OutboxEntry? {
    guard let bytes = try DurableFile.read(path(name), mostBytes: 16_384) else { return nil }
    if let entry = OutboxEntry(bytes, named: name) { return entry }
    try DurableFile.remove(path(name))
    return nil
  }

  /// Removes temporary files that were last changed more than an hour ago: their processes have ended. A process that
  /// is still running finds its file gone and writes it again. Ignores files that cannot be removed.
  func sweep(now: Date) {
    for name in names() where name.hasPrefix(DurableFile.asidePrefix) {
      let attributes = try? FileManager.default.attributesOfItem(atPath: path(name))
      let age = (attributes?[.modificationDate] as? Date).map { now.timeIntervalSince($0) } ?? 0
      if age > 3_600 { try? DurableFile.remove(path(name)) }
    }
  }

  /// Returns true if the entry was created more than `ClientLimits.outboxSeconds` ago. Unreliable if the device's clock
  /// is wrong; false if it was obviously wrong when the entry was created, as before a device knows the time.
  static func isTooOld(_ entry: OutboxEntry, now: Date) -> Bool {
    entry.at != nil && now.timeIntervalSince1970 - entry.writtenAt > ClientLimits.outboxSeconds
  }

  private func write(_ entry: OutboxEntry) throws {
    do {
      try writeOnce(entry)
    } catch  where (error as? DurableFile.Failure)?.isNoSuchFile == true {
      // Another process has swept the temporary file, or the directory was removed: try again.
      try DurableFile.makeDirectory(directory)
      try writeOnce(entry)
    }
  }

  private func writeOnce(_ entry: OutboxEntry) throws {
    try DurableFile.write(entry.bytes, to: path(entry.name), in: directory, onStep: onStep)
  }

  /// Removes the entries above the limit, those with the lowest SEQNOs first, and returns their names. Times are not
  /// compared, because clocks may be wrong.
  private func limit() throws -> [String] {
    let all = names().compactMap { name in OutboxEntry.parts(of: name).map { (name, $0.seqno) } }
    guard all.count > mostFiles else { return [] }
    let surplus = all.sorted { Self.isEarlier($0.1, $1.1) }.prefix(all.count - mostFiles).map(\.0)
    for name in surplus { try DurableFile.remove(path(name)) }
    return surplus
  }

  private static func isEarlier(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count ? left < right : left.utf8.count < right.utf8.count
  }

  private func names() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] }

  private func path(_ name: String) -> String { "\(directory)/\(name)" }
}

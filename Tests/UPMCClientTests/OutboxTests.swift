import Foundation
import Synchronization
import TestSupport
import Testing

@testable import UPMCClient

/// The files of the outbox, without a server.
@Suite struct OutboxTests {
  private let directory = TemporaryDirectory.make(prefix: "upmc-outbox.")
  private let outbox: Outbox

  init() {
    outbox = Outbox(directory: directory)
  }

  static func entry(
    _ seqno: String, _ kind: Confirmation.Kind = .receipt, option: BadgeOption? = nil, badge: Int? = nil,
    psids: [String] = ["abcd"], now: Date = Date()
  ) throws -> OutboxEntry {
    try #require(
      OutboxEntry(
        kind, seqno: seqno, pushkey: String(repeating: "a", count: 40), psids: psids, option: option, badge: badge,
        now: now))
  }

  @Test func `what was added is there for another process, and nothing else is in the directory`() throws {
    let entry = try Self.entry("104")
    try outbox.add(entry)
    let other = Outbox(directory: directory)
    #expect(other.waiting() == ["104.receipt"])
    #expect(try other.read("104.receipt") == entry)
    #expect(TemporaryDirectory.entries(of: outbox.directory) == ["104.receipt"])
  }

  @Test func `a receipt keeps the time of its first arrival`() throws {
    let first = try Self.entry("104", now: Date(timeIntervalSince1970: 1_790_000_000))
    try outbox.add(first)
    try outbox.add(try Self.entry("104"))
    #expect(try outbox.read("104.receipt") == first)
  }

  @Test func `receipts come before reads, each by number`() throws {
    for (seqno, kind) in [("99", Confirmation.Kind.read), ("1000", .receipt), ("104", .receipt), ("7", .read)] {
      try outbox.add(try Self.entry(seqno, kind))
    }
    #expect(outbox.waiting() == ["104.receipt", "1000.receipt", "7.read-keep", "99.read-keep"])
  }

  @Test func `a later wish for the badge of the same message replaces the one before`() throws {
    try outbox.add(try Self.entry("104", .read))
    try outbox.add(try Self.entry("104", .read, option: .update, badge: 5))
    try outbox.add(try Self.entry("1040", .read))
    #expect(outbox.waiting() == ["104.read-update-5", "1040.read-keep"])
  }

  @Test(arguments: DurableFile.Step.allCases)
  func `two processes that add reads of a message at the same time leave one`(step: DurableFile.Step) throws {
    let other = outbox
    let theirs = try Self.entry("104", .read, option: .update, badge: 5)
    let isFirst = Mutex(true)
    let ours = Outbox(directory: directory) { reached in
      guard reached == step else { return }
      let isNow = isFirst.withLock { first in
        defer { first = false }
        return first
      }
      if isNow { try? other.add(theirs) }
    }
    try ours.add(try Self.entry("104", .read))
    #expect(outbox.waiting() == ["104.read-keep"])
    // And the process that comes second replaces it, as always.
    try other.add(theirs)
    #expect(outbox.waiting() == ["104.read-update-5"])
  }

  @Test func `of more than 500 the oldest messages go, even when the clock is wrong`() throws {
    let small = Outbox(directory: directory, mostFiles: 3)
    for seqno in ["9", "10", "11", "12"] {
      let date = Date(timeIntervalSince1970: seqno == "12" ? 0 : 1_790_000_000)
      try small.add(try Self.entry(seqno, now: date))
    }
    // What has no place itself is not said to be stored.
    #expect(throws: Outbox.Full(mostFiles: 3)) { try small.add(try Self.entry("8")) }
    #expect(small.waiting() == ["10.receipt", "11.receipt", "12.receipt"])
  }

  @Test func `a damaged file, one of another name, and one too long are removed`() throws {
    try outbox.add(try Self.entry("1"))
    let whole = try #require(TemporaryDirectory.read("\(outbox.directory)/1.receipt"))
    for (name, text) in [
      ("2.receipt", String(whole.dropLast(5))), ("3.receipt", whole), ("4.receipt", ""),
      ("5.read-keep", String(repeating: "x", count: 20_000)),
    ] {
      TemporaryDirectory.write("\(outbox.directory)/\(name)", text)
      #expect(try outbox.read(name) == nil)
    }
    #expect(outbox.waiting() == ["1.receipt"])
  }

  @Test func `no part of a file is an entry, and a damaged one is none that the server could not read`() throws {
    for entry in [
      try Self.entry("104", psids: ["abcd", "ef01"]), try Self.entry("104", .read, option: .update, badge: 5),
    ] {
      let whole = entry.bytes
      #expect(OutboxEntry(whole, named: entry.name) == entry)
      for count in 0..<whole.count { #expect(OutboxEntry(Array(whole.prefix(count)), named: entry.name) == nil) }
      for index in whole.indices {
        for bit in 0..<8 {
          var bytes = whole
          bytes[index] ^= 1 << bit
          guard let damaged = OutboxEntry(bytes, named: entry.name) else { continue }
          let isSound =
            damaged.seqno == "104" && OutboxEntry.isPlain(damaged.pushkey, 256) && !damaged.psids.isEmpty
            && damaged.psids.allSatisfy { OutboxEntry.isPlain($0, 512) }
          #expect(isSound, "bit \(bit) of byte \(index)")
        }
      }
    }
  }

  @Test func `foreign files are left alone, and what a dead process left aside goes after an hour`() throws {
    try outbox.add(try Self.entry("1"))
    for name in ["notes.txt", "0.receipt", "x.receipt", "1.other", ".writing-1-1"] {
      TemporaryDirectory.write("\(outbox.directory)/\(name)", "x")
    }
    outbox.sweep(now: Date())
    #expect(outbox.waiting() == ["1.receipt"])
    #expect(TemporaryDirectory.entries(of: outbox.directory).count == 6)
    outbox.sweep(now: Date().addingTimeInterval(7_200))
    #expect(TemporaryDirectory.entries(of: outbox.directory).count == 5)
    // A clock that was put back sweeps nothing.
    TemporaryDirectory.write("\(outbox.directory)/.writing-1-2", "x")
    outbox.sweep(now: Date(timeIntervalSince1970: 0))
    #expect(TemporaryDirectory.entries(of: outbox.directory).count == 6)
  }

  @Test(arguments: ["", "0", "01", "-1", "1/2", "../1", "12345678901234567890", "1.receipt", "１"])
  func `what is no SEQNO never becomes a file's name`(seqno: String) {
    #expect(OutboxEntry(.receipt, seqno: seqno, pushkey: "aa", psids: ["ab"], now: Date()) == nil)
  }

  @Test(arguments: [-1e12, 0, 1e9, 1e11, 1e15])
  func `a clock out of all reason leaves the time to the server`(seconds: Double) throws {
    let entry = try Self.entry("1", now: Date(timeIntervalSince1970: seconds))
    #expect(entry.at == nil || seconds == 1e11)
    try outbox.add(entry)
    #expect(try outbox.read("1.receipt") == entry)
  }
}

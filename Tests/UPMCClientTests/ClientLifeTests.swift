import Foundation
import Reactor
import Simulator
import Synchronization
import TestSupport
import TestTier
import Testing
import UPMCClient

/// Client processes that end at any step: no receipt is lost, none is counted twice.
@Suite(.slow, .serialized) struct ClientLifeTests {
  private static let token = ClientStage.token("a1")

  static let steps = ["begun", "written", "synced", "renamed", "unsent", "lost", "answered"]
  /// A process that ends there has not stored the receipt yet.
  static let unstored: Set = ["begun", "written", "synced"]

  @Test(arguments: steps) func `a process that is killed leaves its receipt to the next, which is counted once`(
    step: String
  ) async throws {
    let stage = try ClientStage()
    let phone = Phone(stage, "phone", Self.token)
    try await phone.register("kim")
    let seqnos = [try await stage.send(), try await stage.send(), try await stage.send()]
    // The second of three pushes meets the end.
    #expect(try await phone.live("receive", seqnos, end: step + ":2") == .killed(signal: SIGKILL))
    // The system starts the extension again for the next push; what was never stored is of the push that was being taken.
    let wasStored = !Self.unstored.contains(step)
    if !wasStored { #expect(try await phone.live("receive", Array(seqnos[1...])) == .exited(0)) }
    #expect(try await phone.live("receive", [seqnos[2]]) == .exited(0))
    for seqno in seqnos { #expect(try await stage.received(seqno) == 1, "\(step)") }
    #expect(phone.waiting == [])
    #expect(try await phone.live("flush", []) == .exited(0))
    for seqno in seqnos { #expect(try await stage.received(seqno) == 1, "\(step)") }
  }

  @Test(arguments: ["renamed", "unsent", "lost", "answered"])
  func `a read that sets the badge acts once, though its process is killed and the badge changes meanwhile`(
    step: String
  ) async throws {
    let stage = try ClientStage()
    let phone = Phone(stage, "phone", Self.token)
    try await phone.register("kim")
    let seqno = try await stage.send(#"{"clientUids":["kim"]}"#)
    #expect(try await phone.read(seqno, "force", 5, end: step) == .killed(signal: SIGKILL))
    let wasRecorded = step == "lost" || step == "answered"
    let client = try stage.client()
    #expect(try await client.badge() == (wasRecorded ? 5 : 0))
    if wasRecorded { try await client.update(badge: 9) }
    #expect(try await phone.live("flush", []) == .exited(0))
    #expect(try await client.badge() == (wasRecorded ? 9 : 5), "\(step)")
    #expect(try await stage.read(seqno) == 1)
    #expect(phone.waiting == [])
  }

  /// Sends messages whose receipts the phone stores and never sends.
  private func stored(_ count: Int, _ stage: ClientStage, _ phone: Phone) async throws -> [String] {
    var seqnos: [String] = []
    for _ in 0..<count { seqnos.append(try await stage.send()) }
    for seqno in seqnos {
      #expect(try await phone.live("receive", [seqno], end: "unsent") == .killed(signal: SIGKILL))
    }
    return seqnos
  }

  @Test(arguments: [1, 3, 5]) func `a process that is killed between two removals leaves the others, which count once`(
    removals: Int
  ) async throws {
    let stage = try ClientStage()
    let phone = Phone(stage, "phone", Self.token)
    try await phone.register("kim")
    let seqnos = try await stored(5, stage, phone)
    #expect(try await phone.live("flush", [], end: "removed:\(removals)") == .killed(signal: SIGKILL))
    #expect(phone.waiting.count == seqnos.count - removals)
    #expect(try await phone.live("flush", []) == .exited(0))
    #expect(phone.waiting == [])
    for seqno in seqnos { #expect(try await stage.received(seqno) == 1) }
  }

  @Test(arguments: ["begun:2", "written:2", "synced:2", "renamed:2"])
  func `a process that is killed while it names the former token leaves a receipt that counts once`(
    step: String
  ) async throws {
    let stage = try ClientStage()
    let phone = Phone(stage, "phone", Self.token)
    try await phone.register("kim")
    let seqno = try await stage.send()
    let payload = try phone.file(of: [seqno])
    // The push came to the token before this one.
    try await Phone(stage, "phone", ClientStage.token("b2")).register("kim")
    #expect(try await phone.live("receive", file: payload, end: step) == .killed(signal: SIGKILL), "\(step)")
    #expect(phone.waiting.count == 1)
    #expect(try await phone.live("flush", []) == .exited(0))
    #expect(phone.waiting == [])
    #expect(try await stage.received(seqno) == 1)
  }

  @Test func `two processes that send one outbox at the same time count each receipt once`() async throws {
    let stage = try ClientStage()
    let phone = Phone(stage, "phone", Self.token)
    try await phone.register("kim")
    let seqnos = try await stored(12, stage, phone)
    #expect(phone.waiting.count == seqnos.count)
    async let first = phone.live("flush", [])
    async let second = phone.live("flush", [])
    async let third = phone.live("flush", [])
    #expect(try await [first, second, third] == [.exited(0), .exited(0), .exited(0)])
    #expect(phone.waiting == [])
    for seqno in seqnos { #expect(try await stage.received(seqno) == 1) }
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `on a way that loses a third of everything each receipt and read counts once`(seed: UInt64) async throws {
    let stage = try ClientStage()
    let client = try stage.client(through: LossyTransport(stage.transport, seed: seed, lossPercent: 17))
    var isRegistered = false
    for _ in 0..<50 where !isRegistered {
      isRegistered = (try? await client.register(token: Self.token, user: ClientUser("kim"))) != nil
    }
    var seqnos: [String] = []
    for _ in 0..<10 { seqnos.append(try await stage.send(#"{"clientUids":["kim"]}"#, #","badge":{"increment":1}"#)) }
    for seqno in seqnos {
      let push = try stage.payload(seqno, Self.token)
      await client.receive(push)
      if seqno != seqnos.last { try await client.read(push) }
    }
    for _ in 0..<100 where await client.waitingConfirmations > 0 { await client.flush() }
    #expect(await client.waitingConfirmations == 0)
    for seqno in seqnos {
      #expect(try await stage.received(seqno) == 1)
      #expect(try await stage.read(seqno) == (seqno == seqnos.last ? 0 : 1))
    }
    #expect(try await stage.client().badge() == 1)
  }
}

/// One installation whose app and extension are processes.
final class Phone: Sendable {
  private let stage: ClientStage
  private let directory: String
  private let read = Mutex<[String: [UInt8]]>([:])
  let token: String

  init(_ stage: ClientStage, _ name: String, _ token: String) {
    self.stage = stage
    self.token = token
    directory = "\(stage.directory)/\(name)"
  }

  /// The program beside the tests' own.
  private static var program: String {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "upmc-client-life").path
  }

  /// Files in the outbox.
  var waiting: [String] { TemporaryDirectory.entries(of: directory + "/outbox").filter { !$0.hasPrefix(".") } }

  func register(_ user: String) async throws {
    try #require(try await run(["register", token, user]) == .exited(0))
  }

  /// What came to the token; read once for many lives.
  private func payloads(of seqnos: [String]) -> [String: [UInt8]] {
    let known = read.withLock { $0 }
    if seqnos.allSatisfy({ known[$0] != nil }) { return known }
    let all = Dictionary(
      stage.simulator.deliveries(to: token).compactMap { delivery -> (String, [UInt8])? in
        guard let json = delivery.payload, let push = try? ReceivedPayload(json: json) else { return nil }
        return (push.seqno, json)
      }, uniquingKeysWith: { $1 })
    read.withLock { $0 = all }
    return all
  }

  /// A file with the payloads of these messages, one in each line.
  func file(of seqnos: [String]) throws -> String {
    let payloads = payloads(of: seqnos)
    let file = "\(stage.directory)/pushes-\(UInt64.random(in: 0...UInt64.max))"
    let lines = try seqnos.map { String(decoding: try #require(payloads[$0]), as: UTF8.self) }
    TemporaryDirectory.write(file, lines.joined(separator: "\n"))
    return file
  }

  /// One process: `receive` of these messages, or `flush`.
  func live(_ verb: String, _ seqnos: [String], end: String = "") async throws -> ChildProcess.Ending {
    try await live(verb, file: verb == "receive" ? file(of: seqnos) : "-", end: end)
  }

  /// One process that receives the pushes of a file.
  func live(_ verb: String, file: String, end: String) async throws -> ChildProcess.Ending {
    try await run([verb, file, end])
  }

  /// SEQNOs of the pushes that processes began to take, in their order.
  var taken: [String] {
    (TemporaryDirectory.read(directory + "/taken") ?? "").split(separator: "\n").map(String.init)
  }

  /// One process that reads a message.
  func read(_ seqno: String, _ option: String, _ badge: Int, end: String) async throws -> ChildProcess.Ending {
    try await run(["read", file(of: [seqno]), end, option, String(badge)])
  }

  /// One process whose outbox is on a disk of 64 KiB that is full, and what it prints.
  func liveOnFullDisk(
    _ verb: String, _ seqnos: [String] = [], payloads: String? = nil, _ more: [String] = []
  ) async throws -> (ending: ChildProcess.Ending, text: String) {
    // A name space of its own: nobody else sees the disk, and it goes with the process. Status 9: it is not full.
    let script = """
      mkdir -p "$0" && mount -t tmpfs -o size=64k tmpfs "$0" || exit 8
      cat /dev/zero >"$0/filler" 2>/dev/null
      echo x 2>/dev/null >"$0/probe" && exit 9
      rm "$0/probe"
      exec "$@"
      """
    let output = "\(stage.directory)/printed-\(UInt64.random(in: 0...UInt64.max))"
    let ending = try await run(
      [verb, try payloads ?? file(of: seqnos), ""] + more,
      through: ["unshare", "--map-root-user", "--mount", "/bin/sh", "-c", script, directory + "/outbox"],
      output: .file(output))
    return (ending, TemporaryDirectory.read(output) ?? "")
  }

  private func run(
    _ arguments: [String], through wrapper: [String] = [], output: ChildProcess.Output = .discarded
  ) async throws -> ChildProcess.Ending {
    let command = wrapper + [Self.program, directory, stage.address, ClientStage.appID, stage.clientKey] + arguments
    // Waiting takes a thread of its own, so that processes run side by side.
    return try await withCheckedThrowingContinuation { continuation in
      Foundation.Thread.detachNewThread {
        do {
          var child = try ChildProcess.start(
            command, environment: Sanitizers.variables + ["PATH=/usr/bin:/bin"], output: output, errors: .inherited)
          let ending = child.wait(atMost: .patience)
          continuation.resume(
            with: ending.map { .success($0) } ?? .failure(WaitedInVain("it does not end")))
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }
}

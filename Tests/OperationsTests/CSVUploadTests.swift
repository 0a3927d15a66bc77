import Domain
import Foundation
import Postgres
import Store
import Synchronization
import Testing
import Time

@testable import Operations

@Suite struct CSVUploadTests {
  private func store(
    _ world: BatchWorld, _ bytes: [UInt8], skipsFaults: Bool? = false
  ) throws -> CSVUploads.Stored {
    try CSVUploads.store(
      ByteSource(bytes), of: world.app.appID, skipsFaults: skipsFaults, by: .commandLine, on: world.connection,
      now: world.now)
  }

  @Test func `a file is stored with its variables, and unknown users are told`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"), world.registration("d2", psid: "bb", user: "lee"))
    let stored = try store(world, Array("kim,Kim,10\nlee,,20\nnobody\nkim,Again\n".utf8))
    #expect(stored.file.lineCount == 3 && stored.file.duplicates == 1)
    #expect(stored.devices == 2 && stored.unknown == ["nobody"] && stored.unknownCount == 1)
    let values = try world.connection.run(
      CSVAudiences.values(stored.csv, of: ["kim", "lee"].map { UserKey(clientUID: $0) }))
    #expect(values[UserKey(clientUID: "kim")]?.name == "Kim")
    #expect(values[UserKey(clientUID: "lee")]?.variables == ["20"])
    let census = try CSVReach(
      stored.csv, world.app.number, world.connection, now: world.now, unknownAtMost: 10)
    #expect(census.devices == 2)
  }

  @Test func `leaving out wrong lines is advised only where a caller can ask for it`() throws {
    let world = try BatchWorld()
    for (skipsFaults, advice) in [(false, "skipErrors=true"), (nil, "send the whole file again")] as [(Bool?, String)] {
      let problem = try #require(throws: Problem.self) {
        try store(world, Array("kim,Kim\n,Lee\n".utf8), skipsFaults: skipsFaults)
      }
      #expect(problem.code == .impossible && problem.fields.map(\.pointer) == ["/lines/2"], "\(problem)")
      #expect(problem.detail.contains(advice), "\(problem.detail)")
      #expect(problem.detail.contains("skipErrors") == (skipsFaults != nil), "\(problem.detail)")
    }
  }

  @Test func `a file as Korean Windows writes it is understood`() throws {
    let world = try BatchWorld()
    // "kim,김" and a syllable that only CP949 has.
    let stored = try store(world, Array("kim,".utf8) + [0xB1, 0xE8, 0x0A] + Array("lee,".utf8) + [0x8C, 0x63, 0x0A])
    #expect(stored.encoding == "CP949")
    let values = try world.connection.run(
      CSVAudiences.values(stored.csv, of: ["kim", "lee"].map { UserKey(clientUID: $0) }))
    #expect(values.values.map(\.name).sorted() == ["김", "똠"])
  }

  @Test(
    arguments: [("UTF-8", [0xEA, 0xB9, 0x80], [0xB1, 0xE8]), ("CP949", [0xB1, 0xE8], [0xEA, 0xB9, 0x80])]
      as [(String, [UInt8], [UInt8])])
  func `a wrong line refuses the file by its number, and makes nobody's name wrong`(
    encoding: String, name: [UInt8], wrong: [UInt8]
  ) throws {
    let world = try BatchWorld()
    func line(_ user: String, _ name: [UInt8]) -> [UInt8] { Array("\(user),".utf8) + name + [0x0A] }
    let bytes = line("kim", name) + line("lee", wrong) + line("park", name)
    do {
      _ = try store(world, bytes)
      Issue.record("a wrong line was taken")
    } catch let problem as Problem {
      #expect(
        problem.fields.map(\.pointer) == ["/lines/2"] && problem.detail.contains("line 2 is not text"), "\(problem)")
    }
    let stored = try store(world, bytes, skipsFaults: true)
    let users = ["kim", "lee", "park"].map { UserKey(clientUID: $0) }
    let values = try world.connection.run(CSVAudiences.values(stored.csv, of: users))
    #expect(stored.encoding == encoding && values.mapValues(\.name) == [users[0]: "김", users[2]: "김"], "\(values)")
  }

  @Test func `an app stores so many audiences, the same one again, and no more until some are deleted`() throws {
    let world = try BatchWorld()
    // Room is left for two files. A file counts by its size, not by its lines, and as so much at least.
    let large = Operations.Limits.audienceBytesOfApp - 2 * Int64(Operations.Limits.leastAudienceBytes)
    try world.connection.script(
      """
      INSERT INTO csv_audiences (app, sha256, lines, bytes, created_at, expires_at)
      VALUES (\(world.app.number), 'large', 1, \(large), now(), now() + interval '1 year')
      """)
    let first = try store(world, Array("kim\n".utf8))
    _ = try store(world, Array((1...4_000).map { "lee\($0)\n" }.joined().utf8))
    let refused = try #require(throws: Problem.self) { try store(world, Array("park\n".utf8)) }
    #expect(refused.code == .conflict && refused.detail.contains("32769 MiB of at most 32768 MiB"), "\(refused)")
    #expect(try world.count("SELECT count(*) FROM csv_lines") == 4_001)
    #expect(try store(world, Array("kim\n".utf8)).csv == first.csv)
    try world.connection.script("DELETE FROM csv_audiences WHERE csv = 1")
    #expect(try store(world, Array("park\n".utf8)).file.lineCount == 1)
  }

  @Test func `what is neither is refused, and says so`() throws {
    let world = try BatchWorld()
    for bytes: [UInt8] in [
      [0xFF, 0xFE, 0x6B, 0x00], [0x6B, 0xFF, 0xFF], [], Array("\n\n".utf8), Array("CUID\n".utf8),
    ] {
      #expect(throws: Problem.self, "\(bytes)") { try store(world, bytes) }
    }
    #expect(try world.count("SELECT count(*) FROM csv_audiences") == 0)
  }

  @Test func `wrong lines refuse the file, or are left out when asked`() throws {
    let world = try BatchWorld()
    let text = Array("kim\nGUEST\nlee\n".utf8)
    do {
      _ = try store(world, text)
      Issue.record("a wrong line was taken")
    } catch let problem as Problem {
      #expect(problem.fields.map(\.pointer) == ["/lines/2"])
    }
    #expect(try world.count("SELECT count(*) FROM csv_lines") == 0)
    #expect(try store(world, text, skipsFaults: true).file.lineCount == 2)
  }

  @Test func `a file ends after its time, with its lines, and not while a message keeps it`() throws {
    let world = try BatchWorld()
    let first = try store(world, Array("kim\n".utf8))
    let second = try store(world, Array("lee\n".utf8))
    let later = first.expiresAt + .microseconds(1)
    try world.connection.run(CSVAudiences.keep(second.csv, until: later + .seconds(1)))
    for _ in 0..<3 { try world.connection.run(CSVAudiences.dropExpired(at: later)) }
    #expect(try world.connection.run(CSVAudiences.find(first.csv, at: later)) == nil)
    #expect(try world.connection.run(CSVAudiences.find(second.csv, at: later)) != nil)
    #expect(try world.count("SELECT count(*) FROM csv_lines") == 1)
  }

  @Test func `a file that cannot be read to its end leaves nothing behind`() throws {
    let world = try BatchWorld()
    let text = Array(String(repeating: "kim,Kim\nlee,Lee\n", count: 50_000).utf8)
    for readable in [0, 1, 3, 5] {
      let reads = Mutex(0)
      let source = ByteSource(count: text.count) { offset, bytes throws(Problem) in
        let isReadable = reads.withLock { reads in
          reads += 1
          return reads <= readable
        }
        guard isReadable else { throw Problem(.internalError, "broken") }
        return Array(text[offset..<min(offset + bytes, text.count)])
      }
      #expect(throws: Problem.self, "\(readable)") {
        try CSVUploads.store(
          source, of: world.app.appID, skipsFaults: false, by: .commandLine, on: world.connection, now: world.now)
      }
    }
    #expect(try world.count("SELECT count(*) FROM csv_audiences") == 0)
    #expect(try world.count("SELECT count(*) FROM csv_lines") == 0)
    #expect(try store(world, text).file.lineCount == 2)
  }

  @Test func `a hundred thousand lines take seconds`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "user77"))
    var text = ""
    for number in 0..<100_000 { text += "user\(number),Name \(number),\(number)\n" }
    let clock = ContinuousClock()
    var stored: CSVUploads.Stored?
    let time = try clock.measure { stored = try store(world, Array(text.utf8)) }
    #expect(stored?.devices == 1 && stored?.unknownCount == 99_999 && stored?.unknown.count == 1_000)
    // Generous, for a busy machine and a debug build; a statement a line would take minutes.
    #expect(time < .seconds(60))
  }
}

import Domain
import Postgres
import Store
import Testing

@testable import Operations

/// A file that is long enough for two connections brings in what a few lines at a time do.
@Suite struct InstalledShareTests {
  private static let lines = 3 * Operations.Limits.installedShare

  /// Users with several devices each, among them some without a user.
  private static func line(_ number: Int, token: Int, group: Int64) -> String {
    let user = number % 7 == 0 ? "" : "user\(number * 31 % 150)"
    let token = String(token, radix: 16)
    return "\(token.count % 2 == 0 ? "" : "0")\(token),APNS,d\(number),REAL,\(user),Name \(number % 3),1.\(number % 5),"
      + "\(number % 2 == 0 ? "Y" : "N"),\(number % 4 == 0 ? String(group) : "")\n"
  }

  private static func text(_ numbers: some Sequence<Int>, group: Int64, token: (Int) -> Int) -> String {
    InstalledBaseTests.header + numbers.map { line($0, token: token($0), group: group) }.joined()
  }

  /// One that holds devices of a file, with other tokens, and some that have registered themselves.
  private func world() throws -> (world: BatchWorld, group: Int64) {
    let world = try BatchWorld()
    let group = try world.connection.run(Groups.create(app: world.app.number, name: "news", parent: nil))
    try InstalledBaseTests.bring(world, Self.text(0..<90, group: group) { 0x9000 + $0 })
    for number in 90..<100 { try world.run(world.registration("d\(number)", psid: "b\(number)", user: "own")) }
    return (world, group)
  }

  private func state(_ world: BatchWorld) throws -> [String] {
    try [
      ("devices", "device, user_key, psid, state, app_version, consent_ad, identity"), ("psids", "psid, device, kind"),
      ("users", "user_key, name"), ("group_members", "user_key, groupseq"),
    ].map { (table, columns) in
      let rows = try world.connection.run(
        Statement(
          "share: \(table)",
          "SELECT coalesce(string_agg(concat_ws(' ', \(columns)), E'\\n' ORDER BY \(columns)), '') FROM \(table)"))
      return rows.text(0, 0)
    }
  }

  @Test func `a long file brings in what a few lines at a time do, and nothing when it comes again`() throws {
    // A device of the first file gets its token from another one of it, across the halves.
    let token = { number in number < 90 ? 0x9000 + (number + 1) % 90 : 0x1000 + number }
    let (whole, group) = try world()
    let text = Self.text(0..<Self.lines, group: group, token: token)
    let done = try InstalledBaseTests.bring(whole, text)
    #expect(done.report.new == Int64(Self.lines - 100) && done.report.changed == 90, "\(done.report)")
    #expect(done.report.kept == 10 && done.faults == [])

    let (pieces, _) = try world()
    for start in stride(from: 0, to: Self.lines, by: 100) {
      try InstalledBaseTests.bring(pieces, Self.text(start..<start + 100, group: group, token: token))
    }
    #expect(try state(whole) == state(pieces))

    let before = try state(whole)
    let again = try InstalledBaseTests.bring(whole, text)
    #expect(again.report.unchanged + again.report.kept == Int64(Self.lines), "\(again.report)")
    #expect(try state(whole) == before)
    #expect(try whole.count("SELECT count(*) FROM psids p JOIN devices d USING (device, psid)") == Int64(Self.lines))
  }

  @Test func `a trial of a long file says what comes, and writes nothing`() throws {
    let (world, group) = try world()
    let before = try state(world)
    let text = Self.text(0..<Self.lines, group: group) { 0x1000 + $0 }
    let trial = try InstalledBaseTests.bring(world, text) { $0.isDryRun = true }
    #expect(trial.report.new == Int64(Self.lines - 100) && trial.report.changed == 90 && trial.report.kept == 10)
    #expect(try state(world) == before)
  }

  @Test func `where a user may have one device, a long file comes in too`() throws {
    let world = try BatchWorld(policy: .single)
    let lines = (0..<Self.lines).map { "\(String(0x1000 + $0, radix: 16)),APNS,d\($0),REAL,user\($0),,,,\n" }
    let done = try InstalledBaseTests.bring(world, InstalledBaseTests.header + lines.joined())
    #expect(done.report.new == Int64(Self.lines) && done.faults == [], "\(done.report)")
    #expect(try world.count("SELECT count(*) FROM devices WHERE state = 1") == Int64(Self.lines))
  }
}

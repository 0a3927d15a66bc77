import Domain
import Postgres
import Store
import TestSupport
import Testing
import Time

@testable import Operations

/// The installed base of another push server, as a file brings it in.
@Suite struct InstalledBaseTests {
  static let header = "PSID,PNSID,DEVICE_ID,APNS_MODE,CUID,CNAME,APP_VER,AD_YN,GROUPSEQ\n"

  @discardableResult
  static func bring(
    _ world: BatchWorld, _ text: String, _ change: (inout InstalledBase.Options) -> Void = { _ in }
  ) throws -> (report: InstalledBase.Report, faults: [InstalledFault]) {
    try bring(world, Array(text.utf8), change)
  }

  static func bring(
    _ world: BatchWorld, _ bytes: [UInt8], _ change: (inout InstalledBase.Options) -> Void = { _ in }
  ) throws -> (report: InstalledBase.Report, faults: [InstalledFault]) {
    var options = InstalledBase.Options(appID: world.app.appID)
    change(&options)
    return try bring(options, bytes, on: world.connection)
  }

  static func bring(
    _ options: InstalledBase.Options, _ bytes: [UInt8], on connection: Connection
  ) throws -> (report: InstalledBase.Report, faults: [InstalledFault]) {
    var base = try InstalledBase(
      ByteSource(bytes), options,
      phones: PhoneNumberSeal(master: try MasterKey(bytes: [UInt8](repeating: 7, count: 32))),
      by: .commandLine, on: connection)
    var faults: [InstalledFault] = []
    while let wrong = try base.next() { faults += wrong }
    return (base.report, faults)
  }

  private func state(_ world: BatchWorld) throws -> [String] {
    try ["devices", "psids", "former_psids", "users", "group_members"].map { table in
      let rows = try world.connection.run(
        Statement(
          "state of \(table)", "SELECT coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '') FROM \(table) t"))
      return rows.text(0, 0)
    }
  }

  @Test func `a line becomes a device with its user, name, consents and groups`() throws {
    let world = try BatchWorld()
    let group = try world.connection.run(Groups.create(app: world.app.number, name: "news", parent: nil))
    let done = try Self.bring(world, Self.header + "AA01,APNS,d1,DEV,kim,Kim,3.1,Y,7\n") { $0.groups = [7: group] }
    #expect(done.report.new == 1 && done.report.lines == 1 && done.faults == [])
    let record = try #require(try world.record("d1"))
    #expect(record.userKey == UserKey(clientUID: "kim") && record.psid == "aa01" && record.environment == .sandbox)
    #expect(record.state == .active && record.identity == .open && record.attributes.appVersion == "3.1")
    #expect(record.consents.ad?.isGiven == true && record.consents.notification == nil)
    let key = Users.Key(app: world.app.number, userKey: record.userKey)
    #expect(try world.connection.run(Users.find([key]))[key]?.name == "Kim")
    #expect(try world.connection.run(Groups.ofUsers([key]))[key]?.map(\.group) == [group])
    #expect(try world.count("SELECT coalesce(sum(joined), 0)::bigint FROM statistics_minutes") == 0)
    #expect(try world.count("SELECT count(*) FROM device_notices") == 0)
    #expect(try world.count("SELECT count(*) FROM audit_log WHERE action LIKE 'registrations.%'") == 2)
  }

  @Test func `nothing is brought into an app that is being deleted, and a dry run reads on`() throws {
    let world = try BatchWorld()
    #expect(try world.connection.run(AppDeletions.ask(world.app.number, graceDays: 1, reason: "It is being deleted.")))
    let text = Self.header + "aa01,APNS,d1,DEV,kim,Kim,3.1,Y,\n"
    #expect { try Self.bring(world, text) } throws: { ($0 as? Problem)?.code == .conflict }
    #expect(try world.count("SELECT count(*) FROM devices") == 0)
    let trial = try Self.bring(world, text) { $0.isDryRun = true }
    #expect(trial.report.new == 1)
  }

  @Test func `the same file again changes nothing, and says so`() throws {
    let world = try BatchWorld()
    let group = try world.connection.run(Groups.create(app: world.app.number, name: "news", parent: nil))
    let text =
      Self.header
      + "aa01,APNS,d1,DEV,kim,Kim,3.1,Y,\(group)\naa02,APNS,d2,REAL,kim,,3.1,N,\naa03,APNS,d3,,,,,,\(group)\n"
      + "fcm:1,FCM,,UNKNOWN,lee,Lee,,,\n"
    #expect(try Self.bring(world, text).report.new == 4)
    let before = try state(world)
    let again = try Self.bring(world, text)
    #expect(again.report.unchanged == 4 && again.report.new + again.report.changed + again.report.wrong == 0)
    #expect(try state(world) == before)
  }

  @Test func `new devices come in beside known ones, with users who are known and users who are not`() throws {
    let world = try BatchWorld()
    let group = try world.connection.run(Groups.create(app: world.app.number, name: "news", parent: nil))
    try Self.bring(world, Self.header + "aa01,APNS,d1,DEV,kim,,1.0,Y,\naa02,APNS,d2,DEV,,,1.0,,\n")
    let text =
      Self.header + "aa03,APNS,d3,DEV,kim,Kim,,,\(group)\naa01,APNS,d1,DEV,kim,,2.0,,\naa04,APNS,d4,REAL,,,,,\(group)\n"
      + "fcm:5,FCM,d5,,lee,Lee,,,\(group)\nfcm:6,FCM,d6,,lee,,,N,\(group)\naa02,APNS,d7,DEV,park,,,,\n"
    let trial = try Self.bring(world, text) { $0.isDryRun = true }
    let done = try Self.bring(world, text)
    #expect(done.report.new == 5 && done.report.changed == 1 && done.faults == [], "\(done)")
    #expect(trial.report.new == 5 && trial.report.changed == 1)
    #expect(try world.count("SELECT count(*) FROM psids p JOIN devices d USING (device, psid) WHERE d.state = 1") == 6)
    #expect(try world.count("SELECT count(*) FROM devices WHERE is_imported") == 7)
    #expect(try world.record("d2")?.state == .unregistered && world.record("d7")?.psid == "aa02")
    let names = try world.connection.run(
      Statement("names", "SELECT string_agg(name, ',' ORDER BY user_key) FROM users WHERE user_key ~ '^u'"))
    #expect(names.text(0, 0) == "Kim,Lee,")
    #expect(try world.count("SELECT count(*) FROM group_members") == 3)
    #expect(try Self.bring(world, text).report.unchanged == 6)
  }

  @Test func `a dry run says the same and writes nothing`() throws {
    let world = try BatchWorld()
    let before = try state(world)
    let text = Self.header + "aa01,APNS,d1,DEV,kim,,,,\naa02,APNS,d2,,,,,,\naa02,APNS,d3,,,,,,\nxy,APNS,d4,,,,,,\n"
    let trial = try Self.bring(world, text) { $0.isDryRun = true }
    #expect(try state(world) == before)
    #expect(try world.count("SELECT count(*) FROM audit_log WHERE action LIKE 'registrations.%'") == 0)
    let done = try Self.bring(world, text)
    #expect(trial.report.new == 2 && trial.faults == done.faults && done.report.new == 2)
  }

  @Test func `a device that registers later is the same one, and keeps its user`() throws {
    let world = try BatchWorld()
    try Self.bring(world, Self.header + "aa01,APNS,d1,REAL,kim,Kim,1.0,Y,\n")
    let answer = try world.run(world.registration("d1", psid: "aa01"))[0]
    #expect(answer.isNewRegistration == false)
    let rows = try world.rows("d1")
    #expect(rows.count == 1 && rows[0].userKey == UserKey(clientUID: "kim"))
    #expect(rows[0].registeredAt == world.now && rows[0].consents.ad?.isGiven == true)
  }

  @Test func `what a device has said itself is not overwritten`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa01", user: "lee"))
    let text = Self.header + "aa01,APNS,d1,DEV,kim,Kim,,N,\naa09,APNS,d1,DEV,kim,,,,\n"
    let before = try state(world)
    let done = try Self.bring(world, text)
    #expect(done.report.kept == 1 && done.report.new + done.report.changed == 0)
    #expect(try state(world) == before)
    // With an older token in the file, and after an import.
    #expect(try Self.bring(world, Self.header + "aa08,APNS,d1,DEV,kim,,,,\n").report.kept == 1)
    #expect(try state(world) == before)
  }

  @Test func `after an import every word of the device counts: user, consent, goodbye`() throws {
    let world = try BatchWorld()
    let text = Self.header + (1...4).map { "aa0\($0),APNS,d\($0),REAL,kim\($0),,1.0,Y,\n" }.joined()
    try Self.bring(world, text)
    var change = Consents.Change()
    change.ad = false
    try world.run(
      .setUser(world.claim("d1"), NamedUser(clientUID: "park", name: "")),
      .setConsents(world.claim("d2"), change), .unregister(world.claim("d3")), .alive(world.claim("d4")))
    let before = try state(world)
    // A younger export that says otherwise of all of them.
    let other = Self.header + (1...4).map { "aa0\($0),APNS,d\($0),REAL,choi,,2.0,Y,\n" }.joined()
    let done = try Self.bring(world, other)
    #expect(done.report.kept == 4 && done.faults == [], "\(done)")
    #expect(try state(world) == before)
  }

  @Test func `an old customer is not new: neither after the import nor after the first registration here`() throws {
    let world = try BatchWorld()
    try Self.bring(world, Self.header + "aa01,APNS,d1,REAL,kim,Kim,1.0,Y,\n")
    func new() throws -> Int64 {
      try SegmentService.count(
        SegmentService.Draft(
          appID: world.app.appID, conditions: Array(#"{"registered":{"since":"2020-01-01T00:00:00Z"}}"#.utf8)),
        by: .commandLine, on: world.connection, now: world.now
      ).devices
    }
    #expect(try new() == 0)
    try world.run(world.registration("d1", psid: "aa01"), world.registration("d2", psid: "aa02", user: "lee"))
    #expect(try world.record("d1")?.registeredAt == world.now)
    #expect(try new() == 1)
  }

  @Test func `a call a second after the import is the device's word`() throws {
    let world = try BatchWorld()
    try Self.bring(world, Self.header + "aa01,APNS,d1,REAL,kim,,1.0,,\n")
    world.now = try world.connection.run(WallClock.now()) + .seconds(1)
    try world.run(.alive(world.claim("d1")))
    #expect(try Self.bring(world, Self.header + "aa01,APNS,d1,REAL,lee,,2.0,,\n").report.kept == 1)
  }

  @Test func `where each user has one device, names are held for some lines only, and all come in`() throws {
    let world = try BatchWorld(policy: .single)
    let lines = (0..<300).map { "\(String(0x1000 + $0, radix: 16)),APNS,d\($0),REAL,user\($0),,,,\n" }
    #expect(try Self.bring(world, Self.header + lines.joined()).report.new == 300)
    #expect(try world.count("SELECT count(DISTINCT xmin::text) FROM devices") == 3)
  }

  @Test func `a younger file counts as long as the device has not spoken`() throws {
    let world = try BatchWorld()
    try Self.bring(world, Self.header + "aa01,APNS,d1,REAL,kim,,1.0,,\naa02,APNS,d2,REAL,lee,,,,\n")
    // Tokens have changed hands, one is new, one device has another user.
    let done = try Self.bring(world, Self.header + "aa01,APNS,d2,REAL,lee,,,,\naa03,APNS,d1,REAL,park,,2.0,,\n")
    #expect(done.report.changed == 2 && done.faults == [], "\(done)")
    let records = [try world.record("d1"), try world.record("d2")]
    #expect(records.map { $0?.psid } == ["aa03", "aa01"] && records.allSatisfy { $0?.state == .active })
    #expect(records[0]?.userKey == UserKey(clientUID: "park") && records[0]?.attributes.appVersion == "2.0")
    #expect(try world.count("SELECT count(*) FROM psids") == 2)
    #expect(try world.count("SELECT count(*) FROM psids p JOIN devices d USING (device) WHERE p.psid = d.psid") == 2)
    // Late receipts for the former tokens are still believed.
    #expect(try world.count("SELECT count(*) FROM former_psids") == 2)
  }

  @Test func `a token of another device goes over only while that one has not spoken`() throws {
    let world = try BatchWorld()
    try Self.bring(world, Self.header + "aa01,APNS,old,REAL,kim,,,,\n")
    #expect(try Self.bring(world, Self.header + "aa01,APNS,new,REAL,kim,,,,\n").report.new == 1)
    #expect(try world.record("old")?.state == .unregistered && world.record("new")?.state == .active)
    try world.run(world.registration("own", psid: "aa02"))
    let done = try Self.bring(world, Self.header + "aa02,APNS,third,REAL,kim,,,,\n")
    #expect(done.faults.map(\.column) == ["PSID"] && done.report.new == 0)
    #expect(try world.rows("third") == [] && world.record("own")?.state == .active)
    #expect(try world.count("SELECT count(*) FROM psids") == 2)
  }

  @Test func `within a file the first line about a device or token counts, each time`() throws {
    let world = try BatchWorld()
    let text =
      Self.header + "aa01,APNS,d1,REAL,kim,,,,\naa02,APNS,d1,REAL,lee,,,,\nAA01,APNS,d2,REAL,lee,,,,\n"
    for round in 0..<2 {
      let done = try Self.bring(world, text)
      #expect((round == 0 ? done.report.new : done.report.unchanged) == 1)
      #expect(done.faults.map(\.line) == [3, 4] && done.faults.map(\.column) == ["DEVICE_ID", "PSID"])
    }
    #expect(try world.record("d1")?.userKey == UserKey(clientUID: "kim"))
  }

  @Test func `where each user has one device, the first line counts, and what registered itself stays`() throws {
    let world = try BatchWorld(policy: .single)
    let text = Self.header + "aa01,APNS,d1,REAL,kim,,,,\naa02,APNS,d2,REAL,kim,,,,\n"
    for _ in 0..<2 { #expect(try Self.bring(world, text).faults.map(\.column) == ["CUID"]) }
    #expect(try world.record("d1")?.userKey == UserKey(clientUID: "kim") && world.record("d2") == nil)
    // A younger file knows a younger device.
    #expect(try Self.bring(world, Self.header + "aa02,APNS,d2,REAL,kim,,,,\n").report.new == 1)
    #expect(try world.record("d1")?.userKey.isGuest == true)
    // What the user has by itself stays.
    try world.run(world.registration("d2", psid: "aa02", user: "kim"))
    let done = try Self.bring(world, Self.header + "aa03,APNS,d3,REAL,kim,,,,\n")
    #expect(done.faults.map(\.column) == ["CUID"] && done.report.new == 0)
    #expect(try world.record("d3") == nil && world.count("SELECT count(*) FROM psids") == 2)
  }

  @Test func `a binding is worth what the operator answers for`() throws {
    let world = try BatchWorld()
    try world.connection.script("UPDATE apps SET identity = 2")
    let text = Self.header + "aa01,APNS,d1,REAL,kim,,,,\naa02,APNS,d2,REAL,,,,,\n"
    try Self.bring(world, text)
    #expect(try world.record("d1")?.identity == .open)
    #expect(try Self.bring(world, text, { $0.isVouched = true }).report.changed == 1)
    #expect(try world.record("d1")?.identity == .proof && world.record("d2")?.identity == .open)
    #expect(try Self.bring(world, text).report.unchanged == 2)
    #expect(try world.record("d1")?.identity == .proof)
  }

  @Test func `a token that a network calls dead goes, however long ago it died`() throws {
    let world = try BatchWorld()
    let text = Self.header + "aa01,APNS,d1,REAL,kim,,,,\n"
    try Self.bring(world, text)
    let record = try #require(try world.record("d1"))
    // Before the import, but after 1970.
    #expect(record.registeredAt < 1_000_000)
    #expect(try world.count("SELECT count(*) FROM psids WHERE bound_at > 'epoch'") == 0)
    try world.connection.run(Quarantine.drop([record.device]))
    try world.connection.run(
      Tokens.retire(
        dead: [(Tokens.Claimed(app: record.app, psid: "aa01", network: .apns, device: record.device), 1_000_000)],
        at: world.now))
    #expect(try world.count("SELECT count(*) FROM psids") == 0)
    // The old file does not wake it, a younger token does.
    let dead = try Self.bring(world, Self.header + "aa01,APNS,d1,REAL,kim,,9.9,,\n")
    #expect(dead.report.kept == 1 && dead.report.changed == 0)
    #expect(try world.count("SELECT count(*) FROM psids") == 0)
    #expect(try world.record("d1")?.state == .tokenRefused)
    #expect(try Self.bring(world, Self.header + "aa02,APNS,d1,REAL,kim,,,,\n").report.changed == 1)
    #expect(try world.record("d1")?.state == .active && world.count("SELECT count(*) FROM psids") == 1)
  }

  @Test func `a name counts in whichever line of the file it is`() throws {
    let world = try BatchWorld()
    try Self.bring(world, Self.header + "aa01,APNS,d1,DEV,kim,,1.0,Y,\n")
    let done = try Self.bring(world, Self.header + "aa02,APNS,d2,DEV,kim,,1.0,Y,\naa01,APNS,d1,DEV,kim,Kim,1.0,Y,\n")
    #expect(done.report.new == 1 && done.report.changed == 1, "\(done)")
    let key = Users.Key(app: world.app.number, userKey: UserKey(clientUID: "kim"))
    #expect(try world.connection.run(Users.find([key]))[key]?.name == "Kim")
  }

  @Test func `names and numbers fill in what is missing, and replace nothing`() throws {
    let world = try BatchWorld()
    try Self.bring(world, "PSID,DEVICE_ID,CUID\naa01,d1,kim\naa02,d2,lee\n")
    let named = "PSID,DEVICE_ID,CUID,CNAME,PHONENUM\naa01,d1,kim,Kim,010-1\naa02,d2,lee,,\n"
    #expect(try Self.bring(world, named).report.changed == 1)
    #expect(try Self.bring(world, named).report.unchanged == 2)
    let others = "PSID,DEVICE_ID,CUID,CNAME,PHONENUM\naa01,d1,kim,Other,010-2\n"
    #expect(try Self.bring(world, others).report.unchanged == 1)
    let key = Users.Key(app: world.app.number, userKey: UserKey(clientUID: "kim"))
    #expect(try world.connection.run(Users.find([key]))[key]?.name == "Kim")
    let seal = PhoneNumberSeal(master: try MasterKey(bytes: [UInt8](repeating: 7, count: 32)))
    #expect(try world.connection.run(Users.phone(of: key)).flatMap { seal.open($0, of: key) } == "010-1")
  }
}

import Domain
import Foundation
import Postgres
import Store
import TestSupport
import Testing
import Time

@testable import Operations

/// What conditions mean, asked of a real database.
@Suite struct SegmentServiceTests {
  private static let now: Timestamp = 1_800_000_000_000_000

  /// Eight devices that differ in everything.
  private func world() throws -> BatchWorld {
    let world = try BatchWorld()
    world.now = Self.now
    let devices: [(id: String, user: String?, platform: String, app: String, os: String, locale: String)] = [
      ("d1", "kim", "iOS", "1.9", "17.0", "ko-KR"), ("d2", "kim", "ios", "1.10", "18.1", "ko_KR"),
      ("d3", "lee", "Android", "2.0", "14", "en-US"), ("d4", "park", "android", "2", "15", "zh-Hant-TW"),
      ("d5", nil, "ios", "v3.1-beta", "", "en"), ("d6", nil, "", "", "", ""),
      ("d7", "choi", "ios", "2.0.1", "18", "ko-KR"), ("d8", "jung", "ios", "none", "17.9.9", "es-419"),
    ]
    for (index, device) in devices.enumerated() {
      var attributes = Devices.Attributes()
      attributes.platform = device.platform
      attributes.appVersion = device.app
      attributes.osVersion = device.os
      attributes.locale = device.locale
      attributes.timeZone = index % 2 == 0 ? "Asia/Seoul" : "America/New_York"
      var consents = Consents.Change()
      if index < 3 { consents.ad = index != 1 }
      world.now = Self.now + .seconds(index * 86_400)
      try world.run(
        .register(
          Operation.Registration(
            app: world.app, device: world.device(device.id), installation: device.id, network: .apns,
            environment: .production, psid: "a\(index)", user: device.user.map { .init(clientUID: $0, name: "") },
            attributes: attributes, proof: nil, consents: consents)))
    }
    world.now = Self.now + .seconds(8 * 86_400)
    return world
  }

  private func members(_ world: BatchWorld, _ json: String) throws -> Set<String> {
    let segment = try Segment(json: Array(json.utf8))
    let found = try world.connection.run(
      Segments.read(segment, app: world.app.number, after: "", upto: "v", frozenAt: world.now, limit: 100))
    let count = try SegmentService.count(
      SegmentService.Draft(appID: world.app.appID, conditions: Array(json.utf8)), by: .commandLine,
      on: world.connection, now: world.now)
    #expect(count.devices == Int64(found.count), "\(json)")
    #expect(found.map(\.userKey) == found.map(\.userKey).sorted())
    return Set(found.map { member in (1...8).map { "d\($0)" }.first { world.device($0) == member.device } ?? "?" })
  }

  @Test func `everybody outside of a large group is found without asking each member for each device`() throws {
    let world = try BatchWorld()
    world.now = Self.now
    try world.connection.script(
      """
      INSERT INTO groups (app, name) VALUES (\(world.app.number), 'all');
      INSERT INTO group_members (app, user_key, groupseq, joined_at)
      SELECT g.app, 'u' || n, g.groupseq, to_timestamp(0) FROM groups g, generate_series(1, 200000) n;
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at)
      SELECT gen_random_uuid(), g.app, 'u' || n, 1, 1, 1, 'p' || n, 'd' || n, to_timestamp(0), to_timestamp(0),
        to_timestamp(0)
      FROM groups g, generate_series(195001, 205000) n;
      ANALYZE;
      SET statement_timeout = '5s';
      """)
    let group = try world.count("SELECT groupseq FROM groups")
    for (conditions, devices) in [(#"{"groups":["\#(group)"]}"#, 5_000), (#"{"not":{"groups":["\#(group)"]}}"#, 5_000)]
    {
      let count = try SegmentService.count(
        SegmentService.Draft(appID: world.app.appID, conditions: Array(conditions.utf8)), by: .commandLine,
        on: world.connection, now: world.now)
      #expect(count.devices == Int64(devices), "\(conditions)")
    }
  }

  @Test func `however many shapes of segments there are, a session keeps nothing prepared for them`() throws {
    let world = try world()
    for number in 1...10 {
      let parts = (0..<number).map { _ in #"{"platform":["ios"]}"# }.joined(separator: ",")
      _ = try members(world, #"{"any":[\#(parts)]}"#)
    }
    #expect(try world.count("SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'segment-%'") == 0)
  }

  @Test func `every condition means what it says`() throws {
    let world = try world()
    _ = try TagService.change(
      change(["vip"]), of: .users(["kim", "lee"]), in: world.app.appID, by: .commandLine, on: world.connection)
    _ = try TagService.change(
      change(["tester", "staff"]), of: .devices([world.device("d2"), world.device("d5")]), in: world.app.appID,
      by: .commandLine, on: world.connection)
    let group = try world.connection.run(Groups.create(app: world.app.number, name: "top", parent: nil))
    let below = try world.connection.run(Groups.create(app: world.app.number, name: "below", parent: group))
    try world.run(.join(world.claim("d4"), group: below))
    let day = { (number: Int) in (Self.now + .seconds(number * 86_400)).description }
    for (json, expected) in [
      (#"{"platform":["IOS"]}"#, "d1 d2 d5 d7 d8"), (#"{"appVersion":{"from":"1.10"}}"#, "d2 d3 d4 d5 d7"),
      (#"{"appVersion":{"from":"2","upTo":"2.0.0"}}"#, "d3 d4"), (#"{"appVersion":{"before":"1.10"}}"#, "d1"),
      (#"{"not":{"appVersion":{"before":"1.10"}}}"#, "d2 d3 d4 d5 d6 d7 d8"),
      (#"{"osVersion":{"from":"17.9","before":"18.1"}}"#, "d7 d8"), (#"{"language":["ko"]}"#, "d1 d2 d7"),
      (#"{"country":["kr"]}"#, "d1 d2 d7"), (#"{"country":["TW","419"]}"#, "d4 d8"),
      (#"{"not":{"country":["KR"]}}"#, "d3 d4 d5 d6 d8"), (#"{"timeZone":["Asia/Seoul"]}"#, "d1 d3 d5 d7"),
      (#"{"member":false}"#, "d5 d6"), (#"{"member":true,"platform":["android"]}"#, "d3 d4"),
      (#"{"consent":{"ad":true}}"#, "d1 d3"), (#"{"consent":{"ad":false}}"#, "d2"),
      (#"{"tags":{"any":["vip"]}}"#, "d1 d2 d3"), (#"{"tags":{"all":["vip","tester"]}}"#, "d2"),
      (#"{"tags":{"any":["vip","tester"],"none":["staff"]}}"#, "d1 d3"),
      (#"{"tags":{"none":["vip"]}}"#, "d4 d5 d6 d7 d8"),
      (#"{"clientUids":["kim","choi"]}"#, "d1 d2 d7"), (#"{"groups":["\#(group)"]}"#, "d4"),
      (#"{"not":{"groups":["\#(group)"]},"member":true}"#, "d1 d2 d3 d7 d8"),
      (#"{"registered":{"since":"\#(day(5))"}}"#, "d6 d7 d8"), (#"{"registered":{"before":"\#(day(1))"}}"#, "d1"),
      (#"{"seen":{"within":"P2D"}}"#, "d4 d7 d8"), (#"{"seen":{"notWithin":"P7D"}}"#, "d1"),
      (#"{"any":[{"clientUids":["lee"]},{"all":[{"language":["en"]},{"member":false}]}]}"#, "d3 d5"),
      (#"{"platform":["'; DROP TABLE devices; --"]}"#, ""), (#"{"clientUids":["\") OR true --"]}"#, ""),
    ] {
      #expect(try members(world, json) == Set(expected.split(separator: " ").map(String.init)), "\(json)")
    }
  }

  private func change(_ add: [String], remove: [String] = [], replaces: Bool = false) -> TagService.Change {
    var change = TagService.Change()
    change.add = add
    change.remove = remove
    change.replaces = replaces
    return change
  }

  @Test func `tags are added, removed and replaced, and repeating it changes nothing`() throws {
    let world = try world()
    func tag(_ change: TagService.Change, _ owners: TagService.Owners) throws -> TagService.Changed {
      try TagService.change(change, of: owners, in: world.app.appID, by: .commandLine, on: world.connection)
    }
    func tags(_ owner: TagService.Owners) throws -> [String] {
      try TagService.list(owner, in: world.app.appID, by: .commandLine, on: world.connection).tags
    }
    #expect(try tag(change(["b", "a", "a"]), .users(["kim", "new"])).count == 2)
    #expect(try tag(change(["a", "c"], remove: ["b"]), .users(["kim"])).count == 1)
    #expect(try tags(.users(["kim"])) == ["a", "c"])
    #expect(try tags(.users(["new"])) == ["a", "b"])
    let stranger = DeviceID(high: 1, low: 1)
    #expect(try tag(change(["x"]), .devices([world.device("d1"), stranger])).unknown == [stranger.description])
    #expect(try tag(change(["y"], replaces: true), .devices([world.device("d1")])).count == 1)
    #expect(try tags(.devices([world.device("d1")])) == ["y"])
    #expect(
      try TagService.all(in: world.app.appID, by: .commandLine, on: world.connection).tags == ["a", "b", "c", "y"])
    // A registration leaves them alone.
    try world.run(world.registration("d1", psid: "a0"))
    #expect(try tags(.devices([world.device("d1")])) == ["y"])
    #expect(throws: Problem.self) { try tag(change((0...100).map { "t\($0)" }), .users(["kim"])) }
    #expect(try tags(.users(["kim"])) == ["a", "c"])
    #expect(try world.count("SELECT count(*) FROM devices") == 8)
  }

  @Test func `a version is compared as numbers`() throws {
    let world = try BatchWorld()
    for (text, parts) in [
      ("1.10", "{1,10}"), ("1.0.0", "{1}"), ("0.0", "{0}"), ("v2.3-rc1", "{2,3}"), ("10", "{10}"), ("1.0.1", "{1,0,1}"),
    ] {
      #expect(
        try world.count("SELECT count(*) FROM (SELECT 1 WHERE version_parts('\(text)') = '\(parts)') x") == 1, "\(text)"
      )
    }
    for text in ["", "beta", ".1", "x1"] {
      #expect(
        try world.count("SELECT count(*) FROM (SELECT 1 WHERE version_parts('\(text)') IS NULL) x") == 1, "\(text)")
    }
  }
}

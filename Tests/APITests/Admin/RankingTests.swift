import Domain
import HTTPClient
import Operations
import Postgres
import Store
import TestSupport
import Testing

@testable import API

/// The ranking of campaigns, read times, and their files.
@Suite struct RankingTests {
  private let world: AdminWorld
  private let key: String

  init() throws {
    world = try AdminWorld()
    key = try world.key(.viewer)
    try world.connection.script(
      """
      INSERT INTO messages (seqno, created_at, expires_at, targeted, app, state, lane, purpose, request)
      SELECT n, timestamptz '2026-03-01T00:00:00Z' + n * interval '1 hour', '2026-12-01', 100, 1, 1, 1, 0,
        json_build_object('alert', CASE WHEN n = 2 THEN '=2+3' ELSE 'Offer ' || n END)
      FROM generate_series(1, 5) n;
      INSERT INTO message_totals (seqno, writer, accepted, received, read)
      SELECT n, 1, 100, 50, 10 * n FROM generate_series(1, 5) n;
      INSERT INTO statistics_hours (app, at, network, lane, app_version, reason, accepted, rejected, expired, cancelled,
        skipped, received, read, joined, "left")
      VALUES (1, '2026-03-02T00:00:00Z', 1, 1, '', '', 7, 0, 0, 0, 0, 5, 3, 0, 0);
      INSERT INTO statistics_days SELECT (jsonb_populate_record(h, '{"at":"2026-03-01T15:00:00Z"}')).*
      FROM statistics_hours h
      """)
  }

  private static let period = "from=2026-03-01T00:00:00Z&to=2026-03-31T00:00:00Z"

  private func get(_ target: String) throws -> HTTPResponse {
    try world.call("GET", "/v1/admin/\(target)", key: key, type: nil)
  }

  @Test func `pages continue where the last ended, and the file has the same order`() throws {
    let first = try get("statistics/campaigns?sort=read&limit=3&\(Self.period)")
    #expect(first.status == 200, "\(first.text)")
    func seqnos(_ text: String) -> [Substring] {
      text.split(separator: "\"seqno\":\"").dropFirst().map { $0.prefix { $0 != "\"" } }
    }
    #expect(seqnos(first.text) == ["5", "4", "3"])
    let cursor = try #require(first.text.split(separator: "\"nextCursor\":\"").last?.prefix { $0 != "\"" })
    #expect(
      seqnos(try get("statistics/campaigns?sort=read&limit=3&\(Self.period)&cursor=\(cursor)").text) == ["2", "1"])
    let file = try get("exports/campaigns?sort=read&\(Self.period)")
    let lines = file.text.split(separator: "\r\n")
    #expect(file.body.prefix(3) == [0xEF, 0xBB, 0xBF])
    #expect(lines.dropFirst().map { $0.prefix { $0 != "," } } == ["5", "4", "3", "2", "1"])
    // A title that a spreadsheet would run is defused.
    #expect(lines[4].contains("\"'=2+3\""), "\(lines)")
  }

  @Test func `the server's state is for operators of all apps`() throws {
    for (role, app) in [(Role.viewer, String?.none), (.operator, "com.example.bank")] {
      let answer = try world.call("GET", "/v1/admin/server", key: try world.key(role, app: app), type: nil)
      #expect(answer.isProblem(.forbidden), "\(role): \(answer.text)")
    }
    let answer = try world.call("GET", "/v1/admin/server", key: try world.key(.operator, app: nil), type: nil)
    #expect(answer.status == 200, "\(answer.text)")
    #expect(answer.text.contains(#""complaints":["It rains."],"nodes":[],"database":{"version":""#), "\(answer.text)")
    #expect(answer.text.contains(#"{"name":"a_total","labels":{"kind":"x\"y"},"value":2.0}"#), "\(answer.text)")
    #expect(answer.text.contains(#"{"name":"b_seconds_count","labels":{},"value":1.0}"#), "\(answer.text)")
    #expect(answer.text.contains("b_seconds_p99"), "\(answer.text)")
    #expect(answer.text.contains(#""replicationSeconds":null,"bytes":"#), "\(answer.text)")
    let node = UUIDValue(high: 7, low: 8)
    _ = try world.connection.run(Nodes.beat(node, seconds: 60))
    try world.connection.run(Nodes.describe(node, host: "push-1", version: "1.2.3"))
    let nodes = try world.call("GET", "/v1/admin/server", key: try world.key(.operator, app: nil), type: nil).text
    #expect(nodes.contains(#""host":"push-1","version":"1.2.3","startedAt":"20"#), "\(nodes)")
    #expect(nodes.contains(#""claims":0,"claimedDevices":0}"#), "\(nodes)")
  }

  @Test func `a report says whose days it counts`() throws {
    let one = "statistics?by=day&appId=com.example.bank&\(Self.period)"
    let known = try get(one)
    #expect(known.text.contains(#""timeZone":"Asia/Seoul","total":"#), "\(known.text)")
    // PostgreSQL's data are others than those with which the app was made.
    try world.connection.script("UPDATE apps SET time_zone = 'Mars/Base' WHERE app = 1")
    let unknown = try get(one)
    #expect(unknown.text.contains(#""timeZone":"UTC","total":"#), "\(unknown.text)")
    try world.connection.script(
      """
      INSERT INTO apps (app_id, name, client_key, time_zone)
      VALUES ('com.example.paris', '', 'paris', 'Europe/Paris');
      INSERT INTO time_zones (name) VALUES ('Europe/Paris') ON CONFLICT DO NOTHING
      """)
    let all = try world.call(
      "GET", "/v1/admin/statistics?by=day&\(Self.period)", key: try world.key(.viewer, app: nil), type: nil)
    #expect(all.text.contains(#""timeZone":null,"total":"#), "\(all.text)")
  }

  @Test func `hours are the app's, and the file of statistics names its clock`() throws {
    let times = try get("statistics/hours?\(Self.period)")
    #expect(times.text.contains(#""items":[{"weekday":1,"hour":9,"received":5,"read":3}]"#), "\(times.text)")
    let file = try get("exports/statistics?by=month&\(Self.period)")
    #expect(
      file.text.contains("\r\n2026-02-28T15:00:00.000Z,2026-03-01 00:00,Asia/Seoul,month,7,0,0,0,0,5,3,0,0\r\n"),
      "\(file.text)")
  }

  @Test func `parameters without a sense are refused`() throws {
    let refused: [(target: String, code: Problem.Code)] = [
      ("campaigns?sort=size", .invalidField), ("campaigns?kind=spam", .invalidField),
      ("campaigns?from=yesterday", .invalidField), ("campaigns?cursor=AAAA", .invalidField),
      ("campaigns?cursor=MTA0", .invalidField), ("campaigns?limit=0", .invalidField),
      ("campaigns?sort=read;drop", .invalidField), ("campaigns?appId=com.example.other", .unknownApp),
      ("campaigns?from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z", .impossible),
      ("campaigns?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", .impossible),
      ("hours?from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z", .impossible), ("hours?to=x", .invalidField),
    ]
    for (target, code) in refused {
      let answer = try get("statistics/\(target)")
      #expect(answer.isProblem(code), "\(target): \(answer.text)")
    }
  }
}

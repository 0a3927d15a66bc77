import Domain
import Postgres
import Store
import TestSupport
import Testing
import Time

@testable import Operations

@Suite struct ReportServiceTests {
  let world: BatchWorld

  init() throws {
    world = try BatchWorld()
    try world.populate()
  }

  private func json(_ answer: some JSONAnswer) -> String { String(decoding: answer.json, as: UTF8.self) }

  private func problem(_ body: () throws(Problem) -> Void) -> Problem.Code? {
    do throws(Problem) {
      try body()
      return nil
    } catch {
      return error.code
    }
  }

  /// Writes outcomes of message 1 with their totals, as the dispatcher does.
  private func write(_ records: [Outcomes.Record]) throws {
    _ = try world.connection.run(Outcomes.write(records, at: world.now))
    var increase = Outcomes.Increase()
    for record in records { increase.count(record.status, reason: record.reason) }
    for query in Outcomes.add([1: increase], writer: 1) { try world.connection.run(query) }
  }

  private func outcome(_ installation: String, _ status: OutcomeStatus, _ reason: String? = nil) throws
    -> Outcomes.Record
  {
    let record = try #require(try world.record(installation))
    return Outcomes.Record(
      seqno: 1, device: record.device, userKey: record.userKey, status: status, attempts: 1, reason: reason, dueAt: nil)
  }

  @Test func `a fresh message is all pending`() throws {
    _ = try world.send(world.request(#"{"all":true}"#))
    try world.connection.script(
      "UPDATE messages SET created_at = '2026-12-24T09:00:00Z', request = '{\"alert\": \"B\"}'")
    #expect(
      try json(ReportService.funnel(1, for: .commandLine, on: world.connection))
        == #"{"seqno":"1","state":"queued","targeted":4,"pending":4,"accepted":0,"rejected":0,"expired":0,"#
        + #""cancelled":0,"skipped":0,"received":0,"read":0,"unknown":0,"resent":0,"reasons":{},"#
        + #""appId":"com.example.bank","alert":"B","createdAt":"2026-12-24T09:00:00.000Z"}"#)
  }

  @Test func `shards are told page by page, with the sums of all`() throws {
    _ = try world.send(world.request(#"{"all":true}"#))
    func shards(_ limit: String, _ cursor: String? = nil) throws -> String {
      let page = try PageRequest(limit: limit, cursor: cursor)
      return json(try ReportService.shards(of: 1, page, for: .commandLine, on: world.connection))
    }
    #expect(
      try shards("2")
        == #"{"seqno":"1","planned":false,"shards":0,"exhausted":0,"targeted":0,"claimed":0,"items":[],"#
        + #""nextCursor":null}"#)
    try world.connection.script(
      """
      UPDATE messages SET planned = true;
      INSERT INTO shards (seqno, shard, after_key, upto_key, targeted, claimed, exhausted)
      VALUES (1, 0, '', 'a', 20, 20, true), (1, 1, 'a', 'b', 30, 12, false), (1, 2, 'b', 'c', 7, 0, false);
      """)
    let sums = #"{"seqno":"1","planned":true,"shards":3,"exhausted":1,"targeted":57,"claimed":32,"items":["#
    #expect(
      try shards("2")
        == sums + #"{"shard":0,"wave":0,"targeted":20,"claimed":20,"exhausted":true},"#
        + #"{"shard":1,"wave":0,"targeted":30,"claimed":12,"exhausted":false}],"nextCursor":"\#(PageRequest.cursor(behind: "2"))"}"#
    )
    #expect(
      try shards("2", PageRequest.cursor(behind: "2"))
        == sums + #"{"shard":2,"wave":0,"targeted":7,"claimed":0,"exhausted":false}],"nextCursor":null}"#)
    #expect(try shards("1", PageRequest.cursor(behind: "1")).contains(#""items":[{"shard":1,"#))
    #expect(try shards("2", PageRequest.cursor(behind: "9")).hasSuffix(#""items":[],"nextCursor":null}"#))
    #expect(problem { () throws(Problem) in _ = try Self.shards(2, world) } == .unknownMessage)
    let stranger = Caller(role: .viewer, app: world.app.number + 1, apiKey: nil)
    #expect(problem { () throws(Problem) in _ = try Self.shards(1, world, for: stranger) } == .unknownMessage)
    for wrong in ["x", "0", "2", "MQ==", "M+"] + ["0", "x", "99999999999"].map(PageRequest.cursor) {
      #expect(problem { () throws(Problem) in _ = try Self.shards(1, world, cursor: wrong) } == .invalidField)
    }
  }

  private static func shards(
    _ seqno: Seqno, _ world: BatchWorld, for caller: Caller = .commandLine, cursor: String? = nil
  ) throws(Problem) -> ReportService.ShardsAnswer {
    try ReportService.shards(of: seqno, PageRequest(cursor: cursor), for: caller, on: world.connection)
  }

  @Test func `outcomes, receipts and reads are counted, and the sum holds`() throws {
    _ = try world.send(world.request(#"{"all":true}"#))
    try write([
      outcome("phone", .accepted), outcome("pad", .rejected, "Unregistered"), outcome("guest", .skipped, "gone"),
    ])
    try world.run(world.receipt(1, psid: "aa"))
    try world.run(world.read(1, psid: "aa"))
    let funnel = try ReportService.funnel(1, for: .commandLine, on: world.connection).funnel
    #expect(funnel.targeted == 4 && funnel.pending == 1)
    #expect(funnel.accepted == 1 && funnel.rejected == 1 && funnel.skipped == 1)
    #expect(funnel.received == 1 && funnel.read == 1)
    let text = try json(ReportService.funnel(1, for: .commandLine, on: world.connection))
    #expect(text.contains("\"Unregistered\""))
    #expect(text.contains("\"gone\""))
  }

  @Test func `a message that is not there, or another app's, does not exist`() throws {
    _ = try world.send(world.request(#"{"all":true}"#))
    let foreign = Caller(role: .admin, app: world.app.number + 1, apiKey: 1)
    #expect(
      problem { () throws(Problem) in _ = try ReportService.funnel(2, for: .commandLine, on: world.connection) }
        == .unknownMessage)
    #expect(
      problem { () throws(Problem) in _ = try ReportService.funnel(1, for: foreign, on: world.connection) }
        == .unknownMessage)
    #expect(
      problem { () throws(Problem) in
        _ = try ReportService.deliveries(of: 1, PageRequest(), for: foreign, on: world.connection)
      } == .unknownMessage)
  }

  @Test func `deliveries say how each device stands`() throws {
    _ = try world.send(world.request(#"{"all":true}"#))
    try write([outcome("phone", .accepted), outcome("guest", .rejected, "BadDeviceToken")])
    let sentAt = world.now.description
    world.now += .milliseconds(1_500)
    try world.run(world.receipt(1, psid: "aa"))
    let answer = try ReportService.deliveries(of: 1, PageRequest(), for: .commandLine, on: world.connection)
    let text = json(answer)
    #expect(
      text.contains(
        "{\"device\":\"\(world.device("phone"))\",\"clientUid\":\"kim\",\"status\":\"accepted\",\"reason\":null,"
          + "\"attempts\":1,\"at\":\"\(sentAt)\",\"receivedAt\":\"\(world.now)\",\"readAt\":null}"))
    #expect(text.contains("\"clientUid\":null,\"status\":\"rejected\",\"reason\":\"BadDeviceToken\""))
    #expect(text.hasSuffix(#""nextCursor":null}"#))
  }

  @Test func `pages follow each other without gap or repeat`() throws {
    _ = try world.send(world.request(#"{"all":true}"#))
    try write(["phone", "pad", "other", "guest"].map { try outcome($0, .accepted) })
    var seen: [DeviceID] = []
    var cursor: String?
    repeat {
      let page = try ReportService.deliveries(
        of: 1, PageRequest(limit: "2", cursor: cursor), for: .commandLine, on: world.connection)
      #expect(page.items.count == 2)
      seen += page.items.map(\.device)
      cursor = page.nextCursor
    } while cursor != nil
    #expect(seen == ["phone", "pad", "other", "guest"].map { world.device($0) }.sorted())
  }

  @Test func `deliveries can be asked for by status`() throws {
    _ = try world.send(world.request(#"{"all":true}"#))
    try write([outcome("phone", .accepted), outcome("pad", .rejected, "x"), outcome("other", .deferred, "y")])
    for (status, installation) in [("accepted", "phone"), ("rejected", "pad"), ("pending", "other")] {
      let page = try ReportService.deliveries(
        of: 1, PageRequest(status: status), for: .commandLine, on: world.connection)
      #expect(page.items.map(\.device) == [world.device(installation)])
    }
  }

  @Test func `a limit outside 1 to 1000 is refused`() {
    for limit in ["0", "1001", "-1", "x", "", "1.5"] {
      #expect(problem { () throws(Problem) in _ = try PageRequest(limit: limit) } == .invalidField, "\(limit)")
    }
  }

  @Test func `other words in the query are refused`() throws {
    #expect(try PageRequest(limit: "1000").limit == 1000)
    #expect(problem { () throws(Problem) in _ = try PageRequest(status: "deferred") } == .invalidField)
    _ = try world.send(world.request(#"{"all":true}"#))
    #expect(
      problem { () throws(Problem) in
        _ = try ReportService.deliveries(of: 1, PageRequest(cursor: "x"), for: .commandLine, on: world.connection)
      } == .invalidField)
  }
}

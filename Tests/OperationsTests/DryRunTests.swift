import Domain
import JSON
import Testing

@testable import Operations

@Suite struct DryRunTests {
  let world: BatchWorld

  init() throws {
    world = try BatchWorld()
    try world.populate()
  }

  private func dryRun(_ audience: String, _ members: String) throws -> DryRun {
    guard case .tried(let dryRun) = try world.send(world.request(audience, members + #","dryRun":true"#)) else {
      throw Problem(.internalError, "it was sent")
    }
    return dryRun
  }

  @Test func `the answer has the fields of a send, the payload and no refusal`() throws {
    let dryRun = try dryRun(#"{"clientUids":["kim","nobody"]}"#, #""alert":"Hi %CNAME%","badge":{"increment":1}"#)
    let json = String(decoding: SendAnswer.tried(dryRun).json, as: UTF8.self)
    #expect(
      json.hasPrefix(#"{"seqno":null,"state":"dry-run","targeted":2,"unknown":["nobody"],"payloads":[{"pnsId":"APNS","#)
    )
    #expect(
      json.contains(#""payload":{"aps":{"alert":"Hi Name of kim","mutable-content":1,"badge":1,"sound":"default"}"#))
    #expect(json.hasSuffix(#""refusals":[]}"#))
    var reader = JSONReader(Array(json.utf8))
    try reader.skip()
    try reader.finish()
  }

  @Test(arguments: [
    #""sendAt":"2027-01-13T08:00:00Z""#, #""sendAt":"2029-01-15T08:00:00Z""#, #""localTime":"2027-01-10T08:00""#,
    #""sendAt":"2027-01-16T08:00:00Z","repeat":{"every":"day","until":"2027-01-15"}"#,
  ])
  func `a time that a send is refused for is refused with the same words`(time: String) throws {
    let send = try #require(world.sendProblem(world.request(#"{"all":true}"#, #""alert":"hi",\#(time)"#)))
    let dry = try #require(world.sendProblem(world.request(#"{"all":true}"#, #""alert":"hi","dryRun":true,\#(time)"#)))
    #expect(send.code == .impossible && dry.code == send.code)
    #expect(dry.fields.map(\.detail) == send.fields.map(\.detail) && !dry.fields.isEmpty)
  }

  @Test func `nothing is stored and no count moves`() throws {
    _ = try dryRun(#"{"all":true}"#, #""alert":"hi","badge":{"increment":1}"#)
    #expect(try world.count("SELECT count(*) FROM messages") == 0)
    #expect(try world.badge("kim") == 0)
  }

  @Test func `the count shown is the one that would be sent`() throws {
    try world.setBadge("kim", 999)
    let many = try dryRun(#"{"clientUids":["kim"]}"#, #""alert":"hi","badge":{"increment":5}"#)
    #expect(String(decoding: try #require(many.samples.first).payload, as: UTF8.self).contains(#""badge":1000"#))
  }

  @Test func `one payload for each push network`() throws {
    let dryRun = try dryRun(#"{"all":true}"#, #""alert":"hi""#)
    #expect(dryRun.samples.map(\.network) == [.apns])
    #expect(dryRun.targeted == 4)
  }

  @Test func `an audience of nobody has no payload`() throws {
    let dryRun = try dryRun(#"{"clientUids":["nobody"]}"#, #""alert":"hi""#)
    #expect(dryRun.samples.isEmpty)
    #expect(dryRun.targeted == 0)
  }

  @Test func `what would be refused is listed, not thrown`() throws {
    let dryRun = try dryRun(#"{"all":true}"#, "\"alert\":\"\(String(repeating: "x", count: 4096))\"")
    #expect(dryRun.refusals.map(\.code) == [.payloadTooLarge])
    #expect(
      String(decoding: SendAnswer.tried(dryRun).json, as: UTF8.self).contains(#""type":"upmc:payload-too-large""#))
  }

  @Test func `the send date is the app's hour`() throws {
    // 1,800,000,000 is 2027-01-15T08:00:00Z, which is 17 o'clock in Seoul.
    let dryRun = try dryRun(#"{"clientUids":["kim"]}"#, #""alert":"hi""#)
    #expect(
      String(decoding: try #require(dryRun.samples.first).payload, as: UTF8.self).contains(#""senddate":"2027011517""#))
  }
}

import Foundation
import Testing

/// Each controller of the protocol, called well and badly; and what nobody should send.
@Suite(.serialized) struct SDKTableTests {
  private struct Line: Sendable {
    let controller: String
    var good: [String: String] = [:]
    /// The result code of the good call.
    var expected = "0000"
    /// Calls that are wrong, with their codes.
    var bad: [([String: String], String)] = []
  }

  private static let token = World.token("a1")

  /// In an order in which each good call can be carried out.
  private static let lines: [Line] = [
    Line(
      controller: "asking_authorization",
      bad: [
        (["PSID": ""], "400"), (["PSID": "xyz", "PNSID": "APNS"], "400"), (["APP_ID": ""], "500"),
        (["APP_ID": "gone"], "4444"),
      ]),
    Line(
      controller: "rcv_register_service", good: ["DEVICE_TYPE": "I", "APNS_MODE": "REAL"],
      bad: [
        (["DEVICE_TYPE": "X"], "500"), (["APNS_MODE": "TEST"], "500"), (["PSID": "1"], "400"),
        (["AUTHKEY": ""], "40100"),
        (["OS_VER": String(repeating: "9", count: 200)], "500"), (["PNSID": "UPNS"], "500"),
      ]),
    Line(
      controller: "rcv_register_user", good: ["CUID": "kim", "CNAME": "Kim"],
      bad: [(["CUID": ""], "500"), (["CUID": String(repeating: "k", count: 257)], "500"), (["AUTHKEY": "x"], "40100")]),
    Line(
      controller: "new_rcv_register_service_and_user", good: ["CUID": "kim", "CNAME": "Kim"],
      bad: [(["CUID": ""], "500"), (["CUID": "TMP0"], "500"), (["CNAME": String(repeating: "k", count: 257)], "500")]),
    Line(controller: "rcv_register_service_and_user", good: ["CUID": "kim"], bad: [(["AUTHKEY": ""], "40100")]),
    Line(controller: "rcv_get_service", bad: [(["AUTHKEY": ""], "40100"), (["PNSID": "WPNS"], "500")]),
    Line(
      controller: "rcv_register_usergroup", good: ["GROUPNAME": "news"],
      bad: [
        (["GROUPNAME": ""], "500"), (["GROUPNAME": "x", "PARENTSEQ": "999"], "500"),
        (["GROUPNAME": "x", "APP_ID": "gone"], "4444"),
      ]),
    Line(controller: "rcv_get_usergroup", bad: [(["APP_ID": "gone"], "4444"), (["LAST_GROUPSEQ": "x"], "500")]),
    Line(
      controller: "rcv_register_usergroup_user", good: ["GROUPSEQ": "1"],
      bad: [
        (["GROUPSEQ": ""], "500"), (["GROUPSEQ": "x"], "500"), (["GROUPSEQ": "77"], "500"),
        (["CUID": "lee", "GROUPSEQ": "1"], "40300"),
      ]),
    Line(
      controller: "rcv_get_usergroup_user", good: ["GROUPSEQ": "1"],
      bad: [
        (["GROUPSEQ": "77"], "500"), (["GROUPSEQ": ""], "500"),
        (["LAST_CUID": String(repeating: "k", count: 257)], "500"),
      ]),
    Line(
      controller: "rcv_delete_usergroup_user", good: ["GROUPSEQ": "1"],
      bad: [(["GROUPSEQ": "0"], "500"), (["GROUPSEQ": "77"], "500"), (["GROUPSEQ": "1", "AUTHKEY": ""], "40100")]),
    Line(controller: "rcv_delete_usergroup", good: ["GROUPSEQ": "1"], bad: [(["GROUPSEQ": "1"], "500")]),
    Line(
      controller: "rcv_register_message", good: ["CUID": "kim", "MESSAGE": "Hi"],
      bad: [
        (["CUID": "kim"], "500"), (["CUID": "no", "MESSAGE": "Hi"], "4400"),
        (["CUID": "kim", "MESSAGE": "Hi", "SENDERCODE": "device-ios"], "50300"),
      ]),
    Line(
      controller: "rcv_register_groupmessage", good: ["TYPE": "A", "MESSAGE": "Hi"],
      bad: [
        (["TYPE": "G", "MESSAGE": "Hi"], "500"), (["TYPE": "A", "GROUPSEQ": "1", "MESSAGE": "Hi"], "500"),
        (["TYPE": "X", "MESSAGE": "Hi"], "500"), (["TYPE": "G", "GROUPSEQ": "77", "MESSAGE": "Hi"], "4400"),
      ]),
    Line(
      controller: "rcv_register_csvmessage", good: ["MESSAGE": "Hi"], expected: "500",
      bad: [(["upload_file": "kim"], "500")]),
    Line(
      controller: "rcv_register_sent_ack", good: ["SEQNO": "1", "STATUS_KIND": "2"],
      bad: [
        (["SEQNO": ""], "500"), (["SEQNO": "x"], "500"), (["SEQNO": "1", "STATUS_KIND": "3"], "500"),
        (["SEQNO": "1", "AUTHKEY": ""], "40100"),
      ]),
    Line(
      controller: "rcv_register_send_result", good: ["SEQNO": "1", "STATUS_KIND": "3", "BADGENO": "0"],
      bad: [
        (["SEQNO": "1", "BADGENO": "2000"], "500"), (["SEQNO": "999"], "500"), (["SEQNO": "1", "PSID": ""], "500"),
      ]),
    Line(
      controller: "rcv_init_badgeNo", good: ["BADGENO": "0"],
      bad: [
        (["BADGENO": ""], "500"), (["BADGENO": "1001"], "500"), (["BADGENO": "-1"], "500"),
        (["BADGENO": "1", "CUID": "lee"], "40300"),
      ]),
    Line(
      controller: "rcv_getSentMsgInfo", good: ["SEQNO": "1"], bad: [(["SEQNO": "999"], "500"), (["SEQNO": ""], "500")]),
    Line(controller: "rcv_retry_message", good: ["SEQNO": "1", "RETRY_TYPE": "1"], bad: [(["SEQNO": "1"], "500")]),
    Line(
      controller: "rcv_message_cancel_reservation", good: ["RESERVE_SEQNO": "1"], expected: "500",
      bad: [(["RESERVE_SEQNO": "999"], "500"), (["RESERVE_SEQNO": ""], "500")]),
    Line(controller: "rcv_comm_configuration"), Line(controller: "reAllocateUpns"), Line(controller: "putAppLog"),
    Line(controller: "rcv_appAlive", bad: [(["AUTHKEY": ""], "40100")]),
    Line(controller: "rcv_delete_user", bad: [(["CUID": "lee"], "0000"), (["AUTHKEY": "y"], "40100")]),
    Line(controller: "rcv_delete_service", bad: [(["AUTHKEY": ""], "40100"), (["APP_ID": "gone"], "4444")]),
  ]

  @Test func `every controller does its work, and says what is wrong with a wrong call`() throws {
    let world = try World.with("UPMC_CTL_TRUSTED_SENDERS", "127.0.0.1")
    let app = SDKClient(
      port: world.port, appID: World.appID, psid: Self.token, deviceID: "D1", cuid: "GUEST")
    for line in Self.lines {
      let service = "\(line.controller).ctl"
      let answer = try app.call(service, line.good)
      #expect(answer.status == 200 && answer.code == line.expected && answer.service == service, "\(answer)")
      #expect(answer.head.contains("Content-Type: application/json;charset=UTF-8"), "\(answer.head)")
      // What was sent must have ended before the next line looks at it.
      if line.controller == "rcv_register_message" { _ = try world.finished("1") }
      for (fields, code) in line.bad {
        let refused = try app.post(service, ["AUTHKEY": app.authKey ?? ""].merging(fields) { $1 })
        #expect(refused.status == 200 && refused.code == code, "\(service) \(fields): \(refused)")
        #expect(refused.service == service && refused.body != nil)
        #expect(code == "0000" || refused.reason?.isEmpty == false)
      }
    }
  }

  @Test func `what is no call at all gets an HTTP error in the same envelope`() throws {
    let world = try World()
    let app = SDKClient(port: world.port, appID: World.appID, psid: Self.token, deviceID: "D1")
    let unknown = try app.post("rcv_unknown.ctl")
    #expect(unknown.status == 404 && unknown.code == "500", "\(unknown)")
    let get = try app.exchange("rcv_get_service.ctl", nil, [], method: "GET")
    #expect(get.status == 405 && get.head.contains("Allow: POST") && get.code == "500", "\(get)")
    app.context = "/v1"
    #expect(try app.post("rcv_get_service.ctl").status == 404)
    app.context = "/%75pmc/.."
    #expect(try app.post("asking_authorization.ctl").status == 400)
  }

  @Test func `hostile input is refused in words, and changes nothing`() throws {
    let world = try World()
    let app = SDKClient(port: world.port, appID: World.appID, psid: Self.token, deviceID: "D1", cuid: "kim")
    #expect(try app.call("new_rcv_register_service_and_user.ctl", ["CNAME": "Kim"]).isOK)
    let before = try snapshot(world)
    let key = SDKClient.escape(app.authKey ?? "")
    let start = "APP_ID=\(World.appID)&PSID=\(Self.token)&DEVICE_ID=D1&PNSID=APNS&AUTHKEY=\(key)&"
    let plain = "application/x-www-form-urlencoded"
    for body in [
      "CUID=lee%", "CUID=lee%0", "CUID=%zz", "CUID=%ff%fe", "CUID=a%00b", "CUID=lee&CUID=kim2", "%=1&CUID=lee",
      "CUID=" + String(repeating: "x", count: 50_000), "CUID=lee&CNAME=" + String(repeating: "%EA%B0%80", count: 300),
      String(repeating: "a=1&", count: 2) + (0..<200).map { "f\($0)=1" }.joined(separator: "&") + "&CUID=lee",
    ] {
      let answer = try app.exchange("rcv_register_user.ctl", plain, start + body)
      #expect(
        answer.status == 200 && answer.code == "500" && answer.reason?.isEmpty == false, "\(body.prefix(60)): \(answer)"
      )
    }
    let nul = try app.exchange("rcv_register_user.ctl", plain, Array((start + "CUID=").utf8) + [0])
    #expect(nul.code == "500")
    for (type, body) in [
      ("multipart/form-data", "--x\r\n"), ("multipart/form-data; boundary=x", start + "CUID=lee"),
      ("multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"CUID\"\r\n\r\nlee"),
      ("multipart/form-data; boundary=" + String(repeating: "x", count: 200), "--x--"),
      ("application/json", #"{"CUID":"lee"}"#), ("text/plain", start + "CUID=lee"),
      ("application/x-www-form-urlencoded; charset=EUC-KR", start + "CUID=lee"),
    ] {
      let answer = try app.exchange("rcv_register_user.ctl", type, body)
      #expect(answer.status == 200 && answer.code == "500", "\(type): \(answer)")
    }
    let huge = try app.exchange("putAppLog.ctl", plain, "LOG=" + String(repeating: "x", count: 2_000_000))
    #expect(huge.status == 413, "\(huge)")
    #expect(try snapshot(world) == before)
    #expect(try app.call("rcv_get_service.ctl").row["ISREGISTERED"] as? String == "Y")
  }

  @Test func `a device's form may have 64 KiB, and not one byte more; logs, of which nothing is read, a mebibyte`()
    throws
  {
    let world = try World()
    let app = SDKClient(port: world.port, appID: World.appID, psid: Self.token, deviceID: "D1", cuid: "kim")
    #expect(try app.call("new_rcv_register_service_and_user.ctl", ["CNAME": "Kim"]).isOK)
    let plain = "application/x-www-form-urlencoded"
    for (controller, fields) in [
      ("rcv_init_badgeNo.ctl", "BADGENO=7"), ("rcv_get_service.ctl", "CUID=kim"), ("rcv_register_user.ctl", "CUID=kim"),
    ] {
      let start =
        "APP_ID=\(World.appID)&PSID=\(Self.token)&DEVICE_ID=D1&PNSID=APNS&AUTHKEY=\(SDKClient.escape(app.authKey ?? ""))"
        + "&\(fields.contains("CUID") ? "" : "CUID=kim&")\(fields)&PADDING="
      func body(_ bytes: Int) -> String { start + String(repeating: "x", count: bytes - start.utf8.count) }
      let answer = try app.exchange(controller, plain, body(65_536))
      #expect(answer.status == 200 && answer.isOK, "\(controller): \(answer)")
      let larger = try app.exchange(controller, plain, body(65_537))
      #expect(larger.status == 413, "\(controller): \(larger)")
    }
    for (bytes, status) in [(1_048_576, 200), (1_048_577, 413)] {
      #expect(try app.exchange("putAppLog.ctl", plain, String(repeating: "x", count: bytes)).status == status)
    }
    #expect(try world.count("SELECT badge::bigint FROM users WHERE user_key = 'ukim'") == 7)
  }

  private func snapshot(_ world: World) throws -> [Int64] {
    try [
      "SELECT count(*) FROM devices WHERE user_key = 'ukim' AND state = 1", "SELECT count(*) FROM devices",
      "SELECT count(*) FROM users", "SELECT count(*) FROM messages",
    ].map { try world.count($0) }
  }
}

import Foundation
import Reactor
import Simulator
import TestTier
import TestSupport
import Testing

@testable import Server

/// Servers that speak the existing SDK's protocol: what they may send, and what they are told.
@Suite(.slow, .serialized) struct SDKSendTests {
  private static let one = World.token("a1")
  private static let two = World.token("b2")

  /// A world whose loopback is trusted, with two people in it.
  private func populated() throws -> (World, SDKClient) {
    let world = try World.with("UPMC_CTL_TRUSTED_SENDERS", "192.0.2.0/24,127.0.0.0/8")
    try world.register("d1", token: Self.one, user: "kim")
    try world.register("d2", token: Self.two, user: "lee")
    return (world, server(world))
  }

  private func server(_ world: World) -> SDKClient {
    let server = SDKClient(port: world.port, appID: World.appID, psid: "", deviceID: "")
    server.common = ["APP_ID": World.appID]
    return server
  }

  private static let message = [
    "TYPE": "E", "CUID": "kim", "MESSAGE": "Hello", "SENDERCODE": "UMSUI", "SERVICECODE": "PUBLIC", "DB_IN": "Y",
  ]

  private func seqno(_ answer: SDKAnswer) throws -> String {
    #expect(answer.isOK, "\(answer)")
    return try #require(answer.row["SENDMSG_SEQNO"] as? String)
  }

  @Test func `every parameter of a send arrives, and what is the sender's own comes back`() throws {
    let (world, server) = try populated()
    let answer = try server.post(
      "rcv_register_message.ctl",
      Self.message.merging([
        "CUID": #"["kim","nobody","lee","kim"]"#, "MESSAGE": #"{"title":"제목 %CUID%","body":"내용 50% 할인"}"#,
        "PRIORITY": "3", "BADGENO": "2", "RESERVEDATE": "", "SOUNDFILE": "", "DB_IN": "N",
        "EXT": "6|부가정보|https://www.example.com", "TEMPLATE_YN": "Y", "SPLIT_MSG_CNT": "0", "DELAY_SECOND": "0",
        "SEND_TIME_LIMIT": "10", "PUSH_FAIL_SMS_SEND": "Y", "SMS_READ_WAIT_MINUTE": "5", "CUST_KEY": "order-7",
        "CUST_VAR1": "a", "CUST_VAR3": "c",
      ]) { $1 })
    let seqno = try seqno(answer)
    #expect(answer.row["REG_SUCCESS_CNT"] as? Int == 2 && answer.row["REG_FAIL_CNT"] as? Int == 1, "\(answer)")
    #expect(answer.row["NOTEXISTCUIDS"] as? [String] == ["nobody"])
    #expect(answer.row["APNS"] as? Int == 2 && answer.row["FCM"] as? Int == 0)
    #expect(answer.row["CUST_KEY"] as? String == "order-7" && answer.row["CUST_VAR3"] as? String == "c")
    #expect(try world.finished(seqno).int("accepted") == 2)
    let payload = try #require(try world.payloads(Self.one).first)
    let aps = try #require(payload["aps"] as? [String: Any])
    #expect(aps["alert"] as? [String: String] == ["title": "제목 kim", "body": "내용 50% 할인"])
    #expect(aps["badge"] as? Int == 2 && aps["sound"] as? String == "alert.aif" && aps["mutable-content"] as? Int == 1)
    let mps = try #require(payload["mps"] as? [String: String])
    #expect(mps["sender"] == "UMSUI" && mps["db_in"] == "N" && mps["sms"] == "Y")
    #expect(mps["ext"] == "6|부가정보|https://www.example.com")
    #expect(try world.count("SELECT count(*) FROM messages WHERE lane = 0 AND expires_at < created_at + '11 min'") == 1)
    // A short message unless it is read (2) within five minutes.
    #expect(try world.count("SELECT count(*) FROM messages WHERE fallback = 2") == 1)
    let waits = "f.due_at BETWEEN m.created_at + interval '5 min' AND m.created_at + interval '6 min'"
    #expect(try world.count("SELECT count(*) FROM fallbacks f JOIN messages m USING (seqno) WHERE \(waits)") == 2)

    let info = try server.post("rcv_getSentMsgInfo.ctl", ["SEQNO": seqno])
    #expect(info.isOK && info.row["STATUS"] as? String == "completed", "\(info)")
    #expect(info.row["TOTAL_CNT"] as? Int == 2 && info.row["SEND_CNT"] as? Int == 2)
    #expect(info.row["CUST_KEY"] as? String == "order-7" && info.row["CUST_VAR1"] as? String == "a")
    #expect(info.row["CUST_VAR2"] as? String == "" && info.row["CUST_VAR3"] as? String == "c")
  }

  @Test func `a short message without a wait of its own waits for a receipt, and none is asked for without Y`() throws {
    let (world, server) = try populated()
    func fallbacks(_ fields: [String: String]) throws -> [Int64] {
      let seqno = try seqno(try server.post("rcv_register_message.ctl", Self.message.merging(fields) { $1 }))
      // Written when the person's devices are claimed.
      _ = try world.finished(seqno)
      return try ["fallback", "(SELECT count(*) FROM fallbacks f WHERE f.seqno = m.seqno)"].map {
        try world.count("SELECT coalesce(\($0), 0) FROM messages m WHERE seqno = \(seqno)")
      }
    }
    for wait in ["", "0"] {
      #expect(try fallbacks(["PUSH_FAIL_SMS_SEND": "Y", "SMS_READ_WAIT_MINUTE": wait]) == [1, 1], "\(wait)")
    }
    #expect(try fallbacks(["PUSH_FAIL_SMS_SEND": "Y", "SMS_READ_WAIT_MINUTE": "1440"]) == [2, 1])
    #expect(try fallbacks(["PUSH_FAIL_SMS_SEND": "N", "SMS_READ_WAIT_MINUTE": "10080"]) == [0, 0])
    let tooLong = Self.message.merging(["PUSH_FAIL_SMS_SEND": "Y", "SMS_READ_WAIT_MINUTE": "1441"]) { $1 }
    let refused = try server.post("rcv_register_message.ctl", tooLong)
    #expect(refused.code == "500" && refused.reason?.contains("from 0 to 1440") == true, "\(refused)")
  }

  @Test func `TEMPLATE_YN=N leaves variables as they are written`() throws {
    let (world, server) = try populated()
    let fields = ["MESSAGE": "%CUID%, %CNAME% and %VAR1%", "EXT": "1|%CUID%"]
    // Nobody says what %VAR1% is.
    #expect(try server.post("rcv_register_message.ctl", Self.message.merging(fields) { $1 }).code == "500")
    let plain = Self.message.merging(fields) { $1 }.merging(["TEMPLATE_YN": "N"]) { $1 }
    _ = try world.finished(try seqno(try server.post("rcv_register_message.ctl", plain)))
    let payload = try #require(try world.payloads(Self.one).last)
    #expect((payload["aps"] as? [String: Any])?["alert"] as? String == "%CUID%, %CNAME% and %VAR1%", "\(payload)")
    #expect((payload["mps"] as? [String: String])?["ext"] == "1|%CUID%")
  }

  @Test func `behind a trusted proxy the client that it names is the server that may send`() throws {
    let world = try World(server: {
      try $0.setSDK("UPMC_CTL_TRUSTED_SENDERS", "192.0.2.0/24")
      $0.listening.trustedProxies = [try #require(IPBlock("127.0.0.0/8"))]
    })
    try world.register("d1", token: Self.one, user: "kim")
    let server = server(world)
    func code(_ headers: String...) throws -> String? {
      server.headers = headers
      return try server.post("rcv_register_message.ctl", Self.message).code
    }
    #expect(try code("X-Forwarded-For: 192.0.2.9") == "0000")
    // What stands before the proxy's own entry its client has written; and the proxy itself is no sender.
    #expect(try code("X-Forwarded-For: 192.0.2.9, 203.0.113.5") == "50300")
    #expect(try code("X-Forwarded-For: 203.0.113.5") == "50300")
    #expect(try code("Forwarded: for=192.0.2.9") == "50300")
    #expect(try code() == "50300")
  }

  @Test func `nobody becomes a trusted sender by a header of its own`() throws {
    let world = try World.with("UPMC_CTL_TRUSTED_SENDERS", "192.0.2.0/24")
    let server = server(world)
    server.headers = ["X-Forwarded-For: 192.0.2.9"]
    #expect(try server.post("rcv_register_message.ctl", Self.message).code == "50300")
  }

  @Test func `a message that is percent-encoded once more is read, a sentence with a percent sign stays`() throws {
    let (world, server) = try populated()
    let texts = [
      SDKClient.escape(#"{"title":"T","body":"한글 100%"}"#), SDKClient.escape("한글 두 번"), "100% sure", "%CNAME%!",
      #"{"not":"ours"}"#, "plain", "1+1=2",
    ]
    for text in texts {
      _ = try world.finished(
        try seqno(try server.post("rcv_register_message.ctl", Self.message.merging(["MESSAGE": text]) { $1 })))
    }
    let alerts = try world.payloads(Self.one).map { ($0["aps"] as? [String: Any])?["alert"] }
    #expect(alerts.first as? [String: String] == ["title": "T", "body": "한글 100%"])
    #expect(
      alerts.dropFirst().map { $0 as? String } == [
        "한글 두 번", "100% sure", "Name of kim!", #"{"not":"ours"}"#, "plain", "1+1=2",
      ])
    let badges = try world.payloads(Self.one).compactMap { ($0["aps"] as? [String: Any])?["badge"] }
    #expect(badges.isEmpty, "no BADGENO: the icon stays")
  }

  @Test func `everyone, members, guests, groups, tokens: each TYPE gets its own`() throws {
    let (world, server) = try populated()
    try world.register("d3", token: World.token("c3"), user: nil)
    let made = try server.post("rcv_register_usergroup.ctl", ["GROUPNAME": "뉴스"])
    let group = try #require(made.row["GROUPSEQ"] as? String)
    try world.script(
      """
      INSERT INTO group_members (app, user_key, groupseq, joined_at)
      SELECT app, 'ukim', \(group), now() - interval '1 min' FROM apps
      """)
    let cases: [(String, [String: String], Int)] = [
      ("rcv_register_message.ctl", ["TYPE": "A"], 3), ("rcv_register_message.ctl", ["TYPE": "M"], 2),
      ("rcv_register_message.ctl", ["TYPE": "N"], 1),
      ("rcv_register_message.ctl", ["TYPE": "G", "GROUPSEQ": group], 1),
      ("rcv_register_message.ctl", ["TYPE": "S", "CUID": #"["kim","lee"]"#], 2),
      ("rcv_register_message.ctl", ["TYPE": "E", "REQ_PSIDS": #"["\#(Self.two)"]"#], 1),
      ("rcv_register_groupmessage.ctl", ["TYPE": "A", "GROUPSEQ": ""], 3),
      ("rcv_register_groupmessage.ctl", ["TYPE": "G", "GROUPSEQ": group], 1),
      ("rcv_register_groupmessage.ctl", ["TYPE": "G", "GROUPSEQ": "[\(group)]"], 1),
    ]
    for (controller, fields, expected) in cases {
      let answer = try server.post(controller, ["MESSAGE": "Hi", "PRIORITY": "1"].merging(fields) { $1 })
      #expect(answer.row["REG_SUCCESS_CNT"] as? Int == expected, "\(fields): \(answer)")
      #expect((answer.row["NOTEXISTCUIDS"] == nil) == (fields["TYPE"] == "S"))
      #expect(try world.finished(try seqno(answer)).int("accepted") == expected, "\(fields)")
    }
    #expect(try world.count("SELECT count(*) FROM messages WHERE lane <> 2") == 0)

    // The group's own life.
    #expect(try server.post("rcv_get_usergroup.ctl").rows.first?["GROUPNAME"] as? String == "뉴스")
    let users = try server.post("rcv_get_usergroup_user.ctl", ["GROUPSEQ": group])
    #expect(users.rows.map { $0["CUID"] as? String } == ["kim"] && users.row["CNAME"] as? String == "Name of kim")
    #expect(try server.post("rcv_delete_usergroup.ctl", ["GROUPSEQ": group]).isOK)
    #expect(try server.post("rcv_get_usergroup.ctl").rows.isEmpty)
    #expect(try world.count("SELECT count(*) FROM group_members") == 0)
    #expect(try server.post("rcv_delete_usergroup.ctl", ["GROUPSEQ": group]).code == "500")
  }

  @Test func `nobody registered is 4400, a deleted app 4444, a server nobody knows 50300`() throws {
    let (world, server) = try populated()
    defer { withExtendedLifetime(world) {} }
    let none = try server.post("rcv_register_message.ctl", Self.message.merging(["CUID": "nobody"]) { $1 })
    #expect(none.code == "4400" && none.row["NOTEXISTCUIDS"] as? [String] == ["nobody"], "\(none)")
    // A node that has just started may leave it to its planner to see that there is nobody.
    let info = try poll("it has not ended") {
      let info = try server.post("rcv_getSentMsgInfo.ctl", ["SEQNO": none.row["SENDMSG_SEQNO"] as? String ?? ""])
      return ["queued", "sending"].contains(info.row["STATUS"] as? String) ? nil : info
    }
    #expect(info.row["RESULT"] as? String == "4400", "\(info)")
    let gone = try server.post("rcv_register_message.ctl", Self.message.merging(["APP_ID": "com.gone"]) { $1 })
    #expect(gone.code == "4444", "\(gone)")

    let stranger = try World()
    let outside = self.server(stranger)
    for controller in [
      "rcv_register_message.ctl", "rcv_register_groupmessage.ctl", "rcv_register_csvmessage.ctl",
      "rcv_message_cancel_reservation.ctl", "rcv_retry_message.ctl", "rcv_getSentMsgInfo.ctl",
      "rcv_register_usergroup.ctl", "rcv_get_usergroup.ctl", "rcv_delete_usergroup.ctl", "rcv_get_usergroup_user.ctl",
    ] {
      #expect(try outside.post(controller, Self.message).code == "50300", "\(controller)")
    }
    // An API key is accepted in a header or a field; a wrong one is refused.
    try stranger.register("d1", token: Self.one, user: "kim")
    outside.headers = ["Authorization: Bearer \(stranger.apiKey)"]
    #expect(try outside.post("rcv_register_message.ctl", Self.message).isOK)
    outside.headers = []
    let keyed = Self.message.merging(["APIKEY": stranger.apiKey]) { $1 }
    #expect(try outside.post("rcv_register_message.ctl", keyed).isOK)
    #expect(try outside.post("rcv_register_message.ctl", keyed.merging(["APIKEY": "upmc_no"]) { $1 }).code == "50300")
    #expect(try stranger.count("SELECT count(*) FROM messages") == 2)
  }

  @Test func `a reserved message waits, can be cancelled, and is refused when its time has passed`() throws {
    let (world, server) = try populated()
    let reserved = Self.message.merging(["RESERVEDATE": "20990101 090000"]) { $1 }
    #expect(try server.post("rcv_register_message.ctl", reserved).code == "5600")
    let soon = DateFormatter()
    soon.dateFormat = "yyyyMMdd HHmmss"
    soon.timeZone = TimeZone(identifier: "Asia/Seoul")
    let later = Self.message.merging(["RESERVEDATE": soon.string(from: Date(timeIntervalSinceNow: 3600))]) { $1 }
    let answer = try server.post("rcv_register_message.ctl", later)
    let number = try #require(answer.row["RESERVE_SEQNO"] as? String)
    #expect(answer.isOK && answer.row["SENDMSG_SEQNO"] == nil && answer.row["REG_SUCCESS_CNT"] as? Int == 1)
    #expect(
      try world.count("SELECT count(*) FROM messages WHERE abs(extract(epoch FROM due_at - now()) - 3600) < 60") == 1)
    #expect(try server.post("rcv_getSentMsgInfo.ctl", ["SEQNO": number]).row["STATUS"] as? String == "scheduled")
    let cancelled = try server.post("rcv_message_cancel_reservation.ctl", ["RESERVE_SEQNO": number])
    #expect(cancelled.isOK && cancelled.row["STATUS"] as? String == "cancelled", "\(cancelled)")
    #expect(try server.post("rcv_message_cancel_reservation.ctl", ["RESERVE_SEQNO": number]).isOK)

    let past = Self.message.merging(["RESERVEDATE": soon.string(from: Date(timeIntervalSinceNow: -3700))]) { $1 }
    #expect(try server.post("rcv_register_message.ctl", past).code == "5500")
    for wrong in ["20261301 090000", "2026", "20260101T090000", "20260101 250000", "tomorrow"] {
      #expect(
        try server.post("rcv_register_message.ctl", Self.message.merging(["RESERVEDATE": wrong]) { $1 }).code == "500")
    }
    // One for nobody is taken: who will be there when it is due, nobody knows. What became of it says 4401.
    let empty = try server.post("rcv_register_message.ctl", later.merging(["CUID": "nobody"]) { $1 })
    let unknown = try #require(empty.row["RESERVE_SEQNO"] as? String)
    #expect(empty.isOK)
    try world.script("UPDATE messages SET due_at = now(), expires_at = now() + interval '1 h' WHERE seqno = \(unknown)")
    _ = try world.finished(unknown)
    #expect(try server.post("rcv_getSentMsgInfo.ctl", ["SEQNO": unknown]).row["RESULT"] as? String == "4401")
  }

  @Test func `one that is found an hour late says 5500, one that fails otherwise 5600`() throws {
    let (world, server) = try populated()
    let format = DateFormatter()
    format.dateFormat = "yyyyMMdd HHmmss"
    format.timeZone = TimeZone(identifier: "Asia/Seoul")
    let reserved = Self.message.merging(["RESERVEDATE": format.string(from: Date(timeIntervalSinceNow: 3600))]) { $1 }
    func result(_ fields: [String: String], late minutes: Int) throws -> SDKAnswer {
      let answer = try server.post("rcv_register_message.ctl", reserved.merging(fields) { $1 })
      let number = try #require(answer.row["RESERVE_SEQNO"] as? String)
      try world.script(
        """
        UPDATE messages SET due_at = now() - interval '\(minutes) min', expires_at = now() + interval '1 h'
        WHERE seqno = \(number)
        """)
      _ = try world.finished(number)
      return try server.post("rcv_getSentMsgInfo.ctl", ["SEQNO": number])
    }
    let late = try result([:], late: 61)
    #expect(late.row["STATUS"] as? String == "failed" && late.row["RESULT"] as? String == "5500", "\(late)")
    #expect(late.row["TOTAL_CNT"] as? Int == 1 && late.row["FAIL_CNT"] as? Int == 1)
    #expect(try result(["CUID": "nobody"], late: 61).row["RESULT"] as? String == "5500")
    var fault = Fault(.answer)
    fault.reason = "BadCollapseId"
    try world.simulator.add(fault)
    let refused = try result([:], late: 1)
    #expect(refused.row["STATUS"] as? String == "failed" && refused.row["RESULT"] as? String == "5600", "\(refused)")
  }

  @Test func `a file of lines is an audience`() throws {
    let (world, server) = try populated()
    let file = SDKClient.File(
      name: "upload_file", content: "\u{FEFF}kim,\"Kim, \"\"the\"\" first\"\r\nnobody,N\r\n\r\nlee,Lee\n")
    let answer = try server.post("rcv_register_csvmessage.ctl", ["MESSAGE": "Hi"], file: file)
    #expect(answer.row["REG_SUCCESS_CNT"] as? Int == 2 && answer.row["NOTEXISTCUIDS"] as? [String] == ["nobody"])
    #expect(try world.finished(try seqno(answer)).int("accepted") == 2)
    for wrong in ["", "\n\n", ",Kim", "\"kim", "kim,\"a\"b", "k,1,2,3,4,5,6,7,8,9,10,11"] {
      let refused = try server.post(
        "rcv_register_csvmessage.ctl", ["MESSAGE": "Hi"], file: SDKClient.File(name: "upload_file", content: wrong))
      #expect(refused.code == "500" && refused.reason?.contains("upload_file") == true, "\(wrong): \(refused)")
      #expect(refused.reason?.contains("skipErrors") == false, "\(wrong): \(refused)")
    }
    #expect(try server.post("rcv_register_csvmessage.ctl", ["MESSAGE": "Hi"]).code == "500")
  }

  @Test func `a line's variables stand in the text of its user`() throws {
    let (world, server) = try populated()
    let file = SDKClient.File(name: "upload_file", content: "kim,Kim,10000\nlee,Lee,25000\n")
    let answer = try server.post("rcv_register_csvmessage.ctl", ["MESSAGE": "%CNAME%: %VAR1%"], file: file)
    #expect(try world.finished(try seqno(answer)).int("accepted") == 2)
    #expect(String(describing: try world.payloads(Self.one)).contains("Kim: 10000"))
  }

  @Test func `large sends are read off the loop, by a server that may send much, and by nobody else`() throws {
    let (world, server) = try populated()
    let many = (0..<9_000).map { "\"\(String(repeating: "n", count: 120))\($0)\"" } + ["\"kim\""]
    let people = Self.message.merging(["CUID": "[\(many.joined(separator: ","))]"]) { $1 }
    let answer = try server.post("rcv_register_message.ctl", people)
    #expect(answer.row["REG_SUCCESS_CNT"] as? Int == 1 && answer.row["REG_FAIL_CNT"] as? Int == 9_000)
    let lines = (0..<9_999).map { "nobody\($0),\(String(repeating: "N", count: 100))\r\n" }.joined() + "lee,Lee\r\n"
    let file = SDKClient.File(name: "upload_file", content: lines)
    let uploaded = try server.post("rcv_register_csvmessage.ctl", ["MESSAGE": "Hi"], file: file)
    #expect(uploaded.row["REG_SUCCESS_CNT"] as? Int == 1 && uploaded.row["REG_FAIL_CNT"] as? Int == 9_999)
    let broken = SDKClient.File(name: "upload_file", content: lines + "\"open")
    #expect(
      try server.post("rcv_register_csvmessage.ctl", ["MESSAGE": "Hi"], file: broken).reason?.contains("10001") == true)
    #expect(try world.count("SELECT count(*) FROM messages") == 2)

    let stranger = try World()
    let outside = self.server(stranger)
    #expect(try outside.post("rcv_register_message.ctl", people).status == 413)
    let middling = Self.message.merging(["MESSAGE": String(repeating: "x", count: 100_000)]) { $1 }
    #expect(try outside.post("rcv_register_message.ctl", middling).code == "50300")
  }

  @Test func `a retry goes to those who have not read, at its own pace`() throws {
    let (world, server) = try populated()
    let first = try seqno(
      try server.post("rcv_register_message.ctl", Self.message.merging(["CUID": #"["kim","lee"]"#]) { $1 }))
    _ = try world.finished(first)
    _ = try world.read(first, Self.one)
    let retry = try server.post(
      "rcv_retry_message.ctl", ["RETRY_TYPE": "3", "SEQNO": first, "SPLIT_MSG_CNT": "10", "DELAY_SECOND": "1"])
    #expect(retry.row["REG_SUCCESS_CNT"] as? Int == 1, "\(retry)")
    let second = try seqno(retry)
    #expect(try world.finished(second).int("accepted") == 1)
    #expect(try world.count("SELECT count(*) FROM gates WHERE seqno = \(second) AND pace_devices = 10") == 1)
    let failed = try server.post("rcv_retry_message.ctl", ["RETRY_TYPE": "1", "SEQNO": first])
    #expect(failed.row["REG_SUCCESS_CNT"] as? Int == 0)
    for wrong in [
      ["SEQNO": first], ["RETRY_TYPE": "9", "SEQNO": first], ["RETRY_TYPE": "1"],
      ["RETRY_TYPE": "1", "SEQNO": "999999"], ["RETRY_TYPE": "1", "SEQNO": first, "DELAY_SECOND": "5"],
    ] {
      #expect(try server.post("rcv_retry_message.ctl", wrong).code == "500", "\(wrong)")
    }
  }

  @Test func `a text and extra data that do not fit move to pages, which the SDK fetches`() throws {
    let (world, server) = try populated()
    let (text, ext) = (String(repeating: "가", count: 1400), String(repeating: "x", count: 5000))
    let answer = try server.post(
      "rcv_register_message.ctl", Self.message.merging(["MESSAGE": text, "EXT": ext]) { $1 })
    #expect(try world.finished(try seqno(answer)).int("accepted") == 1)
    let payload = try #require(try world.payloads(Self.one).first)
    let aps = try #require(payload["aps"] as? [String: Any])
    let body = aps["alert"] as? String ?? (aps["alert"] as? [String: String])?["body"]
    #expect(body?.hasSuffix("_msp.html") == true)
    #expect((payload["mps"] as? [String: String])?["ext"]?.hasSuffix("_ext.html") == true)
  }

  @Test(arguments: [
    ["MESSAGE": ""], ["MESSAGE": #"{"title":"T"}"#], ["CUID": ""], ["CUID": "[]"], ["CUID": "[1"], ["CUID": "GUEST"],
    ["TYPE": "X"], ["TYPE": "C"], ["TYPE": "G"], ["PRIORITY": "2"], ["BADGENO": "-1"], ["BADGENO": "1001"],
    ["DB_IN": "X"], ["SPLIT_MSG_CNT": "5"], ["SEND_TIME_LIMIT": "x"], ["REQ_PSIDS": "a"], ["REQ_PSIDS": "{}"],
    ["PUSH_FAIL_SMS_SEND": "1"], ["SMS_READ_WAIT_MINUTE": "-1"], ["TEMPLATE_YN": "?"], ["APP_ID": ""],
    ["CUST_VAR1": String(repeating: "x", count: 257)],
    ["MESSAGE": "{\"title\":\"\(String(repeating: "가", count: 1400))\",\"body\":\"b\"}"],
    ["CUID": "[\"a\\u0000\"]"], ["MESSAGE": "{\"body\":\"\"}"],
  ])
  func `a wrong parameter is refused in words, and nothing is stored`(wrong: [String: String]) throws {
    let (world, server) = (Self.shared.world, Self.shared.server)
    let before = try world.count("SELECT count(*) FROM messages")
    let answer = try server.post("rcv_register_message.ctl", Self.message.merging(wrong) { $1 })
    #expect(answer.status == 200 && answer.code == "500" && answer.reason?.isEmpty == false, "\(wrong): \(answer)")
    #expect(answer.body is [String: Any])
    #expect(try world.count("SELECT count(*) FROM messages") == before)
  }

  /// One world for all wrong parameters.
  private struct Shared: @unchecked Sendable {
    let world: World
    let server: SDKClient

    init() {
      do {
        (world, server) = try SDKSendTests().populated()
      } catch {
        fatalError("\(error)")
      }
    }
  }

  private static let shared = Shared()
}

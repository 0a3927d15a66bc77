import Crypto
import Foundation
import Postgres
import TLS
import TestSupport
import Testing

@Suite struct CommandTests {
  let program: Program

  init() throws {
    program = try Program()
  }

  private func makeApp() throws {
    #expect(try program.run("app", "create", "com.example.bank", "--name", "Bank").status == 0)
  }

  private func keyFile() -> String {
    let path = program.directory + "/AuthKey.p8"
    TemporaryDirectory.write(path, P256.PrivateKey().pem)
    return path
  }

  // MARK: What each command prints

  @Test func `the program says which release it is`() throws {
    let said = try program.run("--version")
    #expect(said.status == 0 && said.lines.count == 1)
    #expect(said.lines.first?.wholeMatch(of: /upmc [0-9]+\.[0-9]+\.[0-9]+/) != nil, "\(said.lines)")
  }

  @Test func `app create prints the client key, for people and as JSON`() throws {
    let first = try program.run("app", "create", "com.example.bank", "--name", "Bank", "--json")
    #expect(first.status == 0 && first.lines.count == 1 && first.complaint.isEmpty)
    #expect(first.string("appId") == "com.example.bank")
    #expect(first.string("clientKey")?.count == 43)
    let second = try program.run("app", "create", "com.example.shop", "--name", "Shop", "--time-zone", "UTC")
    #expect(second.lines.first?.hasPrefix("Made com.example.shop, identity proof. Its client key: ") == true)
    let list = try program.run("app", "list", "--json")
    #expect(list.lines.count == 2)
    #expect(list.string("clientKey") == first.string("clientKey"))
  }

  @Test func `app credential takes a .p8 file, and app resume ends a pause`() throws {
    try makeApp()
    let set = try program.run(
      "app", "credential", "com.example.bank", "--apns-key", keyFile(), "--key-id", "ABCDE12345", "--team-id",
      "FGHIJ67890", "--json")
    #expect(
      set.lines == [
        #"{"appId":"com.example.bank","pnsId":"APNS","keyId":"ABCDE12345","teamId":"FGHIJ67890","check":null}"#
      ])
    try program.connect().script("UPDATE apps SET paused_reason = 'because'")
    #expect(try program.run("app", "list").lines.first?.hasSuffix("paused: because") == true)
    #expect(try program.run("app", "resume", "com.example.bank", "--json").object?["pausedReason"] is NSNull)
  }

  @Test func `message pause, resume, pace, cancel and resend act on a message, and say how it stands`() throws {
    try makeApp()
    #expect(try program.run("send", "com.example.bank", "--all", "--body", "B", "--per-second", "9").status == 0)
    #expect(try program.run("message", "pause", "1").lines.first?.contains("  paused  targeted 0") == true)
    #expect(try program.run("message", "resume", "1", "--json").string("state") == "queued")
    let paced = try program.run("message", "pace", "1", "--devices", "10", "--wait", "PT1M", "--json")
    #expect(paced.status == 0 && paced.string("seqno") == "1")
    #expect(try program.run("message", "pace", "1", "--none").status == 0)
    let early = try program.run("message", "resend", "1", "--to", "failed")
    #expect(early.status == 1 && early.complaint.contains("Wait until it has ended"), "\(early.complaint)")
    #expect(try program.run("message", "cancel", "1", "--json").string("state") == "cancelled")
    let again = try program.run("message", "pause", "1")
    #expect(again.status == 1 && again.complaint.contains("it is cancelled"), "\(again.complaint)")
    #expect(try program.run("message", "resend", "1", "--to", "failed", "--json").string("resendOf") == "1")
    for wrong in [
      ["message", "pace", "1"], ["message", "pace", "1", "--none", "--per-second", "1"],
      ["message", "pace", "1", "--devices", "1"], ["message", "resend", "1", "--to", "all"], ["message", "pause"],
    ] {
      #expect(try program.run(wrong, removing: []).status == 2, "\(wrong)")
    }
  }

  @Test func `send says when a message goes out`() throws {
    try makeApp()
    let sent = try program.run(
      "send", "com.example.bank", "--all", "--body", "B", "--local-time", "2099-12-24T09:00", "--every", "week",
      "--until", "2100-12-24", "--window", "08:00-21:00", "--canary", "5")
    #expect(sent.status == 1 && sent.complaint.contains("366 days ahead"), "\(sent.complaint)")
    let wrong = try program.run("send", "com.example.bank", "--all", "--body", "B", "--window", "08:00")
    #expect(wrong.status == 1 && wrong.complaint.contains("window/to"), "\(wrong.complaint)")
    let timed = try program.run(
      "send", "com.example.bank", "--all", "--body", "B", "--send-at", "2020-01-01T00:00:00Z")
    #expect(timed.status == 1 && timed.complaint.contains("60 minutes ago"), "\(timed.complaint)")
  }

  @Test func `app credential takes a push certificate with its passphrase`() throws {
    try makeApp()
    let identity = try CertificateAuthority().issuePushClient(
      bundleID: "com.example.bank", topics: [("com.example.bank", "app")], notAfter: 4_000_000_000)
    let path = program.directory + "/push.p12"
    try Data(identity.pkcs12(passphrase: "open sesame")).write(to: URL(filePath: path))
    TemporaryDirectory.write(program.directory + "/push.pass", "open sesame\n")
    let set = try program.run(
      "app", "credential", "com.example.bank", "--apns-certificate", path, "--passphrase-file",
      program.directory + "/push.pass")
    #expect(
      set.lines == [
        "com.example.bank pushes with a certificate for com.example.bank from now on. It ends on "
          + "2096-10-02T07:06:40.000Z."
      ])
    let wrong = try program.run(
      "app", "credential", "com.example.bank", "--apns-certificate", path, "--passphrase", "x")
    #expect(wrong.status == 1 && wrong.complaint.contains("apnsCertificate must be a push certificate"))
    let both = try program.run(
      "app", "credential", "com.example.bank", "--apns-certificate", path, "--apns-key", path, "--key-id", "A")
    #expect(both.status == 2 && both.complaint.contains("either --apns-key or --apns-certificate"))
    #expect(try program.run("app", "credential", "com.example.bank").status == 2)
    #expect(try program.run("app", "credential", "com.example.bank", "--apns-key", path).status == 2)
  }

  @Test func `quarantine lists who is put aside, and gives back`() throws {
    try makeApp()
    try program.connect().script(
      """
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at, quarantined_at, quarantine_reason, quarantine_seqno)
      SELECT ('00000000-0000-8000-8000-' || lpad(n::text, 12, '0'))::uuid, 1, 'ukim', 1, 1, 1, repeat('ab', 32) || n,
        'd' || n, now(), now(), now(), '2026-12-24T00:00:00Z', 'BadDeviceToken', 9
      FROM generate_series(1, 3) n
      """)
    let list = try program.run("quarantine", "list", "com.example.bank", "--limit", "2")
    #expect(
      list.lines == [
        "00000000-0000-8000-8000-000000000001  kim  APNS production  abababab…  BadDeviceToken  message 9  "
          + "2026-12-24T00:00:00.000Z",
        "00000000-0000-8000-8000-000000000002  kim  APNS production  abababab…  BadDeviceToken  message 9  "
          + "2026-12-24T00:00:00.000Z",
        "There are more: --after MDAwMDAwMDAtMDAwMC04MDAwLTgwMDAtMDAwMDAwMDAwMDAy",
      ])
    func count(_ reason: String) throws -> Int {
      try program.run("quarantine", "list", "com.example.bank", "--reason", reason, "--json").lines.count
    }
    #expect(try (count("BadDeviceToken"), count("DeviceTokenNotForTopic")) == (3, 0))
    let other = try program.run("quarantine", "restore", "com.example.bank", "--reason", "DeviceTokenNotForTopic")
    #expect(other.lines == ["Gave back 0 devices."])
    let one = try program.run(
      "quarantine", "restore", "com.example.bank", "--device", "00000000-0000-8000-8000-000000000003")
    #expect(one.lines == ["Gave back 1 device."])
    let since = try program.run(
      "quarantine", "restore", "com.example.bank", "--since", "2026-12-24T00:00:01Z", "--json")
    #expect(since.lines == [#"{"restored":0}"#])
    #expect(
      try program.run("quarantine", "restore", "com.example.bank", "--reason", "BadDeviceToken").lines == [
        "Gave back 2 devices."
      ])
    #expect(try program.run("quarantine", "restore", "com.example.bank", "--all").lines == ["Gave back 0 devices."])
    #expect(
      try program.run("quarantine", "list", "com.example.bank").lines == [
        "No device of com.example.bank is in quarantine."
      ]
    )
    for wrong in [
      [], ["--all", "--reason", "x"], ["--all", "--since", "2026-12-24T00:00:01Z"], ["--since", "noon"],
      ["--device", "7"],
    ] {
      let refused = try program.run(["quarantine", "restore", "com.example.bank"] + wrong, removing: [])
      #expect(refused.status == 2, "\(wrong)")
    }
  }

  @Test func `group create and key create print what they made`() throws {
    try makeApp()
    let top = try program.run("group", "create", "com.example.bank", "--name", "Seoul", "--json")
    #expect(top.lines == [#"{"groupSeq":"1"}"#])
    let below = try program.run("group", "create", "com.example.bank", "--name", "Gangnam", "--parent", "1")
    #expect(below.lines == ["Made group 2."])
    let key = try program.run("key", "create", "--role", "sender", "--app", "com.example.bank", "--json")
    #expect(key.string("role") == "sender")
    #expect(key.string("apiKey")?.hasPrefix("upmc_") == true)
    // Alone on its line, to be taken by a shell.
    #expect(try program.run("key", "create", "--role", "admin").lines.first?.hasPrefix("upmc_") == true)
  }

  @Test func `send stores the request that the options say, and status shows it`() throws {
    try makeApp()
    let sent = try program.run(
      "send", "com.example.bank", "--user", "kim", "--user", "le\"e", "--title", "제목", "--body", "%CNAME%", "--badge",
      "+2",
      "--sound", "none", "--category", "C", "--mutable-content", "--ext", "0|x", "--data", #"{"k": [1]}"#, "--lane",
      "bulk", "--expires-in", "PT10M", "--no-history", "--sms", "--sender", "CLI", "--on-unknown", "skip", "--json")
    #expect(sent.lines == [#"{"seqno":"1","state":"queued","targeted":0,"unknown":["kim","le\"e"]}"#])
    let request = try program.connect().run(Statement("request", "SELECT request::text FROM messages"))
    #expect(
      request.text(0, 0)
        == #"{"appId":"com.example.bank","audience":{"clientUids":["kim","le\"e"]},"#
        + #""alert":{"title":"제목","body":"%CNAME%"},"badge":{"increment":2},"sound":null,"category":"C","#
        + #""mutableContent":true,"ext":"0|x","data":{"k": [1]},"lane":"bulk","expiresIn":"PT10M","dbIn":false,"#
        + #""sms":true,"sender":"CLI","onUnknown":"skip"}"#)
    let status = try program.run("status", "1", "--json")
    #expect(status.string("state") == "queued")
    #expect(
      try program.run("status", "1").lines.first?.hasSuffix(
        "  queued  targeted 0  pending 0  accepted 0  received 0  read 0") == true)
    #expect(try program.run("status").lines.count == 1)
  }

  /// The requests of all messages, in the order in which they were sent.
  private func requests() throws -> [String] {
    let rows = try program.connect().run(Statement("requests", "SELECT request::text FROM messages ORDER BY seqno"))
    return (0..<rows.count).map { rows.text($0, 0) }
  }

  @Test func `every audience has its option`() throws {
    try makeApp()
    let audiences: [(options: [String], json: String)] = [
      (["--all"], #"{"all":true}"#), (["--members"], #"{"members":true}"#), (["--guests"], #"{"members":false}"#),
      (["--psid", "ab"], #"{"psids":["ab"]}"#), (["--group", "3", "--group", "4"], #"{"groups":["3","4"]}"#),
      (
        ["--device", "00000000-0000-8000-8000-000000000000"],
        #"{"devices":["00000000-0000-8000-8000-000000000000"]}"#
      ),
    ]
    for (options, _) in audiences {
      let sent = try program.run(["send", "com.example.bank", "--body", "hi"] + options, removing: [])
      // Of those that are named none is known.
      let isNamed = options.count > 1
      #expect(sent.status == (isNamed ? 1 : 0), "\(options): \(sent.complaint)")
      #expect(sent.complaint.contains("reaches nobody") == isNamed, "\(options)")
    }
    let requests = try requests()
    try #require(requests.count == audiences.count)
    for (request, audience) in zip(requests, audiences) {
      #expect(request.contains("\"audience\":\(audience.json)"), "\(audience.options): \(request)")
    }
  }

  @Test func `a badge is added, set or cleared`() throws {
    try makeApp()
    let badges = [
      ("+5", #"{"increment":5}"#), ("5", #"{"set":5}"#), ("clear", #"{"clear":true}"#), ("0", #"{"clear":true}"#),
    ]
    for (option, _) in badges {
      #expect(try program.run("send", "com.example.bank", "--all", "--body", "hi", "--badge", option).status == 0)
    }
    let requests = try requests()
    try #require(requests.count == badges.count)
    for (request, (option, json)) in zip(requests, badges) {
      #expect(request.contains("\"badge\":\(json)"), "\(option): \(request)")
    }
  }

  @Test func `the same idempotency key sends once`() throws {
    try makeApp()
    let arguments = ["send", "com.example.bank", "--all", "--body", "hi", "--idempotency-key", "k", "--json"]
    let first = try program.run(arguments, removing: [])
    #expect(try program.run(arguments, removing: []).lines == first.lines)
    #expect(try program.run("status").lines.count == 1)
  }

  @Test func `messages are listed by state and lane`() throws {
    try makeApp()
    for lane in ["urgent", "bulk"] {
      #expect(try program.run("send", "com.example.bank", "--all", "--body", lane, "--lane", lane).status == 0)
    }
    func listed(_ options: String...) throws -> [String] {
      let ended = try program.run(["status", "--json"] + options, removing: [])
      #expect(ended.status == 0, "\(ended.complaint)")
      return ended.lines.compactMap { $0.firstMatch(of: #/"seqno":"(\d+)"/#).map { String($0.1) } }
    }
    #expect(try listed() == ["2", "1"])
    #expect(try listed("--limit", "1") == ["2"])
    #expect(try program.run("status", "--limit", "1").lines.last == "There are more: raise --limit.")
    #expect(try listed("--state", "open", "--lane", "urgent") == ["1"])
    #expect(try listed("--state", "paused").isEmpty)
    #expect(try program.run("status", "--lane", "fast").complaint.contains("lane"))
  }

  @Test func `a dry run sends nothing`() throws {
    try makeApp()
    let tried = try program.run("send", "com.example.bank", "--all", "--body", "hi", "--dry-run", "--json")
    #expect(tried.string("state") == "dry-run")
    #expect(try program.run("status").lines == ["There are no messages of this kind."])
  }

  @Test func `status --follow ends when the message has`() throws {
    try makeApp()
    _ = try program.run("send", "com.example.bank", "--all", "--body", "hi")
    try program.connect().script("UPDATE messages SET state = 4, finished_at = now()")
    let followed = try program.run("status", "1", "--follow")
    #expect(followed.status == 0)
    #expect(followed.lines.last?.contains("completed") == true)
  }

  @Test func `migrate says what it runs, then that nothing is left`() throws {
    let fresh = try Program(databaseURL: TestDatabase.makeEmpty().url)
    let pending = try fresh.run("migrate", "--dry-run", "--json")
    #expect(pending.string("state") == "pending")
    let applied = try fresh.run("migrate")
    #expect(applied.lines.count == pending.lines.count)
    #expect(applied.lines.first?.hasPrefix("0001_create_apps_and_access.sql applied in ") == true)
    #expect(try fresh.run("migrate").lines == ["The schema is up to date."])
    #expect(try fresh.run("migrate", "--json").lines.isEmpty)
  }
}

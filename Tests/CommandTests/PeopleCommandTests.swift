import Foundation
import Postgres
import TestSupport
import Testing

/// Users, devices, segments and tags from the command line; and how commands end where nobody is reached.
@Suite struct PeopleCommandTests {
  let program: Program

  init() throws {
    program = try Program()
    #expect(try program.run("app", "create", "com.example.bank", "--name", "Bank").status == 0)
    try program.connect().script(
      """
      INSERT INTO users (app, user_key, name, badge) VALUES (1, 'ukim', 'Kim', 2);
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at)
      SELECT '00000000-0000-8000-8000-000000000001', 1, 'ukim', 1, 1, 1, repeat('ab', 32), 'd', now(), now(), now();
      INSERT INTO psids (app, psid, network, kind, device, bound_at)
      SELECT app, psid, network, 1, device, bound_at FROM devices
      """)
  }

  @Test func `a user is listed, shown, given a badge, exported and forgotten`() throws {
    #expect(
      try program.run("user", "list", "com.example.bank").lines == [
        "CUID  NAME  BADGE  DEVICES", "kim   Kim   2      1",
      ])
    let shown = try program.run("user", "show", "com.example.bank", "kim")
    #expect(shown.lines.first == "kim  Kim  badge 2" && shown.lines.count == 2, "\(shown.lines) \(shown.complaint)")
    #expect(try program.run("user", "badge", "com.example.bank", "kim", "7").lines == ["kim has the count 7."])
    #expect(try program.run("user", "badge", "com.example.bank", "kim", "1001").status == 1)
    #expect(try program.run("user", "export", "com.example.bank", "kim", "--json").string("clientUid") == "kim")
    let erased = try program.run("user", "erase", "com.example.bank", "kim")
    #expect(erased.lines == ["Forgot kim, with 1 device."], "\(erased.complaint)")
    #expect(try program.run("user", "show", "com.example.bank", "kim").status == 1)
  }

  @Test func `a device is found by its user and by its token`() throws {
    for options in [["--user", "ki"], ["--psid", "abababab"]] {
      let list = try program.run(["device", "list", "com.example.bank"] + options, removing: [])
      #expect(
        list.lines.first?.hasPrefix("00000000-0000-8000-8000-000000000001  kim  APNS production  abababab…  active")
          == true, "\(list.lines) \(list.complaint)")
    }
    let shown = try program.run("device", "show", "00000000-0000-8000-8000-000000000001", "--json")
    #expect(shown.string("clientUid") == "kim" && !shown.lines.joined().contains("ababababab"))
    #expect(try program.run("device", "show", "7").status == 1)
  }

  @Test func `tags are given and taken, and a segment counts who has them`() throws {
    let tagged = try program.run("tag", "change", "com.example.bank", "--user", "kim", "--add", "vip", "--add", "new")
    #expect(tagged.lines == ["Changed 1 users."], "\(tagged.complaint)")
    #expect(try program.run("tag", "list", "com.example.bank", "--user", "kim").lines == ["new", "vip"])
    #expect(try program.run("tag", "change", "com.example.bank", "--user", "kim", "--remove", "new").status == 0)
    #expect(try program.run("tag", "list", "com.example.bank").lines == ["vip"])
    #expect(try program.run("tag", "change", "com.example.bank", "--add", "x").status == 2)
    let made = try program.run(
      "segment", "create", "com.example.bank", "--name", "VIPs", "--conditions", #"{"tags":{"any":["vip"]}}"#)
    #expect(made.lines == ["Made segment 1."], "\(made.complaint)")
    #expect(try program.run("segment", "count", "1").lines == ["1 devices"])
    #expect(try program.run("segment", "change", "1", "--name", "Best").lines.first?.hasPrefix("1  Best  {") == true)
    #expect(try program.run("segment", "list", "com.example.bank").lines.count == 1)
    #expect(try program.run("segment", "delete", "1").lines == ["Deleted segment 1."])
    #expect(try program.run("segment", "show", "1").status == 1)
    let help = try program.run("segment", "create", "--help").lines
    let line = try #require(help.first { $0.contains("--conditions '") })
    let conditions = String(line.split(separator: "'")[1])
    let pasted = try program.run(
      "segment", "create", "com.example.bank", "--name", "Pasted", "--conditions", conditions)
    #expect(pasted.status == 0, "\(pasted.complaint)")
  }

  @Test func `a send that reaches nobody is not well done, nor is the story of nobody`() throws {
    let sent = try program.run("send", "com.example.bank", "--user", "nobody", "--body", "B")
    #expect(sent.status == 1 && sent.complaint.contains("knows none of those"), "\(sent.complaint)")
    #expect(sent.lines == [#"Message 1 for 0 devices is queued. Unknown: ["nobody"]"#])
    #expect(try program.run("send", "com.example.bank", "--user", "nobody", "--user", "kim", "--body", "B").status == 0)
    #expect(try program.run("send", "com.example.bank", "--user", "nobody", "--body", "B", "--dry-run").status == 0)
    // So the first message of the help waits for a device.
    let help = try program.run("--help").lines
    let voucher = try #require(help.firstIndex { $0.contains("  upmc voucher com.example.bank kim01") })
    #expect(help[voucher...].contains { $0.contains("  upmc send com.example.bank --user kim01") }, "\(help)")
    let story = try program.run("explain", "1", "nobody")
    #expect(story.status == 1 && story.complaint.contains("has no user nobody"), "\(story.complaint)")
    #expect(try program.run("explain", "2", "kim").status == 0)
  }

  @Test func `keys are listed as a table, and errors are JSON where that is asked for`() throws {
    #expect(try program.run("key", "create", "--role", "sender", "--name", "CRM").status == 0)
    let keys = try program.run("key", "list").lines
    #expect(keys.first == "ID  ROLE    APP  NAME  MADE                      ENDS  LAST USED  REVOKED", "\(keys)")
    let last = try #require(keys.last)
    #expect(last.hasPrefix("1   sender  all  CRM   2") && last.hasSuffix("Z  -     -          -"), "\(keys)")
    let unknown = try program.run("app", "resume", "nope", "--json")
    let problem = try JSONSerialization.jsonObject(with: Data(unknown.complaint.utf8)) as? [String: Any]
    #expect(unknown.status == 1 && problem?["type"] as? String == "upmc:unknown-app")
    let usage = try program.run("send", "com.example.bank", "--json")
    let mistake = try JSONSerialization.jsonObject(with: Data(usage.complaint.utf8)) as? [String: Any]
    #expect(usage.status == 2 && mistake?["type"] as? String == "upmc:wrong-usage", "\(usage.complaint)")
  }

  @Test func `app create says which time zone it takes, and the help's examples can be pasted`() throws {
    let made = try program.run("app", "create", "com.example.shop", "--name", "Shop")
    #expect(
      made.lines.first?.contains("Its time zone is Asia/Seoul: --time-zone names another.") == true, "\(made.lines)")
    #expect(try program.run("send", "--help").lines.contains { $0.hasSuffix(#"--translation ko=안녕 \"#) })
  }

  @Test func `on a terminal a message to many is asked about first, unless --yes says it`() throws {
    try program.connect().script(
      """
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at)
      SELECT ('00000000-0000-8000-8000-1' || lpad(n::text, 11, '0'))::uuid, 1, 'ukim', 1, 1, 1, 'p' || n, 'd' || n, now(),
        now(), now() FROM generate_series(1, 101) n
      """)
    // `script` gives the command a terminal, on which somebody types.
    func onTerminal(_ answer: String, _ arguments: [String]) throws -> Program.Ended {
      try program.run(
        through: ["/bin/sh", "-c", "echo \(answer) | script -qec \"$0 $*\" /dev/null"],
        ["send", "com.example.bank", "--all", "--body", "hi"] + arguments)
    }
    let stopped = try onTerminal("n", [])
    #expect(stopped.status == 1, "\(stopped.lines)")
    #expect(stopped.lines.joined().contains("reaches 102 devices. Go on? [y/N]"), "\(stopped.lines)")
    #expect(try program.run("status").lines == ["There are no messages of this kind."])
    #expect(try onTerminal("y", []).status == 0)
    #expect(try onTerminal("n", ["--yes"]).status == 0)
    #expect(try program.run("status").lines.count == 2)
  }
}

import Testing
import Postgres
import TestSupport

/// Templates, approvals, and people in files, from the command line.
@Suite struct KeptCommandTests {
  let program: Program

  init() throws {
    program = try Program()
    #expect(try program.run("app", "create", "com.example.bank", "--name", "Bank").status == 0)
  }

  @Test func `a template is kept, listed, shown, sent from, and deleted`() throws {
    let kept = try program.run(
      "template", "keep", "com.example.bank", "--name", "Payday", "--message", #"{"alert":"The salary is there."}"#)
    #expect(kept.lines == ["Kept template 1."], "\(kept.complaint)")
    #expect(
      try program.run("template", "list", "com.example.bank").lines == ["1  Payday  command line (\(Program.unixUser))"]
    )
    #expect(try program.run("template", "show", "1", "--json").string("name") == "Payday")
    let tried = try program.run("send", "com.example.bank", "--all", "--template", "1", "--dry-run")
    #expect(tried.status == 0 && tried.lines.first?.hasPrefix("Nothing was sent.") == true, "\(tried.complaint)")
    let replaced = try program.run(
      "template", "keep", "com.example.bank", "--name", "Other", "--message", "{\"alert\":\"x\"}", "--replace", "1")
    #expect(replaced.status == 0)
    #expect(try program.run("template", "delete", "1").lines == ["Deleted template 1."])
    #expect(try program.run("template", "show", "1").complaint.hasPrefix("upmc: There is no template 1."))
    let sender = try program.run(
      "sender", "keep", "com.example.bank", "--name", "Marketing", "--sender", "UMSUI", "--message", "{}", "--json")
    #expect(sender.string("sender") == "UMSUI")
    #expect(try program.run("draft", "list", "com.example.bank").lines == ["There are no drafts."])
  }

  @Test func `what was sent to a person is listed, a line for each device, or as JSON`() throws {
    try program.connect().script(
      """
      INSERT INTO users (app, user_key) VALUES (1, 'ukim');
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at)
      SELECT '00000000-0000-8000-8000-000000000001', 1, 'ukim', 1, 1, 1, 'p', 'd', now(), now(), now();
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, created_at, expires_at, finished_at)
      SELECT 1, 1, 6, 2, '{"alert":{"title":"Payday","body":"b"},"sender":"CRM"}', '', now(), now(), now();
      INSERT INTO outcomes (seqno, device, at, status, attempts, user_key, reason)
      SELECT 1, device, '2026-11-21T09:30:00Z', 2, 1, 'ukim', 'Unregistered' FROM devices
      """)
    let lines = try program.run("person", "com.example.bank", "kim").lines
    #expect(lines.count == 2 && lines.first?.hasSuffix("  1  bulk  CRM  Payday") == true, "\(lines)")
    #expect(
      lines.last == "    00000000-0000-8000-8000-000000000001  rejected (Unregistered) 2026-11-21T09:30:00.000Z",
      "\(lines)")
    let json = try program.run("person", "com.example.bank", "kim", "--json")
    #expect(json.string("seqno") == "1" && json.string("title") == "Payday", "\(json.lines)")
    #expect(try program.run("person", "com.example.bank", "lee").complaint.contains("has no user lee"))
  }

  @Test func `a policy asks for a second person, and what waits is approved or rejected`() throws {
    let set = try program.run("app", "policy", "com.example.bank", "--approval-above", "2")
    #expect(set.lines.first?.contains("a second person is asked above 2 devices") == true, "\(set.complaint)")
    try program.connect().script(
      """
      INSERT INTO accounts (login, name, role) VALUES ('kim', 'Kim', 'operator');
      INSERT INTO approvals (app, request, request_sha256, unknown_entries, account, requested_by, requested_at, ends_at)
      SELECT 1, '{"appId":"com.example.bank","audience":{"all":true},"alert":"x"}', '\\x00', '[]', 1, 'kim', now(),
        now() + interval '1 day' FROM generate_series(1, 2)
      """)
    #expect(try program.run("approval", "list", "--state", "waiting").lines.count == 2)
    let approved = try program.run("approval", "approve", "1")
    #expect(approved.lines == ["Message 1 for 0 devices is queued."], "\(approved.complaint)")
    let rejected = try program.run("approval", "reject", "2", "--reason", "no", "--json")
    #expect(rejected.string("state") == "rejected" && rejected.string("reason") == "no")
    #expect(try program.run("approval", "approve", "2").status == 1)
  }

  @Test func `another secret for user proofs leaves the identity of an app as it is`() throws {
    _ = try program.run("app", "policy", "com.example.bank", "--identity", "strict", "--unproved", "0")
    func renewed() throws -> [String] {
      try program.run("app", "policy", "com.example.bank", "--renew-user-proof-secret").lines
    }
    let (first, second) = (try renewed(), try renewed())
    #expect(first.count == 2 && first[0].contains("identity strict"), "\(first)")
    #expect(first[0] == second[0] && first[1] != second[1], "\(second)")
  }

  @Test func `a file is brought in, its wrong lines are told, and it is written again`() throws {
    let path = program.directory + "/people.csv"
    TemporaryDirectory.write(path, "clientUid,clientName,tags\nkim,Kim,vip\n,nobody,\nlee,Lee,\n")
    let done = try program.run("import", "com.example.bank", path)
    #expect(
      done.lines == [
        "line 3: clientUid is empty",
        "Import 1 is finished: 2 people of 3 lines brought in, 1 lines were wrong.",
      ], "\(done.complaint)")
    let none = try program.run("import", "com.example.bank", path, "--all-or-nothing", "--json")
    #expect(none.string("state") == "refused")
    let users = try program.run("export", "users", "--app", "com.example.bank")
    let lines = users.lines.joined(separator: "\n").split(whereSeparator: \.isNewline)
    #expect(users.status == 0 && lines.count == 3, "\(users.complaint)")
    #expect(lines.last?.hasPrefix("lee,Lee,,,0,0") == true)
    #expect(try program.run("export", "audit").lines.contains { $0.contains("import.begin") })
    #expect(try program.run("export", "members").status == 2)
  }

  @Test func `an import that broke off is cancelled, and the storage of an app is shown`() throws {
    try program.connect().script(
      """
      INSERT INTO imports (app, kind, skips_errors, created_by)
      SELECT app, 1, true, 'kim' FROM apps WHERE app_id = 'com.example.bank'
      """)
    let cancelled = try program.run("import", "--cancel", "1")
    #expect(
      cancelled.lines == ["Import 1 is cancelled: 0 people of 0 lines brought in, 0 lines were wrong."],
      "\(cancelled.complaint)")
    #expect(try program.run("import", "--cancel", "1", "--json").string("state") == "cancelled")
    #expect(try program.run("import", "com.example.bank", "--cancel", "1").status == 2)
    let storage = try program.run("app", "storage", "com.example.bank")
    #expect(
      storage.lines.joined(separator: "\n") == """
        media: 0 of 20480 MiB
        audience files: 0 of 32768 MiB
        parts of imports: 0 of 2048
        """, "\(storage.complaint)")
    #expect(try program.run("app", "storage", "com.example.bank", "--json").status == 0)
  }
}

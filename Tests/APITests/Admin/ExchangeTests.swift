import Domain
import HTTPClient
import Operations
import Postgres
import Store
import TestSupport
import Testing

@testable import API

/// People in files, in and out.
@Suite struct ExchangeTests {
  private let world: AdminWorld
  private let key: String

  init() throws {
    world = try AdminWorld()
    key = try world.key(.operator)
    _ = try world.call(
      "POST", "/v1/admin/groups", key: key, #"{"appId":"com.example.bank","name":"News"}"#)
    try world.connection.script("INSERT INTO groups (app, name) VALUES (1, 'Sports')")
  }

  private func begin(_ members: String = #""kind":"users""#) throws -> HTTPResponse {
    try world.call("POST", "/v1/admin/imports", key: key, #"{"appId":"com.example.bank",\#(members)}"#)
  }

  private func put(_ text: String, part: Int = 1, last: Bool = true, of number: Int = 1) throws -> HTTPResponse {
    try world.call(
      "PUT", "/v1/admin/imports/\(number)/parts/\(part)?last=\(last)", key: key, type: "text/csv", text)
  }

  private func errors(of number: Int = 1) throws -> [String] {
    let answer = try world.call("GET", "/v1/admin/imports/\(number)/errors", key: key, type: nil)
    return zip(answer.values(of: "line"), answer.values(of: "error")).map { "\($0) \($1)" }
  }

  private func users() throws -> [String] {
    let rows = try world.connection.run(
      Statement(
        "test-users",
        """
        SELECT substr(u.user_key, 2) || '|' || u.name || '|' || array_to_string(u.tags, ';') || '|' || coalesce((
          SELECT string_agg(m.groupseq::text, ';' ORDER BY m.groupseq) FROM group_members m
          WHERE m.app = u.app AND m.user_key = u.user_key), '')
        FROM users u ORDER BY u.user_key
        """))
    return (0..<rows.count).map { rows.text($0, 0) }
  }

  private static let file = """
    clientUid,clientName,groupSeqs,tags\r
    kim,Kim,1;2,vip;gold\r
    ,Nobody,,\r
    lee,"Lee, ""the"" boss",,\r
    park,Park,99,\r
    choi,Choi,1,\r
    jung,Jung\r
    kim,,,silver\r

    """

  private static let wrong = [
    "3 clientUid is empty", "5 the app has no group 99", "7 has 2 fields instead of 4",
  ]
  private static let good = ["choi|Choi||1", "kim|Kim|gold;silver;vip|1;2", "lee|Lee, \"the\" boss||"]

  @Test func `tags of devices come by file, each wrong line is told, and the same file again changes nothing`() throws {
    try world.connection.script(
      """
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at, tags)
      SELECT ('00000000-0000-8000-8000-00000000000' || n)::uuid, CASE WHEN n = 3 THEN 2 ELSE 1 END, 'uu', 1, 1,
        CASE WHEN n = 4 THEN 2 ELSE 1 END, 'p' || n, 'd' || n, now(), now(), now(), CASE WHEN n = 1 THEN '{old}'::text[]
        ELSE '{}' END FROM generate_series(1, 5) n;
      UPDATE devices SET tags = (SELECT array_agg('t' || n) FROM generate_series(1, 99) n) WHERE device_id = 'd5'
      """)
    #expect(try begin(#""kind":"devices""#).status == 201)
    func id(_ number: Int) -> String { "00000000-0000-8000-8000-00000000000\(number)" }
    let file = """
      device,tags
      \(id(1)),vip;gold
      \(id(2)),vip
      \(id(2)),silver
      \(id(3)),vip
      \(id(4)),vip
      \(id(5)),a;b
      nothing,vip
      """
    #expect(try put(file).text.contains(#""imported":3,"rejected":4"#))
    #expect(
      try errors() == [
        "5 the app has no device \(id(3))", "6 the app has no device \(id(4))", "7 gives \(id(5)) more than 100 tags",
        "8 device must be a device's id, as lists show it",
      ])
    func tags() throws -> [String] {
      let rows = try world.connection.run(
        Statement(
          "test-tags", "SELECT array_to_string(tags, ';') FROM devices WHERE device_id < 'd5' ORDER BY device_id"))
      return (0..<rows.count).map { rows.text($0, 0) }
    }
    #expect(try tags() == ["gold;old;vip", "silver;vip", "", ""])
    #expect(try begin(#""kind":"devices""#).status == 201)
    #expect(try put(file, of: 2).text.contains(#""imported":3,"rejected":4"#))
    #expect(try tags() == ["gold;old;vip", "silver;vip", "", ""])
    #expect(try begin(#""kind":"devices","groupSeq":"1""#).isProblem(.impossible))
    // An exported file can be imported.
    let exported = try world.call("GET", "/v1/admin/exports/devices?appId=com.example.bank", key: key, type: nil)
    #expect(try begin(#""kind":"devices""#).status == 201)
    #expect(try put(exported.text, of: 3).text.contains(#""imported":3,"rejected":0"#), "\(exported.text)")
    #expect(try tags() == ["gold;old;vip", "silver;vip", "", ""])
  }

  @Test func `of a file with three wrong lines exactly those three are told, and the others brought in`() throws {
    let begun = try begin()
    #expect(begun.status == 201 && begun.values(of: "state") == ["open"], "\(begun.text)")
    let done = try put(Self.file)
    #expect(done.status == 200, "\(done.text)")
    for part in [#""state":"finished""#, #""lines":7"#, #""imported":4"#, #""rejected":3"#, #""parts":1"#] {
      #expect(done.text.contains(part), "\(done.text)")
    }
    #expect(try errors() == Self.wrong)
    #expect(try users() == Self.good)
    #expect(try world.call("GET", "/v1/admin/imports/1", key: key, type: nil).text == done.text)
  }

  @Test func `with skipErrors false one wrong line brings all to nothing, and all wrong lines are told`() throws {
    _ = try begin(#""kind":"users","skipErrors":false"#)
    let lines = Self.file.split(separator: "\r\n")
    #expect(try put(lines[0...1].joined(separator: "\r\n") + "\r\n", last: false).status == 200)
    #expect(try users().isEmpty)
    let done = try put(lines[2...].joined(separator: "\r\n"), part: 2)
    #expect(done.values(of: "state") == ["refused"] && done.values(of: "imported") == ["0"], "\(done.text)")
    #expect(try errors() == Self.wrong)
    #expect(try users().isEmpty)
    _ = try begin(#""kind":"users","skipErrors":false"#)
    #expect(try put("clientUid,clientName\nkim,K", last: false, of: 2).values(of: "imported") == ["0"])
    #expect(try users().isEmpty)
    let good = try put("im\nlee,Lee", part: 2, of: 2)
    #expect(good.values(of: "state") == ["finished"] && good.values(of: "imported") == ["2"], "\(good.text)")
    #expect(try users() == ["kim|Kim||", "lee|Lee||"])
    let left = try world.connection.run(Statement("test-parts", "SELECT count(*) FROM import_parts")).int64(0, 0)
    #expect(left == 0)
  }

  /// "김".
  private static func letter(_ encoding: FileEncoding) -> [UInt8] {
    switch encoding {
    case .utf8: Array("김".utf8)
    case .cp949: [0xB1, 0xE8]
    }
  }

  @Test(arguments: FileEncoding.allCases)
  func `a file may be cut anywhere, and comes out the same`(_ encoding: FileEncoding) throws {
    let bytes = Array(Self.file.utf8).replacing("Kim".utf8, with: Self.letter(encoding))
    for (number, size) in [1, 2, 7, 40].enumerated() {
      try world.connection.script("TRUNCATE users, group_members")
      _ = try begin()
      let parts = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
      for (index, part) in parts.enumerated() {
        _ = try ImportService.take(
          ImportPart(number: Int32(index + 1), bytes: Array(part), isLast: index == parts.count - 1),
          of: Int64(number + 1), by: .commandLine, on: world.connection, now: 0)
      }
      #expect(try errors(of: number + 1) == Self.wrong, "\(size)")
      #expect(try users() == Self.good.map { $0.replacing("|Kim|", with: "|김|") }, "\(size)")
      let shown = try world.call("GET", "/v1/admin/imports/\(number + 1)", key: key, type: nil)
      #expect(shown.values(of: "encoding") == [encoding.name])
    }
  }

  private func take(_ parts: [[UInt8]], of number: Int64 = 1) throws {
    for (index, part) in parts.enumerated() {
      _ = try ImportService.take(
        ImportPart(number: Int32(index + 1), bytes: part, isLast: index == parts.count - 1), of: number,
        by: .commandLine, on: world.connection, now: 0)
    }
  }

  @Test func `what the first letters are written in holds for the file, and a line in the other encoding is told`()
    throws
  {
    let (utf8, korean) = (Self.letter(.utf8), Self.letter(.cp949))
    let head = Array("clientUid,clientName\nkim,".utf8)
    _ = try begin()
    // A name over two lines, whose second one comes with the next part.
    try take([head + korean + Array("\nlee,\"".utf8) + korean + [0x0A], korean + Array("\"\npark,".utf8) + utf8])
    #expect(try users() == ["kim|김||", "lee|김\n김||"])
    #expect(try errors() == ["5 \(CSVReader.wrongEncoding)"])
    _ = try begin(#""kind":"users","skipErrors":false"#)
    try take([head, korean + Array("\npark,".utf8) + korean], of: 2)
    #expect(try users() == ["kim|김||", "lee|김\n김||", "park|김||"])
    // What whoever sends it knows is not guessed.
    _ = try begin(#""kind":"users","encoding":"UTF-8""#)
    try take([head + korean + Array("\nchoi,".utf8) + utf8], of: 3)
    #expect(try users() == ["choi|김||", "kim|김||", "lee|김\n김||", "park|김||"])
    #expect(try errors(of: 3) == ["2 \(CSVReader.wrongEncoding)"])
    #expect(try begin(#""kind":"users","encoding":"UTF-16""#).status == 400)
    _ = try begin()
    #expect(throws: Problem.self) { try take([[0xFF, 0xFE, 0x61, 0x00]], of: 4) }
  }

  @Test func `a part that comes again changes nothing, another one than the next is refused`() throws {
    _ = try begin()
    let first = try put("clientUid\nkim\n,\n", last: false)
    #expect(try put("clientUid\nkim\n,\n", last: false).text == first.text)
    #expect(try put("clientUid\nlee\n", last: false).isProblem(.conflict))
    #expect(try put("park\n", part: 3).isProblem(.conflict))
    let last = try put("park\n", part: 2)
    #expect(last.values(of: "imported") == ["2"])
    #expect(try put("park\n", part: 2).text == last.text)
    #expect(try put("choi\n", part: 3).isProblem(.conflict))
    #expect(try users() == ["kim|||", "park|||"])
  }

  @Test func `no part of a file is brought into an app that is being deleted, neither the last one nor any other`()
    throws
  {
    _ = try begin()
    #expect(try put("clientUid\nkim\n", last: false).status == 200)
    let path = "/v1/admin/apps/com.example.bank"
    let admin = try world.key(.admin, app: nil)
    let deleted = try world.call("DELETE", "\(path)?confirm=com.example.bank", key: admin, type: nil)
    #expect(deleted.status == 200, "\(deleted.text)")
    for isLast in [false, true] { #expect(try put("lee\n", part: 2, last: isLast).isProblem(.conflict)) }
    #expect(try users() == ["kim|||"])
    #expect(try world.call("GET", "/v1/admin/imports/1", key: key, type: nil).values(of: "parts") == ["1"])
    #expect(try world.call("POST", "\(path)/restore", key: admin, type: nil).status == 200)
    #expect(try put("lee\n", part: 2).values(of: "state") == ["finished"])
    #expect(try users() == ["kim|||", "lee|||"])
  }

  @Test func `an import that began over a month ago takes no more parts, for what had arrived of it is gone`() throws {
    _ = try begin()
    #expect(try put("clientUid\nki", last: false).status == 200)
    try world.connection.script("UPDATE imports SET created_at = now() - interval '31 days'")
    #expect(try put("m\n", part: 2).isProblem(.conflict))
    #expect(try users().isEmpty)
  }

  @Test(arguments: [true, false])
  func `lines are judged before the import is locked, also those of earlier parts`(_ skipsErrors: Bool) throws {
    let head = "clientUid,groupSeqs\nkim,1\n"
    _ = try begin(#""kind":"users","skipErrors":\#(skipsErrors)"#)
    if !skipsErrors { #expect(try put(head, last: false).status == 200) }
    // The groups by which lines are judged are away, and somebody has locked the import: whatever comes first fails.
    try world.connection.script("ALTER TABLE groups RENAME TO groups_away; SET lock_timeout = '10ms'")
    let other = try world.database.connect()
    try other.script("BEGIN; SELECT import FROM imports FOR UPDATE")
    defer { try? other.script("ROLLBACK") }
    let part = ImportPart(
      number: skipsErrors ? 1 : 2, bytes: Array((skipsErrors ? head : "lee,\n").utf8), isLast: true)
    let problem = try #require(throws: Problem.self) {
      try ImportService.take(part, of: 1, by: .commandLine, on: world.connection, now: 0)
    }
    #expect(problem.code == .internalError, "\(problem)")
  }

  @Test func `members are users who are known, of a group of the app`() throws {
    _ = try begin()
    _ = try put("clientUid\nkim\nlee\n")
    #expect(try begin(#""kind":"members""#).isProblem(.impossible))
    #expect(try begin(#""kind":"members","groupSeq":"99""#).isProblem(.unknownGroup))
    #expect(try begin(#""kind":"users","groupSeq":"1""#).isProblem(.impossible))
    #expect(try begin(#""kind":"members","groupSeq":"1""#).status == 201)
    let done = try put("clientUid\nkim\nnobody\n", of: 2)
    #expect(done.values(of: "imported") == ["1"] && done.values(of: "rejected") == ["1"], "\(done.text)")
    #expect(try errors(of: 2) == ["3 the app has no user nobody"])
    #expect(try users() == ["kim|||1", "lee|||"])
    let list = try world.call("GET", "/v1/admin/imports?appId=com.example.bank", key: key, type: nil)
    #expect(list.values(of: "importId") == ["2", "1"])
  }

  @Test func `nobody becomes a member of a group that was deleted since its import began`() throws {
    _ = try begin()
    _ = try put("clientUid\nkim\n")
    #expect(try begin(#""kind":"members","groupSeq":"1""#).status == 201)
    #expect(try world.call("DELETE", "/v1/admin/groups/1", key: key, type: nil).status == 204)
    let done = try put("clientUid\nkim\n", of: 2)
    #expect(done.values(of: "imported") == ["0"] && done.values(of: "rejected") == ["1"], "\(done.text)")
    #expect(try errors(of: 2) == ["2 the app has no group 1"])
    #expect(try users() == ["kim|||"])
  }

  @Test(arguments: [
    (
      "name\nkim\n",
      ["1 the first line must name the columns: clientUid, clientName, groupSeqs, tags; clientUid is needed"]
    ),
    ("clientUid\n\"kim\nlee\n", ["2 has a quote that is never closed"]),
    (
      "clientUid,tags\nkim,\u{7}\n", ["2 the tag \"\u{7}\" must have no control characters, and no blank at either end"]
    ),
    ("clientUid,groupSeqs\nkim,x\n", ["2 groupSeqs: \"x\" is no GROUPSEQ"]),
    ("clientUid\nGUEST\n", ["2 GUEST means: no user"]),
    ("clientUid\nki\u{0}m\n", ["2 holds U+0000, which cannot be stored"]),
  ])
  func `a wrong line says what is wrong`(file: String, wrong: [String]) throws {
    _ = try begin()
    #expect(try put(file).status == 200)
    let found = try world.connection.run(
      Statement("test-errors", "SELECT line || ' ' || error FROM import_errors ORDER BY line LIMIT 1"))
    #expect([found.text(0, 0)] == wrong)
  }

  @Test func `nobody gets more tags than a user may have, and who would, is told`() throws {
    _ = try begin()
    let many = (0..<Domain.Limits.tagsPerOwner).map { "t\($0)" }.joined(separator: ";")
    #expect(try put("clientUid,tags\nkim,\(many)\nlee,\(many);one\n").values(of: "imported") == ["1"])
    #expect(try errors() == ["3 gives lee more than 100 tags"])
    _ = try begin()
    #expect(try put("clientUid,tags\nkim,more\nlee,one\n", of: 2).values(of: "imported") == ["1"])
    #expect(try errors(of: 2) == ["2 gives kim more than 100 tags"])
  }

  @Test func `what was exported can be imported, and a formula stays text`() throws {
    _ = try begin()
    _ = try put("clientUid,clientName,groupSeqs,tags\nkim,\"=HYPERLINK(\"\"x\"\")\",1,a;b\n'lee,+82,,\n")
    let path = "/v1/admin/exports/users?appId=com.example.bank"
    let file = try world.call("GET", path, key: key, type: nil)
    #expect(file.header("content-type") == "text/csv; charset=utf-8")
    #expect(file.header("content-disposition") == "attachment; filename=\"users-com.example.bank.csv\"")
    #expect(
      file.text
        == "\u{FEFF}clientUid,clientName,groupSeqs,tags,badge,devices\r\n'lee,\"'+82\",,,0,0\r\n"
        + "kim,\"'=HYPERLINK(\"\"x\"\")\",1,a;b,0,0\r\n")
    let before = try users()
    try world.connection.script("TRUNCATE users, group_members")
    _ = try begin()
    #expect(try put(file.text, of: 2).values(of: "rejected") == ["0"])
    #expect(try users() == before)
    #expect(try world.call("GET", path + "&prefix=k", key: key, type: nil).text.split(separator: "\r\n").count == 2)
    // The log outlives the person: what was looked for stands there as a hash.
    let traces = try world.connection.run(
      Statement("test-export-prefix", "SELECT object FROM audit_log WHERE action = 'export.users' ORDER BY entry"))
    #expect(traces.map { traces.text($0, 0).prefix(7) } == ["", "sha256:"])
  }

  @Test func `a large list is written in pieces, whole, and leaves a trace`() throws {
    try world.connection.script(
      "INSERT INTO users (app, user_key, name) SELECT 1, 'u' || lpad(n::text, 6, '0'), 'N' FROM generate_series(1, 30000) n"
    )
    let watcher = try Watcher(world, "/v1/admin/exports/users?appId=com.example.bank", key: key)
    let text = String(decoding: try watcher.rest(), as: UTF8.self)
    #expect(try watcher.isWhole())
    #expect(text.split(separator: "\r\n").count == 30_001 && text.hasSuffix("030000,N,,,0,0\r\n"))
    let traces = try world.connection.run(
      Statement("test-traces", "SELECT count(*) FROM audit_log WHERE action = 'export.users'"))
    #expect(traces.int64(0, 0) == 1)
  }

  @Test func `members, deliveries and the audit log are exported too, to whoever may`() throws {
    _ = try begin()
    _ = try put("clientUid,clientName,groupSeqs\nkim,Kim,1\n")
    let members = try world.call("GET", "/v1/admin/exports/members?groupSeq=1", key: key, type: nil)
    #expect(members.text.contains("\r\nkim,Kim,20"), "\(members.text)")
    _ = try world.call("POST", "/v1/admin/messages", key: key, AdminWorld.send)
    try world.connection.script(
      """
      INSERT INTO outcomes (seqno, device, user_key, status, reason, attempts, at)
      VALUES (1, '00000000-0000-8000-8000-000000000001', 'ukim', 2, 'Unregistered', 1, now()),
        (1, '00000000-0000-8000-8000-000000000002', 'ulee', 1, NULL, 1, now()),
        (1, '00000000-0000-8000-8000-000000000003', 'upark', 5, 'gone', 0, now())
      """)
    for (query, cuids) in [
      ("", ["kim", "lee", "park"]), ("&status=accepted", ["lee"]), ("&status=skipped", ["park"]),
      ("&status=pending", []), ("&status=failed", ["kim", "park"]), ("&status=failed&reason=gone", ["park"]),
      ("&reason=Unregistered", ["kim"]), ("&status=accepted&reason=gone", []),
    ] as [(String, [String])] {
      let file = try world.call("GET", "/v1/admin/exports/deliveries?seqno=1\(query)", key: key, type: nil)
      let lines = file.text.split(separator: "\r\n").dropFirst()
      #expect(lines.map { String($0.split(separator: ",")[1]) } == cuids, "\(query): \(file.text)")
    }
    let unknown = try world.call("GET", "/v1/admin/exports/deliveries?seqno=1&status=x", key: key, type: nil)
    #expect(unknown.isProblem(.invalidField), "\(unknown.text)")
    let deliveries = try world.call("GET", "/v1/admin/exports/deliveries?seqno=1", key: key, type: nil)
    #expect(deliveries.text.contains("00000000-0000-8000-8000-000000000001,kim,rejected,Unregistered,1,"))
    let audit = try world.call("GET", "/v1/admin/exports/audit", key: try world.key(.admin), type: nil)
    #expect(audit.text.contains("import.begin"))
    #expect(try world.call("GET", "/v1/admin/exports/audit", key: key, type: nil).isProblem(.forbidden))
    #expect(
      try world.call("GET", "/v1/admin/exports/deliveries?seqno=9", key: key, type: nil).isProblem(.unknownMessage))
    #expect(try world.call("GET", "/v1/admin/exports/members?groupSeq=9", key: key, type: nil).isProblem(.unknownGroup))
    #expect(try world.call("GET", "/v1/admin/exports/users", key: key, type: nil).isProblem(.invalidField))
  }
}

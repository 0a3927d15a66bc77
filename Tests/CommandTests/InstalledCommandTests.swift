import Foundation
import Postgres
import TestSupport
import Testing

/// `upmc import --registrations`, as an operator runs it.
@Suite struct InstalledCommandTests {
  let program: Program
  private let path: String

  init() throws {
    program = try Program()
    path = program.directory + "/devices.csv"
    #expect(try program.run("app", "create", "com.example.bank", "--name", "Bank").status == 0)
    TemporaryDirectory.write(
      path, "TOKEN,PNSID,DEVICE_ID,CUID,PHONENUM,MEMO\naa01,APNS,d1,kim,010-1234,x\nzz,APNS,d2,lee,,\naa03,FCM,d3,,,\n")
  }

  private func bring(_ more: String...) throws -> Program.Ended {
    try program.run(
      ["import", "--registrations", path, "--app", "com.example.bank", "--columns", "TOKEN=PSID"] + more, removing: [])
  }

  @Test func `a dry run shows the columns and what would happen, and changes nothing`() throws {
    let done = try bring("--dry-run")
    #expect(
      done.lines == [
        "column TOKEN is PSID", "column PNSID is PNSID", "column DEVICE_ID is DEVICE_ID", "column CUID is CUID",
        "column PHONENUM is PHONENUM", "column MEMO is passed over", "The file is UTF-8.",
        "line 3: PSID is no APNs device token in hex. Leave the line out, or look whether PNSID and PSID belong together.",
        "1 lines: PSID is no APNs device token in hex",
        "So it would be, and nothing was changed. 3 lines: 2 new, 0 changed, 0 unchanged, 0 left to the device, "
          + "0 of other apps, 1 wrong.",
      ], "\(done.complaint)")
    #expect(try program.connect().run(Statement("count", "SELECT count(*) FROM devices")).int64(0, 0) == 0)
  }

  @Test func `it is brought in, told, noted in the audit log, and again changes nothing`() throws {
    let errors = program.directory + "/errors.csv"
    let done = try bring("--errors", errors, "--json")
    #expect(done.status == 0 && done.string("new") == nil, "\(done.complaint)")
    #expect(done.lines.first?.contains(#""new":2,"changed":0,"unchanged":0"#) == true, "\(done.lines)")
    let told = try String(contentsOfFile: errors, encoding: .utf8)
    #expect(told.contains("3,PSID,is no APNs device token in hex,"), "\(told)")
    let again = try bring()
    #expect(again.lines.last?.hasPrefix("Nothing has changed. 3 lines: 0 new, 0 changed, 2 unchanged") == true)
    let audit = try program.run("export", "audit").lines.joined()
    #expect(audit.contains("registrations.begin") && audit.contains("registrations.finish"))
    #expect(!audit.contains("010-1234") && !audit.contains("aa01"))
  }

  @Test func `one wrong line, and with --all-or-nothing no device comes in`() throws {
    let done = try bring("--all-or-nothing")
    #expect(done.status == 1 && done.complaint.contains("Nothing was brought in: 1 line is wrong"))
    #expect(try program.connect().run(Statement("count", "SELECT count(*) FROM devices")).int64(0, 0) == 0)
  }

  @Test func `messages go on behind the numbers of the other server, and never go back`() throws {
    #expect(try program.run("send", "com.example.bank", "--all", "--body", "x").status == 0)
    #expect(try bring("--after-seqno", "7300000").status == 0)
    #expect(try bring("--after-seqno", "12").status == 0)
    #expect(try program.run("send", "com.example.bank", "--all", "--body", "x").status == 0)
    let connection = try program.connect()
    #expect(try connection.run(Statement("last", "SELECT max(seqno) FROM messages")).int64(0, 0) == 7_300_001)
    let room = try connection.run(
      Statement("room", "SELECT count(*) FROM seqno_ranges WHERE upto_seqno > 7400000 AND from_seqno <= 7300001"))
    #expect(room.int64(0, 0) == 1)
  }

  @Test func `a number that cannot be gone on behind is refused before any device comes in`() throws {
    #expect(try bring("--after-seqno", "0").status == 1)
    #expect(try program.connect().run(Statement("count", "SELECT count(*) FROM devices")).int64(0, 0) == 0)
  }

  @Test func `what does not belong together is refused in words`() throws {
    #expect(try program.run("import", "--registrations", path).status == 2)
    #expect(try program.run("import", "com.example.bank", path, "--dry-run").status == 2)
    #expect(try program.run("import", "com.example.bank").status == 2)
    let missing = try program.run("import", "--registrations", path, "--app", "com.example.bank")
    #expect(missing.status == 1 && missing.complaint.contains("--columns theirs=PSID"), "\(missing.complaint)")
    let unknown = try program.run("import", "--registrations", path + "x", "--app", "com.example.bank")
    #expect(unknown.status == 1 && unknown.complaint.contains("cannot be read"))
  }

  @Test func `people come from files of Korean Windows too`() throws {
    let people = program.directory + "/people.csv"
    let bytes = Array("CUID,CNAME\r\nkim,".utf8) + [0xB1, 0xE8, 0x0D, 0x0A]
    #expect(FileManager.default.createFile(atPath: people, contents: Data(bytes)))
    #expect(try program.run("import", "com.example.bank", people).status == 0)
    let row = try program.connect().run(Statement("name", "SELECT name FROM users WHERE user_key = 'ukim'"))
    #expect(row.text(0, 0) == "김")
  }

  @Test func `a line of people in no encoding is told by its number, and the others come in`() throws {
    let people = program.directory + "/people.csv"
    let bytes = Array("CUID,CNAME\nkim,김\nlee,".utf8) + [0xB1, 0xE8] + Array("\npark,박\n".utf8)
    #expect(FileManager.default.createFile(atPath: people, contents: Data(bytes)))
    let done = try program.run("import", "com.example.bank", people)
    #expect(done.lines.contains { $0.hasPrefix("line 3: is not text in the encoding of its file") }, "\(done)")
    let rows = try program.connect().run(
      Statement("names", "SELECT string_agg(user_key || ' ' || name, ', ' ORDER BY user_key) FROM users"))
    #expect(rows.text(0, 0) == "ukim 김, upark 박")
  }
}

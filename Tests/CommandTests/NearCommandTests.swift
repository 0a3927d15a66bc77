import Foundation
import Postgres
import TestSupport
import Testing

/// What commands say where there is nothing, or where something is there already.
@Suite struct NearCommandTests {
  let program: Program

  init() throws {
    program = try Program()
  }

  @Test(arguments: [
    ["app", "list"], ["status"], ["key", "create", "--role", "admin"], ["migrate"], ["backup", "b.dump"],
  ])
  func `a directory without a database is not given one by a command`(_ arguments: [String]) throws {
    let data = program.directory + "/nothing"
    let ended = try program.run(
      through: [], arguments, adding: ["UPMC_DATA_DIR=\(data)"], removing: ["UPMC_DATABASE_URL", "UPMC_MASTER_KEY"])
    #expect(ended.status == 1 && ended.lines.isEmpty, "\(ended.lines)")
    #expect(ended.complaint.hasPrefix("upmc: There is no database in \(data)"), "\(ended.complaint)")
    #expect(ended.complaint.contains("upmc serve") && ended.complaint.contains("UPMC_DATABASE_URL"))
    #expect(!FileManager.default.fileExists(atPath: data))
  }

  @Test func `no private database is made for a backup that is not there`() throws {
    let data = program.directory + "/nothing"
    let ended = try program.run(
      through: [], ["restore", program.directory + "/b.dump"], adding: ["UPMC_DATA_DIR=\(data)"],
      removing: ["UPMC_DATABASE_URL", "UPMC_MASTER_KEY"])
    #expect(ended.status == 1 && ended.complaint.contains("b.dump cannot be read"), "\(ended.complaint)")
    #expect(!FileManager.default.fileExists(atPath: data))
  }

  @Test func `an API key may come through a pipe, as the help of upmc context add has it`() throws {
    let added = try program.run(
      through: ["/bin/sh", "-c", "echo upmc_piped | \"$@\"", "sh"],
      ["context", "add", "p", "--server", "http://127.0.0.1:9", "--api-key-file", "/dev/stdin", "--offline"],
      adding: ["HOME=\(program.directory)"])
    #expect(added.lines == ["Kept p, which is in use."], "\(added.complaint)")
    let kept = TemporaryDirectory.read(program.directory + "/.config/upmc/contexts.json") ?? ""
    #expect(kept.contains("\"upmc_piped\""), "\(kept)")
  }

  @Test func `status tells which message is which`() throws {
    #expect(try program.run("app", "create", "com.example.bank", "--name", "Bank").status == 0)
    #expect(try program.run("send", "com.example.bank", "--all", "--title", "Payday", "--body", "Today").status == 0)
    #expect(try program.run("send", "com.example.bank", "--all", "--body", "Only a body").status == 0)
    try program.connect().script("UPDATE messages SET created_at = '2026-12-24T09:00:00Z'")
    let lines = try program.run("status").lines
    #expect(lines.count == 2)
    #expect(
      lines.first?.hasPrefix("2  com.example.bank  \"Only a body\"  2026-12-24T09:00:00.000Z  queued") == true,
      "\(lines)")
    #expect(
      lines.last?.hasPrefix("1  com.example.bank  \"Payday\"  2026-12-24T09:00:00.000Z  queued") == true, "\(lines)")
    let one = try program.run("status", "1", "--json")
    #expect(one.string("appId") == "com.example.bank" && one.string("createdAt") == "2026-12-24T09:00:00.000Z")
    #expect((one.object?["alert"] as? [String: Any])?["title"] as? String == "Payday", "\(one.lines)")
  }

  @Test func `an app that is there already is told with where its key is`() throws {
    #expect(try program.run("app", "create", "com.example.bank", "--name", "Bank").status == 0)
    let again = try program.run("app", "create", "com.example.bank", "--name", "Bank")
    #expect(again.status == 1 && again.complaint.contains("`upmc app list` shows its client key"), "\(again.complaint)")
  }

  @Test func `the first lines of the README's walk may be pasted twice`() throws {
    let root = URL(filePath: TestDatabase.migrationsDirectory).deletingLastPathComponent()
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let walk = try #require(readme.split(separator: "\n## A walk through it with curl\n").last)
    let lines = walk.split(separator: "\n")
    let last = try #require(lines.firstIndex { $0.contains("CLIENT_KEY=") })
    let first = try #require(lines.firstIndex { $0.contains("upmc app create") })
    let line = lines[first...last].joined(separator: "\n")
    let place = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path
    var keys: [String] = []
    for _ in 1...2 {
      let ended = try program.run(
        through: ["/bin/sh", "-c", "PATH=\(place):$PATH; \(line)\necho $CLIENT_KEY", "sh"], ["unused"])
      #expect(ended.status == 0, "\(ended.complaint)")
      keys.append(ended.lines.last ?? "")
    }
    #expect(keys[0].count == 43 && keys[0] == keys[1], "\(keys)")
  }
}

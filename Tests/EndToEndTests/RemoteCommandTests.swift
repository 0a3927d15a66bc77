import Foundation
import Operations
import Postgres
import Reactor
import Server
import TestSupport
import TestTier
import Testing

/// Commands that ask a server: they need no database and no master key, print what they print on the database, and may do
/// what the key's role may.
@Suite(.slow, .serialized) struct RemoteCommandTests {
  /// A command, and the roles that may run it.
  struct Row: CustomTestStringConvertible {
    let arguments: [String]
    let roles: [Role]
    var testDescription: String { arguments.joined(separator: " ") }

    init(_ line: String, _ roles: [Role]) {
      arguments = line.split(separator: " ").map { String($0.replacing("_", with: " ")) }
      self.roles = roles
    }
  }

  static let all = Role.allCases
  static let senders: [Role] = [.sender, .operator, .admin]
  static let lookers: [Role] = [.operator, .viewer, .admin]
  static let operators: [Role] = [.operator, .admin]
  static let admins: [Role] = [.admin]

  /// Every command that a server can carry out, in an order in which each finds what it needs.
  static let rows: [Row] = [
    Row("app list", all), Row("app identity com.example.bank", all), Row("app ads com.example.bank", all),
    Row("app set com.example.bank --device-sends 1", admins), Row("app resume com.example.bank", admins),
    Row("app policy com.example.bank --badge-sync on", admins),
    Row("app ads com.example.bank --opt-out Stop", admins),
    Row("group create com.example.bank --name ROLE", operators), Row("group list com.example.bank", lookers),
    Row("group members 1", lookers), Row("key list", admins), Row("account list", admins),
    Row("account create ROLE --name N --role viewer", admins), Row("account reset-second-factor 1", admins),
    Row("send com.example.bank --user kim --body B", senders), Row("status", all), Row("status 1", all),
    Row("status 1 --shards", all), Row("explain 1 kim", lookers), Row("person com.example.bank kim", lookers),
    Row("template list com.example.bank", all),
    Row(#"template keep com.example.bank --name ROLE --message {"alert":"x"}"#, operators),
    Row("draft list com.example.bank", all), Row("sender list com.example.bank", all), Row("approval list", all),
    Row("user list com.example.bank", lookers), Row("user show com.example.bank kim", lookers),
    Row("user badge com.example.bank kim 3", operators), Row("user export com.example.bank kim", admins),
    Row("device list com.example.bank", lookers), Row("segment list com.example.bank", all),
    Row(#"segment create com.example.bank --name ROLE --conditions {"tags":{"any":["vip"]}}"#, operators),
    Row("segment count 1", all), Row("tag list com.example.bank", operators),
    Row("tag change com.example.bank --user kim --add vip", operators),
    Row("quarantine list com.example.bank", operators), Row("quarantine restore com.example.bank --all", operators),
    Row("voucher com.example.bank kim", [.sender, .admin]), Row("webhook list", operators),
    Row("webhook create com.example.bank --url https://sms.example.com/x --event sms.requested", admins),
    Row("audit", admins), Row("statistics", all), Row("export users --app com.example.bank", operators),
    Row("export audit", admins), Row("app create com.example.ROLE --name N", admins),
    Row("app client-key com.example.bank", admins), Row("user erase com.example.bank kim", admins),
  ]

  @Test func `each role may do by the command line what its key may, and is told so where it may not`() throws {
    let world = try World()
    let keys = try Dictionary(
      uniqueKeysWithValues: Role.allCases.map {
        ($0, try Administration.createKey($0, appID: nil, by: .commandLine, on: world.connection).apiKey)
      })
    try world.connection.script("INSERT INTO groups (app, name) VALUES (1, 'Seoul')")
    try world.register("d1", token: World.token("a1"), user: "kim")
    _ = try world.finished(try world.send(#"{"clientUids":["kim"]}"#))
    for row in Self.rows {
      // The role that may comes last, so that nobody finds done what he may not do.
      let order = Role.allCases.sorted { !row.roles.contains($0) && row.roles.contains($1) }
      for role in order {
        let arguments = row.arguments.map { $0.replacing("ROLE", with: role.rawValue) }
        let ended = try world.remote(try #require(keys[role]), arguments)
        let isAllowed = row.roles.contains(role)
        let isForbidden = ended.complaint.contains("The role \(role.rawValue) may not do this.")
        #expect(
          (ended.status == 0) == isAllowed && isForbidden == !isAllowed,
          "\(arguments) as \(role): \(ended.status) \(ended.complaint)")
      }
    }
  }

  /// A dry run shows a pushkey that proves nothing: another one each time.
  private static func withoutPushkey(_ line: String) -> String {
    line.replacing(/"pushkey":"[0-9a-f]+"/, with: #""pushkey":"…""#)
  }

  @Test func `a command prints the same, whether a server answers it or the database`() throws {
    let world = try World()
    try world.register("d1", token: World.token("a1"), user: "kim")
    _ = try world.finished(try world.send(#"{"clientUids":["kim"]}"#))
    for line in [
      "app list", "app list --json", "status 1", "status --json", "explain 1 kim", "person com.example.bank kim --json",
      "user list com.example.bank", "user show com.example.bank kim", "device list com.example.bank", "key list",
      "statistics --by day", "send com.example.bank --user kim --body B --dry-run", "webhook list", "group list nope",
      "status 99", "export users --app com.example.bank",
    ] {
      let arguments = line.split(separator: " ").map(String.init)
      var here = try CommandRun.of(arguments, world.commandVariables)
      let there = try world.remote(world.apiKey, arguments)
      // The server may have stored something in between, such as when a key was last used: then it stands here now.
      if here.lines.map(Self.withoutPushkey) != there.lines.map(Self.withoutPushkey) {
        here = try CommandRun.of(arguments, world.commandVariables)
      }
      #expect(
        here.lines.map(Self.withoutPushkey) == there.lines.map(Self.withoutPushkey) && here.status == there.status,
        "\(line): \(here.lines) \(there.lines)")
      #expect(here.complaint == there.complaint, "\(line)")
    }
  }

  @Test func `a context keeps the server and the key, for its owner alone`() throws {
    let world = try World()
    let home = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(home) }
    let server = "http://127.0.0.1:\(world.server.address.port)"
    let keyFile = home + "/key"
    TemporaryDirectory.write(keyFile, world.apiKey + "\n")
    func run(_ arguments: String..., more: [String: String] = [:]) throws -> CommandRun {
      try CommandRun.of(arguments, ["HOME": home].merging(more) { $1 })
    }
    TemporaryDirectory.write(home + "/wrong", "upmc_wrong")
    let wrong = try run("context", "add", "p", "--server", server, "--api-key-file", home + "/wrong")
    #expect(wrong.status == 1 && wrong.complaint.contains("not known"), "\(wrong.complaint)")
    let added = try run("context", "add", "production", "--server", server, "--api-key-file", keyFile)
    #expect(added.lines == ["Kept production, which is in use."], "\(added.complaint)")
    #expect(try run("app", "list", "--json").string("appId") == World.appID)
    let file = home + "/.config/upmc/contexts.json"
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try run("context", "list").lines == ["* production  \(server)"])
    #expect(!(try run("context", "list", "--json").lines.joined().contains("upmc_")))

    // What is said nearer goes before the context.
    let elsewhere = try run("app", "list", more: ["UPMC_DATABASE_URL": "postgresql:///nothing?host=/nonexistent"])
    #expect(elsewhere.complaint.contains("The database cannot be reached"), "\(elsewhere.complaint)")
    #expect(try run("context", "use", "--none").status == 0)
    #expect(try run("app", "list").complaint.contains("There is no database in"))
    #expect(try run("app", "list", "--context", "production").status == 0)
    #expect(try run("app", "list", "--context", "x").complaint.contains("There is no context x"))

    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    let open = try run("app", "list", "--context", "production")
    #expect(open.status == 1 && open.complaint.contains("chmod 600"), "\(open.complaint)")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    #expect(try run("context", "remove", "production").status == 0)
    #expect(try run("context", "list").lines == ["There are no contexts."])
  }

  @Test func `what no server can do says so, and a server that is none is told`() throws {
    let world = try World()
    let server = ["--server", "http://127.0.0.1:\(world.server.address.port)"]
    for command in [
      ["migrate"], ["doctor"], ["backup", "b.dump"], ["restore", "b.dump"], ["serve"], ["health"],
      ["master-key", "rotate"], ["signing-key", "list"],
      ["import", "--registrations", "x.csv", "--app", World.appID],
    ] {
      let ended = try CommandRun.of(command + server, world.commandVariables)
      #expect(ended.status == 2 && ended.complaint.contains("without --server"), "\(command): \(ended.complaint)")
    }
    let keyless = try CommandRun.of(["app", "list"] + server, [:])
    #expect(keyless.status == 1 && keyless.complaint.contains("UPMC_API_KEY"), "\(keyless.complaint)")
    let away = try CommandRun.of(["app", "list"], ["UPMC_SERVER": "http://127.0.0.1:9", "UPMC_API_KEY": "upmc_x"])
    #expect(away.status == 1 && away.complaint.contains("cannot be reached"), "\(away.complaint)")
    let json = try CommandRun.of(
      ["app", "list", "--json"], ["UPMC_SERVER": "http://127.0.0.1:9", "UPMC_API_KEY": "upmc_x"])
    #expect(json.complaint.hasPrefix(#"{"type":"upmc:failed","detail":"#), "\(json.complaint)")
    let unknown = try world.remote(world.apiKey, ["status", "99", "--json"])
    #expect(
      unknown.status == 1 && unknown.complaint.hasPrefix(#"{"type":"upmc:unknown-message""#), "\(unknown.complaint)")
    let revoked = try world.remote("upmc_revoked", ["app", "list"])
    #expect(
      revoked.status == 1 && revoked.complaint.contains("is not known, was revoked, or has ended"),
      "\(revoked.complaint)")
  }

  @Test func `files go to a server: an import, an upload, an audience's export`() throws {
    let world = try World()
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    let people = directory + "/people.csv"
    TemporaryDirectory.write(people, "clientUid,clientName,tags\nkim,Kim,vip\n,nobody,\n")
    let done = try world.remote(world.apiKey, ["import", World.appID, people])
    #expect(
      done.lines == [
        "line 3: clientUid is empty",
        "Import 1 is finished: 1 people of 2 lines brought in, 1 lines were wrong.",
      ], "\(done.complaint)")
    let users = try world.remote(world.apiKey, ["export", "users", "--app", World.appID])
    #expect(users.status == 0 && users.lines.joined().contains("\r\nkim,Kim,,vip,0,0\r\n"), "\(users.lines)")
    let png = directory + "/dot.png"
    try Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 0, count: 40)).write(
      to: URL(filePath: png))
    let uploaded = try world.remote(world.apiKey, ["upload", World.appID, png, "--json"])
    #expect(uploaded.string("contentType") == "image/png", "\(uploaded.complaint)")
  }
}

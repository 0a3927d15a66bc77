import Crypto
import Domain
import Foundation
import Operations
import Postgres
import Reactor
import Server
import Simulator
import Store
import TestSupport
import TestTier
import Testing

/// Every key is replaced while clients work, and none of them is refused anything.
@Suite(.slow, .serialized) struct RotationTests {
  /// A world whose master key stands in a file, as it does in production.
  private final class Bank {
    let directory = TemporaryDirectory.make()
    let world: World
    var file: String { directory + "/master.key" }
    var variables: [String: String] {
      // Nobody listens there: doctor is asked about keys alone.
      let nowhere = "https://127.0.0.1:9"
      return world.commandVariables.filter { $0.key != "UPMC_MASTER_KEY" }.merging([
        "UPMC_MASTER_KEY_FILE": file, "UPMC_APNS_PRODUCTION_URL": nowhere, "UPMC_APNS_SANDBOX_URL": nowhere,
      ]) { $1 }
    }

    init(_ change: (inout Simulator.Configuration) -> Void = { _ in }) throws {
      let path = directory + "/master.key"
      TemporaryDirectory.write(path, World.masterKeyText + "\n")
      world = try World(
        change,
        server: {
          $0.masterKeyFile = path
          World.tell(&$0, pauses: [1], networks: ["127.0.0.0/8"])
        })
    }

    deinit { TemporaryDirectory.remove(directory) }

    func command(_ arguments: String...) throws -> CommandRun { try CommandRun.of(arguments, variables) }

    /// Arguments of a rotation that gives busy nodes time to read the file.
    static let rotation = ["master-key", "rotate", "--timeout", "\(TestSupport.Limits.timeoutSeconds)"]

    func rotate() throws -> CommandRun { try CommandRun.of(Self.rotation + ["--json"], variables) }

    /// Telephone numbers, sealed with the key of the beginning.
    func addPhones(_ count: Int) throws {
      let seal = PhoneNumberSeal(master: try World.master)
      let connection = world.connection
      let users = (0..<count).map { Users.Key(app: 1, userKey: .init(clientUID: "phone\($0)")) }
      for part in stride(from: 0, to: count, by: 1000) {
        let part = users[part..<min(part + 1000, count)]
        let rows = part.map { "(1, '\($0.userKey.text)', '\\x\(hex(seal.seal("0100000", of: $0)))')" }
        try connection.script("INSERT INTO users (app, user_key, phone) VALUES \(rows.joined(separator: ","))")
      }
    }

    /// An account with a second factor, and with another one that is being set up.
    func addAccount() throws {
      let account = try world.number(
        "INSERT INTO accounts (login, name, role) VALUES ('kim', 'Kim', 'viewer') RETURNING account")
      let sealed = hex(try World.master.seal([1, 2, 3], for: "second factor of account \(account)"))
      try world.connection.script(
        "UPDATE accounts SET factor = '\\x\(sealed)', new_factor = '\\x\(sealed)' WHERE account = \(account)")
    }

    /// Columns of all tables, whatever they are, in which something is sealed with the key of the beginning.
    func placesOfOldKey() throws -> Set<String> {
      let old = hex(try World.master.sealingID.bytes)
      let columns = try world.connection.run(
        Statement(
          "bytes",
          """
          SELECT c.table_name, c.column_name FROM information_schema.columns c
          JOIN information_schema.tables t USING (table_schema, table_name)
          WHERE c.table_schema = 'public' AND c.data_type = 'bytea' AND t.table_type = 'BASE TABLE'
          """))
      let names = (0..<columns.count).map { (columns.text($0, 0), columns.text($0, 1)) }
      return Set(
        try names.filter { table, column in
          try world.number(
            "SELECT count(*) FROM \(table) WHERE length(\(column)) > 8 AND substring(\(column) FROM 1 FOR 8) = '\\x\(old)'"
          ) > 0
        }.map { "\($0.0).\($0.1)" })
    }

    private func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }

    func steadyWork(on ports: [UInt16]) throws -> SteadyWork {
      try SteadyWork(
        on: ports, clientKey: world.clientKey, apiKey: world.apiKey, confirming: world.simulator)
    }
  }

  /// Nothing of what the clients asked was refused.
  private func expectUnrefused(_ work: SteadyWork, _ bank: Bank, least: Int) throws {
    let before = work.now.confirmed.count
    try work.wait("the clients do not go on") { $0.confirmed.count >= before + least }
    try work.end(bank.world.server.address.port)
    let book = work.now
    #expect(book.refusals == 0 && book.errors.isEmpty, "\(book.refusals) \(book.errors.prefix(3))")
    #expect(book.open.isEmpty && book.confirmed.count >= least)
  }

  @Test func `the master key is replaced on two nodes under load, and the old one can go`() throws {
    let bank = try Bank()
    try bank.addPhones(3_000)
    try bank.addAccount()
    #expect(try bank.placesOfOldKey().isSuperset(of: ["accounts.factor", "accounts.new_factor", "users.phone"]))
    let receiver = try EventReceiver()
    _ = try bank.world.webhook(receiver)
    let path = bank.file
    let node = try bank.world.startNode { $0.masterKeyFile = path }
    defer { node.stop() }
    let work = try bank.steadyWork(on: [bank.world.server.address.port, node.address.port])
    try work.wait("the clients do not begin") { $0.confirmed.count > 5 }

    let rotated = try bank.rotate()
    #expect(rotated.status == 0, "\(rotated.complaint)")
    #expect(try bank.placesOfOldKey() == [], "sealed with the old key, which can go now")
    let doctor = try bank.command("doctor")
    #expect(doctor.lines.contains { $0.contains("nothing needs") }, "\(doctor.lines)")
    let forgotten = try bank.command("master-key", "forget")
    #expect(forgotten.status == 0, "\(forgotten.complaint)")
    #expect((TemporaryDirectory.read(bank.file) ?? "").split(separator: "\n").count == 1)
    // With the new key alone a node starts, and a secret is sealed.
    let url = "https://a.example.com"
    #expect(try bank.command("webhook", "create", World.appID, "--url", url, "--event", "sms.requested").status == 0)
    try expectUnrefused(work, bank, least: 20)
    // The old key is another one now, and changes nothing.
    let old = try bank.world.command("webhook", "renew-secret", "1")
    #expect(old.status == 1 && old.complaint.contains("is another key"), "\(old.complaint)")
  }

  @Test func `a rotation that is killed goes on where it was`() throws {
    let bank = try Bank()
    try bank.addPhones(30_000)
    let output = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(output) }
    // The last one cannot be sealed anew before the kill, however late it comes.
    let holder = try bank.world.database.connect()
    try holder.script("BEGIN; SELECT FROM users WHERE user_key = 'uphone9999' FOR UPDATE")
    var child = try CommandRun.start(Bank.rotation, bank.variables, in: output)
    // Some are sealed anew, and not all.
    let counts = Statement(
      "counts",
      """
      SELECT count(*) FILTER (WHERE substring(phone FROM 1 FOR 8) <> $1), count(*) FROM users WHERE phone IS NOT NULL
      """)
    let query = Query(counts, try World.master.sealingID.bytes) { ($0.int64(0, 0), $0.int64(0, 1)) }
    _ = try poll("nothing was sealed anew") { try bank.world.connection.run(query).0 > 0 ? true : nil }
    child.signal(9)
    _ = child.wait(atMost: .patience)
    try holder.script("ROLLBACK")
    let again = try bank.rotate()
    #expect(again.status == 0, "\(again.complaint)")
    let (renewed, all) = try bank.world.connection.run(query)
    #expect(renewed == all && all == 30_000)
    #expect((TemporaryDirectory.read(bank.file) ?? "").split(separator: "\n").count == 2, "no third key was made")
  }

  @Test func `a node without the new key holds a rotation up, and nothing is changed`() throws {
    let bank = try Bank()
    let node = try bank.world.startNode { $0.masterKey = World.masterKeyText }
    defer { node.stop() }
    _ = try poll("the nodes have not reported") {
      let nodes = try MasterKeyRotation.nodes(try World.master.sealingID, on: bank.world.connection)
      return nodes.all == 2 && nodes.know == 2 ? true : nil
    }
    // The node reads the file a moment later; until then no node has the key.
    _ = try poll("no rotation finds the key on one of two nodes") { () -> Bool? in
      let held = try bank.command("master-key", "rotate", "--timeout", "3")
      #expect(held.status == 1, "\(held.complaint)")
      return held.complaint.contains("1 of 2 nodes have the key") ? true : nil
    }
    let current = try MasterKeyRotation.current(on: bank.world.connection)
    #expect(current == (try World.master.sealingID))
  }

  /// A line of a key file: 32 times this byte.
  private func line(_ byte: UInt8) -> String { Data(repeating: byte, count: 32).base64EncodedString() + "\n" }

  /// Waits until so many nodes have the key of this byte.
  private func wait(for byte: UInt8, on nodes: Int64, of bank: Bank) throws {
    let id = try MasterKey(bytes: [UInt8](repeating: byte, count: 32)).sealingID
    _ = try poll("\(nodes) nodes do not have the key of \(byte)") {
      try MasterKeyRotation.nodes(id, on: bank.world.connection).know == nodes ? true : nil
    }
  }

  @Test func `a node reads a key file again that was overwritten in place and is as long as before`() throws {
    let bank = try Bank()
    // Each machine was given a key of its own first; then one's file is copied over the other's, as scp and cp do it.
    for byte: UInt8 in [8, 9] {
      TemporaryDirectory.write(bank.file, line(7) + line(byte))
      try wait(for: byte, on: 1, of: bank)
    }
  }

  @Test func `a node that starts has a key that came into the file meanwhile`() throws {
    let bank = try Bank()
    let path = bank.file
    TemporaryDirectory.write(path, line(7) + line(8))
    // It begins with the one key that was in the file before.
    let node = try bank.world.startNode { $0.masterKeyFile = path }
    defer { node.stop() }
    try wait(for: 8, on: 2, of: bank)
  }

  @Test func `credentials that a node could not open are used once it has the key`() throws {
    let bank = try Bank()
    let world = bank.world
    try world.useServiceAccount()
    // Sealed with a key that has not come here yet.
    let other = try MasterKey(bytes: [UInt8](repeating: 8, count: 32))
    let (key, json) = (world.started.providerKey, try #require(world.started.serviceAccountJSON))
    _ = try Administration.setCredential(
      Administration.APNsKey(pem: key.privateKeyPEM, keyID: key.keyID, teamID: key.teamID), of: World.appID,
      master: other, by: .commandLine, on: world.connection)
    _ = try Administration.setCredential(
      Administration.FCMServiceAccount(json: json), of: World.appID, master: other,
      tokens: TokenAddress(configured: world.started.tokenURL), by: .commandLine, on: world.connection)
    func ready() throws -> String { try world.client.call("GET", "/ready").text }
    _ = try poll("they open") { try ready().contains("2 credentials cannot be used") ? true : nil }
    TemporaryDirectory.write(bank.file, line(7) + line(8))
    _ = try poll("they are not used") { try ready().contains("cannot be used") ? nil : true }
  }

  @Test func `signing keys are replaced under load, and what the former ones made goes on`() throws {
    let bank = try Bank()
    let world = bank.world
    let registered = try world.register("old", token: World.token("c3"), user: "old")
    let authKey = try #require(registered.string("authKey"))
    let seqno = try world.send(#"{"clientUids":["old"]}"#)
    _ = try world.finished(seqno)
    let work = try bank.steadyWork(on: [world.server.address.port])
    try work.wait("the clients do not begin") { $0.confirmed.count > 5 }
    let purposes = SigningKeys.Purpose.allCases
    for purpose in purposes {
      let rotated = try bank.command("signing-key", "rotate", purpose.rawValue)
      #expect(rotated.status == 0, "\(rotated.complaint)")
    }
    _ = try poll("the new keys do not sign") {
      let entries = try SigningKeyRotation.list(on: world.connection)
      return entries.count { $0.state == "signs" && $0.record.generation == 2 } == purposes.count ? true : nil
    }
    let count = work.now.confirmed.count
    try work.wait("receipts by the new keys are not taken") { $0.confirmed.count > count + 20 }
    // Of before: a receipt, and a device's own credential.
    #expect(try world.receipt(seqno, World.token("c3")).result["status"] as? String == "recorded")
    let device = try #require(registered.string("device"))
    #expect(try world.client.call("GET", "/v1/devices/\(device)", bearer: authKey).status == 200)
    try expectUnrefused(work, bank, least: 5)
    #expect(try bank.command("signing-key", "end", "authkey", "2").status == 1, "it signs")
    #expect(try bank.command("signing-key", "end", "authkey", "1").status == 0)
    _ = try poll("the former key still opens") {
      try world.client.call("GET", "/v1/devices/\(device)", bearer: authKey).status == 401 ? true : nil
    }
  }

  @Test func `both client keys register devices, until the former one is ended`() throws {
    let bank = try Bank()
    let world = bank.world
    let work = try bank.steadyWork(on: [world.server.address.port])
    let replaced = try bank.command("app", "client-key", World.appID, "--json")
    let new = try #require(replaced.string("clientKey"), "\(replaced.complaint)")
    #expect(replaced.string("formerClientKey") == world.clientKey)
    let again = try bank.command("app", "client-key", World.appID)
    #expect(again.status == 1 && again.complaint.contains("--end-former"), "\(again.complaint)")
    // The server learns of it a moment later.
    let first = try poll("the new key does not register") {
      let reply = try world.register("n1", token: World.token("d4"), user: "n", authKey: new)
      return reply.status == 401 ? nil : reply
    }
    #expect(first.status == 201, "\(first.text)")
    try expectUnrefused(work, bank, least: 10)
    #expect(try bank.command("app", "client-key", World.appID, "--end-former").status == 0)
    _ = try poll("the former key still registers") {
      try world.register("n2", token: World.token("d5"), user: "n").status == 401 ? true : nil
    }
    #expect(try world.register("n3", token: World.token("d6"), user: "n", authKey: new).status == 201)
  }

  @Test func `a webhook's events bear both signatures while its secret is replaced`() throws {
    let world = try World(webhookPauses: [0])
    let receiver = try EventReceiver()
    let (webhook, secret) = try world.webhook(receiver)
    let renewed = try world.command("webhook", "renew-secret", webhook, "--keep-for", "P7D", "--json")
    let other = try #require(renewed.string("secret"), "\(renewed.complaint)")
    #expect(try world.command("webhook", "test", webhook).status == 0)
    let told = try poll("nothing was told") { receiver.told.first }
    #expect(told.isSigned(with: secret) && told.isSigned(with: other))
    #expect(told.header("webhook-signature").split(separator: " ").count == 2)
    try world.connection.script("UPDATE webhooks SET former_ends_at = now()")
    #expect(try world.command("webhook", "test", webhook).status == 0)
    let second = try poll("nothing more was told") { receiver.told.dropFirst().first }
    #expect(!second.isSigned(with: secret) && second.isSigned(with: other))
  }

  @Test func `an APNs key that Apple refuses replaces nothing, and messages go on`() throws {
    let bank = try Bank { $0.unregisteredTokens = .refused }
    let world = bank.world
    let work = try SteadyWork(
      on: [world.server.address.port], clientKey: world.clientKey, apiKey: world.apiKey)
    let wrong = bank.directory + "/wrong.p8"
    TemporaryDirectory.write(wrong, P256.PrivateKey().pem)
    let key = world.started.providerKey
    let good = bank.directory + "/good.p8"
    TemporaryDirectory.write(good, key.privateKeyPEM)
    func set(_ file: String) throws -> CommandRun {
      try world.remote(
        world.apiKey,
        [
          "app", "credential", World.appID, "--apns-key", file, "--key-id", key.keyID, "--team-id", key.teamID,
          "--check",
        ])
    }
    let before = try world.connection.run(Statement("before", "SELECT sealed FROM credentials")).bytes(0, 0)
    let refused = try set(wrong)
    #expect(refused.status == 1 && refused.complaint.contains("is refused by Apple"), "\(refused.complaint)")
    #expect(try world.connection.run(Statement("before", "SELECT sealed FROM credentials")).bytes(0, 0) == before)
    let taken = try set(good)
    #expect(taken.status == 0, "\(taken.complaint)")
    let count = work.now.sent.count
    try work.wait("the clients do not go on") { $0.sent.count > count + 10 }
    try work.end(world.server.address.port)
    #expect(work.now.refusals == 0, "\(work.now.errors.prefix(3))")
  }

  // MARK: A lost master key

  /// The statements that a page of the handbook gives for a database whose master key nobody has any more.
  private static func statements(_ page: String) throws -> String {
    let path = "\(TestDatabase.migrationsDirectory)/../Public/docs/\(page).md"
    let text = try #require(TemporaryDirectory.read(path))
    return String(try #require(text.firstMatch(of: #/```sql\n((?s).*?)```/#)).1)
  }

  @Test func `a database whose master key is lost goes on with another one, as the handbook says`() throws {
    let bank = try Bank()
    let world = bank.world
    try bank.addPhones(3)
    try bank.addAccount()
    let receiver = try EventReceiver()
    _ = try world.webhook(receiver)
    let token = World.token("e7")
    let registered = try world.register("phone", token: token, user: "kim")
    let (device, authKey) = (registered.string("device") ?? "", registered.string("authKey") ?? "")
    world.server.stop()
    let statements = try Self.statements("operate")
    #expect(try Self.statements("operate.ko") == statements)
    try world.connection.script(statements)
    #expect(try bank.placesOfOldKey() == [])

    let other = [UInt8](repeating: 9, count: 32)
    let (key, path) = (world.started.providerKey, bank.directory + "/AuthKey.p8")
    TemporaryDirectory.write(path, key.privateKeyPEM)
    let stored = try CommandRun.of(
      ["app", "credential", World.appID, "--apns-key", path, "--key-id", key.keyID, "--team-id", key.teamID],
      world.commandVariables.merging(["UPMC_MASTER_KEY": Data(other).base64EncodedString()]) { $1 })
    #expect(stored.status == 0, "\(stored.complaint)")
    let server = try Server(
      try World.configuration(world.started), databaseURL: world.database.url, master: try MasterKey(bytes: other))
    defer { server.stop() }
    let client = try TestClient(port: server.address.port)
    // The device is there, before it has called; then it gets a new key of its own.
    let sent = try client.call(
      "POST", "/v1/admin/messages", bearer: world.apiKey,
      #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim"]},"alert":"B"}"#)
    let seqno = try #require(sent.string("seqno"), "\(sent.text)")
    _ = try poll("the message has not arrived") {
      let funnel = try client.call("GET", "/v1/admin/messages/\(seqno)", bearer: world.apiKey)
      return funnel.int("accepted") == 1 ? true : nil
    }
    #expect(try client.call("GET", "/v1/devices/\(device)", bearer: authKey).status == 401)
    let again = try client.call(
      "POST", "/v1/devices", bearer: world.clientKey,
      #"{"appId":"\#(World.appID)","pnsId":"APNS","environment":"production","psid":"\#(token)","#
        + #""deviceId":"phone","clientUid":"kim"}"#)
    #expect(again.string("device") == device, "\(again.text)")
    let renewed = try #require(again.string("authKey"), "\(again.text)")
    #expect(try client.call("GET", "/v1/devices/\(device)", bearer: renewed).status == 200)
  }
}

import Crypto
import Domain
import Foundation
import Postgres
import Store
import TestSupport
import Testing
import Time

@testable import Operations

@Suite struct QuarantineServiceTests {
  private let world: BatchWorld

  init() throws {
    world = try BatchWorld()
    for number in 1...5 {
      try world.run(world.registration("d\(number)", psid: "a\(number)", user: "kim"))
    }
  }

  private var appID: String { world.app.appID }

  private func putAside(_ installation: String, _ reason: String = "BadDeviceToken", at time: Timestamp) throws {
    let entry = Quarantine.Entry(device: world.device(installation), reason: reason, seqno: 7)
    _ = try world.connection.run(Quarantine.add([entry], at: time))
  }

  private func list(_ limit: String? = nil, after cursor: String? = nil) throws -> ItemPage<QuarantineService.Entry> {
    try QuarantineService.list(
      appID, PageRequest(limit: limit, cursor: cursor), by: .commandLine, on: world.connection)
  }

  private func restore(_ scope: QuarantineService.Scope, of appID: String? = nil, by caller: Caller = .commandLine)
    throws(Problem) -> Int
  {
    try QuarantineService.restore(scope, of: appID ?? self.appID, by: caller, on: world.connection).count
  }

  @Test func `the list says who, why, since when and for which message, and no whole token`() throws {
    #expect(String(decoding: try list().json, as: UTF8.self) == #"{"items":[],"nextCursor":null}"#)
    try world.run(world.registration("long", psid: String(repeating: "ab", count: 32), user: "lee"))
    try putAside("long", at: 1_800_000_000_123_000)
    #expect(
      String(decoding: try list().json, as: UTF8.self) == """
        {"items":[{"device":"\(world.device("long"))","clientUid":"lee","pnsId":"APNS","environment":"production",\
        "psidPrefix":"abababab","reason":"BadDeviceToken","seqno":"7","at":"2027-01-15T08:00:00.123Z"}],\
        "nextCursor":null}
        """)
  }

  @Test func `pages follow each other without gap or repetition`() throws {
    for number in 1...5 { try putAside("d\(number)", at: world.now) }
    var seen: [DeviceID] = []
    var cursor: String?
    repeat {
      let page = try list("2", after: cursor)
      seen += page.items.map(\.record.device)
      cursor = page.nextCursor
    } while cursor != nil
    #expect(seen == (1...5).map { world.device("d\($0)") }.sorted())
  }

  @Test func `one device, those since a time, or everyone come back`() throws {
    for number in 1...5 { try putAside("d\(number)", at: world.now + .microseconds(number)) }
    #expect(try restore(.device(world.device("d5"))) == 1)
    #expect(try restore(.device(world.device("d5"))) == 0, "it is back already")
    #expect(try restore(.since(world.now + .microseconds(3))) == 2, "3 itself and 4")
    #expect(try list().items.count == 2)
    #expect(try restore(.all) == 2)
    #expect(try list().items.isEmpty)
  }

  @Test func `reasons are counted, listed by, and given back by`() throws {
    for (number, reason) in ["BadDeviceToken", "DeviceTokenNotForTopic", "BadDeviceToken"].enumerated() {
      try putAside("d\(number + 1)", reason, at: world.now + .microseconds(number))
    }
    let found = try QuarantineService.reasons(appID, by: .commandLine, on: world.connection)
    let json = String(decoding: found.json, as: UTF8.self)
    #expect(
      json.hasPrefix(
        #"{"reasons":[{"reason":"BadDeviceToken","pnsId":"APNS","devices":2,"latest":"2027-01-15T08:0"#), "\(json)")
    let topic = try QuarantineService.list(
      appID, reason: "DeviceTokenNotForTopic", PageRequest(), by: .commandLine, on: world.connection)
    #expect(topic.items.map(\.record.device) == [world.device("d2")])
    #expect(try restore(.reason("BadDeviceToken")) == 2)
    #expect(try restore(.reason("BadDeviceToken")) == 0)
    #expect(try list().items.map(\.record.device) == [world.device("d2")])
    let audited = "action = 'quarantine.restore' AND object = 'reason BadDeviceToken'"
    #expect(try world.count("SELECT count(*) FROM audit_log WHERE \(audited)") == 1)
  }

  @Test func `more than fit one commit come back too`() throws {
    try world.connection.script(
      """
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at, quarantined_at, quarantine_reason, quarantine_seqno)
      SELECT ('00000000-0000-8000-8000-' || lpad(n::text, 12, '0'))::uuid, \(world.app.number), 'ukim', 1, 1, 1, 'b' || n,
        'm' || n, now(), now(), now(), now(), 'BadDeviceToken', 1
      FROM generate_series(1, \(2 * Operations.Limits.restoredDevices + 1)) n
      """)
    #expect(try restore(.all) == 2 * Operations.Limits.restoredDevices + 1)
    #expect(try restore(.all) == 0)
  }

  @Test func `a registration brings a device back, and nothing else that is saved does`() throws {
    try putAside("d1", at: world.now)
    let claim = world.claim("d1")
    try world.run(.clearUser(claim))
    #expect(try list().items.count == 1)
    world.now += .microseconds(1)
    try world.run(world.registration("d1", psid: "a1", user: "kim"))
    #expect(try list().items.isEmpty)
  }

  @Test func `what a network taught about a token outlives a registration that says otherwise`() throws {
    try world.connection.run(Quarantine.learn([(world.device("d1"), .sandbox)]))
    world.now += .microseconds(1)
    try world.run(world.registration("d1", psid: "a1", user: "kim"))
    #expect(try world.connection.run(Devices.find([world.device("d1")])).first?.environment == .sandbox)
    // Another token is another matter.
    world.now += .microseconds(1)
    try world.run(world.registration("d1", psid: "b1", user: "kim", proof: world.claim("d1")))
    #expect(try world.connection.run(Devices.find([world.device("d1")])).first?.environment == .production)
    world.now += .microseconds(1)
    try world.run(world.registration("d1", psid: "a1", user: "kim", proof: world.claim("d1")))
    #expect(try world.connection.run(Devices.find([world.device("d1")])).first?.environment == .production)
  }

  @Test func `only operators and admins of the app may`() throws {
    try putAside("d1", at: world.now)
    func code(_ caller: Caller) -> Problem.Code? {
      do throws(Problem) {
        _ = try restore(.all, by: caller)
        return nil
      } catch { return error.code }
    }
    for role in [Role.sender, .viewer] { #expect(code(Caller(role: role, app: nil, apiKey: 1)) == .forbidden) }
    #expect(code(Caller(role: .operator, app: world.app.number + 1, apiKey: 1)) == .forbidden)
    #expect(try list().items.count == 1)
    #expect(code(Caller(role: .operator, app: world.app.number, apiKey: 1)) == nil)
    #expect(try list().items.isEmpty)
  }

  @Test func `strangers are named`() throws {
    func code(_ scope: QuarantineService.Scope, of appID: String? = nil) -> Problem.Code? {
      do throws(Problem) {
        _ = try restore(scope, of: appID)
        return nil
      } catch { return error.code }
    }
    #expect(code(.all, of: "com.example.nobody") == .unknownApp)
    #expect(code(.device(DeviceID(high: 1, low: 2))) == .unknownDevice)
    _ = try Administration.createApp(
      "com.example.shop", name: "Shop", timeZone: "UTC", identity: .open, by: .commandLine, on: world.connection)
    #expect(code(.device(world.device("d1")), of: "com.example.shop") == .unknownDevice)
  }

  @Test func `a new credential gives back those whom only the old one could not reach`() throws {
    try putAside("d1", "BadEnvironmentKeyIdInToken", at: world.now)
    try putAside("d2", "BadDeviceToken", at: world.now)
    _ = try Administration.setCredential(
      Administration.APNsKey(
        pem: P256.PrivateKey().pem, keyID: "ABCDE12345", teamID: "FGHIJ67890"),
      of: appID, master: try MasterKey(bytes: [UInt8](repeating: 7, count: 32)), by: .commandLine,
      on: world.connection)
    #expect(try list().items.map(\.record.device) == [world.device("d2")])
  }
}

import Domain
import Postgres
import Reactor
import Store
import TestSupport
import Testing

@testable import Operations

/// A device that unregisters, or whose user is erased, while a registration of the same device is on its way.
@Suite struct LeavingDeviceTests {
  private let world: BatchWorld
  private let token: Tokens.Claimed

  init() throws {
    world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa"))
    token = Tokens.Claimed(app: world.app.number, psid: "aa", network: .apns, device: world.device("d1"))
  }

  /// Runs `leave` while a registration has locked the token and not yet the device, and expects that neither is in the
  /// other's way.
  private func meetRegistration(_ leave: () throws -> Void) throws {
    let (url, token, now) = (world.databaseURL, self.token, world.now)
    let steps = try Inbox<String>(capacity: 2)
    _ = try Thread(name: "registration") {
      do {
        let connection = try TestDatabase.connect(to: url)
        try connection.withTransaction {
          _ = try connection.run(Tokens.lock([token], at: now))
          _ = steps.offer("locked")
          let watcher = try TestDatabase.connect(to: url)
          _ = try poll("the device does not wait") { try watcher.waitingSessions() > 0 ? true : nil }
          _ = try connection.run(Devices.lock([token.device]))
        }
        _ = steps.offer("")
      } catch { _ = steps.offer("\(error)") }
    }
    try #require(steps.receive(atMost: .patience) == ["locked"])
    try leave()
    #expect(steps.receive(atMost: .patience) == [""])
    #expect(try world.record("d1")?.state == .unregistered)
    #expect(try world.count("SELECT count(*) FROM psids") == 0)
  }

  @Test func `it waits for the registration, and holds nothing that the registration waits for`() throws {
    try meetRegistration { try world.run(.unregister(world.claim("d1"))) }
  }

  @Test func `an erasure waits for the registration, and holds nothing that the registration waits for`() throws {
    let user = Users.Key(app: world.app.number, userKey: try #require(try world.record("d1")).userKey)
    let eraser = try TestDatabase.connect(to: world.databaseURL)
    try meetRegistration {
      let devices = try eraser.withTransaction { try PersonErasure.erase(user, on: eraser) }
      #expect(devices == 1)
    }
  }
}

import Domain
import Operations
import Postgres
import Reactor
import Time

@testable import Server

/// What tests of the SDK's API need of the world.
extension World {
  /// A world whose server has a variable of the SDK's API set.
  static func with(_ name: String, _ value: String) throws -> World {
    try World(server: { try $0.setSDK(name, value) })
  }

  var port: UInt16 { server.address.port }

  func script(_ sql: String) throws {
    try connection.script(sql)
  }

  /// The key that a device got when it was new.
  func firstKey(of installation: String) throws -> String {
    let keys = try SigningKeys.load(connection, master: try World.master)
    return keys.authKeys.make(
      device: DeviceID(appID: World.appID, network: .apns, installation: installation), epoch: 0)
  }

  /// An AUTHKEY that this server made for somebody with this PSID, half an hour ago.
  func expiredSDKKey(psid: String) throws -> String {
    let keys = try SigningKeys.load(connection, master: try World.master)
    let app = App.Number(try count("SELECT app FROM apps"))
    return keys.sdkKeys.make(
      SDKKeyring.Subject(app: app, psid: psid, claim: nil), now: now - Domain.Limits.sdkKeyLifetime)
  }
}

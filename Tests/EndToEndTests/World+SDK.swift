import Postgres
import Reactor

@testable import Server

/// What tests of the SDK's door need of the world.
extension World {
  /// A world whose server has a variable of the SDK's door set.
  static func with(_ name: String, _ value: String) throws -> World {
    try World(server: { try $0.setSDK(name, value) })
  }

  var port: UInt16 { server.address.port }

  func script(_ sql: String) throws {
    try connection.script(sql)
  }
}

import Operations
import Postgres
import Server
import Simulator

/// A server on a database other than the tests' own, with the app of `World`, and the simulator in place of Apple.
final class NodeElsewhere {
  let simulator: Simulator
  let server: Server
  let clientKey: String
  let apiKey: String

  /// - Parameters:
  ///   - url: the URL by which the server reaches its database.
  ///   - connection: the connection that creates the app.
  init(_ url: String, _ connection: Connection) throws {
    var configuration = Simulator.Configuration()
    configuration.keepsPayloads = true
    simulator = Simulator(configuration)
    let started = try simulator.start()
    let master = try World.master
    (clientKey, apiKey) = try World.makeApp(started, master, connection)
    server = try Server(try World.configuration(started), databaseURL: url, master: master)
  }

  func stop() {
    server.stop()
    simulator.stop()
  }
}

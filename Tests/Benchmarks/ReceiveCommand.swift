internal import ArgumentParser
internal import HTTPServer
internal import Operations
internal import Postgres
internal import Reactor
internal import API
internal import Server

/// Helper of H2: the same device API handler, engine and statements, but one transaction per request, over as many
/// database connections as a pool would have.
struct ReceiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receive", abstract: "Serve the device API without batches (a helper of H2).", shouldDisplay: false)

  @Option(help: "Port on the loopback address.")
  var port: UInt16

  @Option(help: "The database.")
  var database: String

  @Option(help: "File with the master key.")
  var masterKeyFile: String

  @Option(help: "Database connections.")
  var connections = 16

  func run() throws {
    Signals.block()
    var configuration = Configuration()
    configuration.masterKeyFile = masterKeyFile
    let connection = try Connection(database)
    let keys = try SigningKeys.load(connection, master: try MasterKeyFile.load(configuration))
    let catalog = try Catalog()
    try catalog.refresh(connection)
    let (port, database, connections) = (port, database, connections)
    _ = try Thread(name: "http-0") {
      do {
        let loop = try EventLoop()
        let handlers = try (0..<connections).map { number in
          let committer = try Committer(
            url: database, writer: Int32(1000 + number), catalog: catalog, loop: loop, batchOperations: 1)
          return DeviceHandler(committer: committer, catalog: catalog, keys: keys, loop: loop)
        }
        let server = try HTTPServer(
          loop: loop, listener: try Loopback.listen(on: port), handler: InTurn(handlers: handlers))
        loop.run()
        server.close()
      } catch {
        StandardStreams.printError("\(error)")
      }
    }
    _ = Signals.wait()
  }
}

/// Passes requests to the handlers in round-robin order: requests are alike, so this is as good as choosing the least
/// busy.
private final class InTurn: RequestHandler {
  private let handlers: [DeviceHandler]
  private var next = 0

  init(handlers: [DeviceHandler]) {
    self.handlers = handlers
  }

  func handle(_ request: Request, _ responder: Responder) {
    next = (next + 1) % handlers.count
    handlers[next].handle(request, responder)
  }
}

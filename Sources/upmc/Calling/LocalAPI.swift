internal import API
internal import Domain
internal import JSON
internal import Operations
internal import Postgres
internal import Reactor
internal import Server
internal import Store

/// Runs the admin API in this process, on the configured database, on behalf of the user who runs the command.
struct LocalAPI: AdminAPI {
  private let database: CommandDatabase
  private let clock = DatabaseClock()

  var name: String { "the database" }

  init(_ database: CommandDatabase) throws {
    self.database = database
    try clock.ask(database.connection)
  }

  func answer(_ request: AdminRequest) throws -> Answer {
    let response = try response(to: request) { _ in }
    let answer = try Answer(status: response.status, body: response.body, from: name)
    guard answer.status < 400 else { throw Refusal(answer) }
    return answer
  }

  func download(_ request: AdminRequest, _ piece: ([UInt8]) -> Void) throws {
    let response = try response(to: request, piece)
    guard response.status >= 400 else { return }
    throw Refusal(try Answer(status: response.status, body: response.body, from: name))
  }

  private func response(to request: AdminRequest, _ piece: ([UInt8]) -> Void) throws -> (status: Int, body: [UInt8]) {
    let seal = request.sealing == .content ? database.contentSeal : nil
    let catalog = try Catalog(seal: seal)
    do throws(PostgresError) {
      try catalog.refresh(database.connection, timeZones: false)
    } catch {
      if error.isConnectionLost { throw error }
      throw Problem(error)
    }
    let configuration = database.configuration
    let master = request.sealing == .secret ? try database.masterKey() : nil
    var resources = AdminResources(catalog: catalog, console: ConsoleSetting(master: master), clock: clock)
    resources.hosting = ContentHosting(publicURL: configuration.publicURL)
    resources.tokens = configuration.tokenAddress
    resources.webhooks = configuration.webhookAddresses
    if let master {
      resources.keyTrial = AppleKeyTrial(configuration, master: master)
      let channels = try AppleChannels(configuration, master: master, on: database.connection)
      resources.channels = ChannelManagement(directory: channels, updated: {})
    }
    let api = LocalAdminAPI(on: database.connection, by: .here, resources)
    return api.answer(
      request.method.rawValue, request.path, query: request.query, headers: request.headers, body: request.body,
      piece: piece)
  }

  /// Returns the secret with which an app's server vouches for users. No API response contains it, because it requires
  /// the master key.
  func userProofSecret(of appID: String) throws -> JSONTree {
    let secret = try Administration.userProofSecret(
      of: appID, master: database.masterKey(), by: .here, on: database.connection)
    return try JSONTree(parsing: secret.json)
  }
}

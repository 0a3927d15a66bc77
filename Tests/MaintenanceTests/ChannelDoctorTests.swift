import Crypto
import Domain
import Maintenance
import Operations
import Postgres
import Reactor
import Server
import Simulator
import Store
import TestSupport
import TestTier
import Testing

/// What the doctor says of broadcast channels: nothing without any, and else whether Apple has what is stored.
@Suite(.slow, .serialized) struct ChannelDoctorTests {
  private let world: MaintenanceWorld
  private let app: App
  private let apple: AppleChannels

  init() throws {
    world = try MaintenanceWorld()
    let channels = try #require(world.started.endpoints.channels)
    let sandbox = try #require(world.started.endpoints.sandboxChannels)
    world.environment["UPMC_APNS_CHANNELS_PRODUCTION_URL"] = "https://\(channels)"
    world.environment["UPMC_APNS_CHANNELS_SANDBOX_URL"] = "https://\(sandbox)"
    app = try #require(try world.connection.run(Apps.find(appID: MaintenanceWorld.appID))).app
    apple = try AppleChannels(
      Configuration(environment: world.environment), master: world.master, on: world.connection)
  }

  @discardableResult
  private func make(_ name: String, in environment: PushEnvironment = .production) throws -> String {
    let new = try ChannelService.New.object.read(
      body: Array(#"{"name":"\#(name)","environment":"\#(environment.name)"}"#.utf8))
    return try ChannelService.create(app.appID, new, at: apple, by: .commandLine, on: world.connection).record
      .apnsChannel
  }

  private func found(_ change: [String: String] = [:]) -> [Finding] {
    world.findings(change).filter { $0.subject == "channels" }
  }

  @Test func `channels that Apple has are well, in each environment, and without channels nothing is asked`() throws {
    #expect(found(["UPMC_APNS_CHANNELS_PRODUCTION_URL": "https://127.0.0.1:1"]).isEmpty)
    try make("match-7")
    try make("match-8")
    try make("match-7", in: .sandbox)
    let well = found()
    #expect(well.map(\.severity) == [.ok, .ok] && well.map(\.what).first == "2, as Apple lists them", "\(well)")
    #expect(Set(well.map(\.place)).count == 2)
  }

  @Test func `a channel that Apple has lost is a failure, and one that is not stored here a warning`() throws {
    let lost = try make("match-7")
    try make("match-8")
    try apple.delete(lost, of: app, in: .production, on: world.connection)
    let strange = try apple.create(.none, of: app, in: .production, on: world.connection)
    let said = found()
    #expect(said.map(\.severity) == [.failure, .warning], "\(said)")
    #expect(said.first?.what == "Apple does not have 1 of 2: 1")
    #expect(said.first?.remedy.contains("upmc channel delete com.example.bank 1") == true)
    #expect(said.last?.what.contains(strange) == true)
    #expect(
      said.last?.remedy.contains("upmc channel adopt com.example.bank \(strange) --environment production") == true)
  }

  @Test func `a host that cannot be reached, and a key that Apple refuses`() throws {
    try make("match-7")
    world.findings(["UPMC_APNS_CHANNELS_PRODUCTION_URL": "https://127.0.0.1:1"]).expectOnlyFailure(
      "channels", "Apple was not asked", remedy: "Let this machine out to 127.0.0.1:1")
    try world.setKey(P256.PrivateKey().pem)
    let refused = try #require(found().first)
    #expect(refused.severity == .failure && refused.what.contains("InvalidProviderToken"), "\(refused)")
    #expect(refused.remedy.contains("broadcast capability") && refused.remedy.contains("upmc app credential"))
  }

  @Test func `a bundle that Apple has not given the broadcast capability`() throws {
    try make("match-7")
    world.simulator.ask { service in
      service.simulated.knowledge.channels.withoutCapability = [MaintenanceWorld.appID]
    }
    world.findings().expectOnlyFailure("channels", "FeatureNotEnabled", remedy: "broadcast capability")
  }

  @Test func `an app with channels and without a credential`() throws {
    try make("match-7")
    try world.connection.script("DELETE FROM credentials")
    world.findings().expectOnlyFailure("channels", "has no APNs credential", remedy: "upmc app credential")
  }
}

import Foundation
import Postgres
import Simulator
import TestSupport
import Testing

/// `upmc channel` as an operator runs it, with the simulator in Apple's place.
@Suite(.serialized) final class ChannelCommandTests {
  private static let appID = "com.example.bank"
  private let simulator = Simulator()
  private let program: Program

  init() throws {
    let started = try simulator.start()
    let channels = try #require(started.endpoints.channels)
    let sandbox = try #require(started.endpoints.sandboxChannels)
    // It goes with the cluster.
    let authority = TestCluster.shared.directory + "/authority-\(UInt64.random(in: 0...UInt64.max)).pem"
    TemporaryDirectory.write(authority, started.authorityPEM)
    program = try Program([
      "UPMC_APNS_CHANNELS_PRODUCTION_URL=https://\(channels)", "UPMC_APNS_CHANNELS_SANDBOX_URL=https://\(sandbox)",
      "UPMC_CA_FILE=\(authority)",
    ])
    #expect(try program.run("app", "create", Self.appID, "--name", "Bank").status == 0)
    let key = program.directory + "/AuthKey.p8"
    TemporaryDirectory.write(key, started.providerKey.privateKeyPEM)
    let set = try program.run(
      "app", "credential", Self.appID, "--apns-key", key, "--key-id", started.providerKey.keyID, "--team-id",
      started.providerKey.teamID)
    #expect(set.status == 0, "\(set.complaint)")
  }

  deinit { simulator.stop() }

  private func run(_ words: String...) throws -> Program.Ended {
    try program.run(["channel", words[0], Self.appID] + words.dropFirst(), removing: [])
  }

  @Test func `a channel is made at Apple, published on, shown and deleted there too`() throws {
    let made = try run("create", "--name", "match-7", "--storage", "latest", "--json")
    let apple = try #require(made.string("apnsChannelId"), "\(made.complaint)")
    #expect(simulator.channel(apple)?.storagePolicy == 1 && made.string("channelId") == "1")
    let update = #"{"liveActivity":{"event":"update","timestamp":7,"contentState":{"home":2}}}"#
    #expect(
      try run("publish", "1", "--update", update).lines == ["Version 1 is queued; a running server publishes it."])
    let late = update.replacingOccurrences(of: "7", with: "6")
    #expect(try run("publish", "1", "--update", late, "--json").string("state") == "superseded")
    let shown = "1  \(apple)  match-7  production  latest  version 1 waits for Apple"
    #expect(try run("show", "1").lines == [shown])
    #expect(try run("list").lines == [shown])
    #expect(try run("list", "--environment", "sandbox").lines == ["There are no channels."])
    #expect(try run("list", "--at-apple").lines == ["\(apple)  1"])
    #expect(try run("delete", "1").lines == ["Deleted channel 1."])
    #expect(simulator.channel(apple) == nil)
    #expect(try run("list", "--at-apple").lines == ["Apple has no channels of the app."])
  }

  @Test func `a channel that only Apple knows is adopted with the storage that it has there`() throws {
    let apple = try #require(
      try run("create", "--name", "first", "--environment", "sandbox", "--storage", "latest", "--json").string(
        "apnsChannelId"))
    try program.connect().script("DELETE FROM channels")
    #expect(try run("list", "--at-apple", "--environment", "sandbox").lines == ["\(apple)  not known here"])
    let adopted = try run("adopt", apple, "--name", "again", "--environment", "sandbox")
    #expect(adopted.lines == ["Adopted channel 2. Apple's name of it: \(apple)"], "\(adopted.complaint)")
    #expect(try run("show", "2").lines.first?.contains("  again  sandbox  latest  nothing published") == true)
    let elsewhere = try run("adopt", apple, "--name", "other")
    #expect(elsewhere.status == 1 && elsewhere.complaint.contains("is no channel that the app has at Apple"))
  }

  @Test func `what is missing is said with what to do, and what is written wrongly is wrong usage`() throws {
    #expect(try run("create", "--name", "x", "--storage", "all").status == 2)
    #expect(try run("publish", "one", "--update", "{}").status == 2)
    #expect(try run("create", "--name", "").status == 1)
    #expect(try run("publish", "7", "--update", "{}").status == 1)
    try program.connect().script("DELETE FROM credentials")
    let closed = try run("create", "--name", "x")
    #expect(closed.status == 1)
    #expect(
      closed.complaint.contains("has no APNs credential")
        && closed.complaint.contains("upmc app credential \(Self.appID)"), "\(closed.complaint)")
  }
}

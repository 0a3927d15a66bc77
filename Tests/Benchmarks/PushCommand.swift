internal import APNs
internal import ArgumentParser
internal import Domain
internal import Glibc
internal import JSON
internal import Logging
internal import PushTransport
internal import Reactor
internal import TLS

/// Helper of P1: pushes through our APNs module at full speed, in a separate process, which separates its cost from the
/// sink's.
struct PushCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "Push through the APNs module (a helper of P1).", shouldDisplay: false)

  @Option(help: "Port on localhost.")
  var port: UInt16

  @Option(help: "The certificate authority to trust, in PEM.")
  var authority: String

  @Option(help: "Pushes to send.")
  var count: Int

  @Option(help: "Requests in flight on the one connection.")
  var streams = 500

  func run() throws {
    var configuration = APNsConfiguration()
    configuration.production = APNsEndpoint(host: "localhost", port: port)
    configuration.trust = TLSContext.Trust(systemAuthorities: false, files: [authority])
    configuration.wire.connectionsPerPool = 1
    configuration.wire.streamsPerConnection = streams
    configuration.wire.logger.logLevel = .error

    let load = try PushLoad()
    let inbox = try Inbox<[Int]>(capacity: 65_536)
    // The batch number identifies its targets; results carry it back.
    let sender = try APNsSender(
      configuration: configuration,
      results: { results in _ = inbox.offer([results.count { $0.result == .accepted }, results.count]) },
      tokenNeeded: { _ in })
    load.equip(sender)
    let thread = try Thread(name: "apns-0") {
      do { try sender.run() } catch { StandardStreams.printError("\(error)") }
    }
    // Connecting and the first response are not measured.
    try load.push(1, through: sender, inbox)
    let started = SystemClock().now
    let usedBefore = clock()
    let tally = try load.push(count, through: sender, inbox)
    let seconds = Double((SystemClock().now - started).nanoseconds) / 1e9
    let processorSeconds = Double(clock() - usedBefore) / Double(CLOCKS_PER_SEC)
    sender.stop(within: .seconds(1))
    thread.join()

    var writer = JSONWriter()
    writer.object { writer in
      writer.member("accepted", tally.accepted)
      writer.member("repeated", tally.repeated)
      writer.member("microseconds", Int(seconds * 1e6))
      writer.member("processorMicroseconds", Int(processorSeconds * 1e6))
    }
    print(String(decoding: writer.bytes, as: UTF8.self))
  }
}

internal import APNs
internal import ArgumentParser
internal import Domain
internal import Glibc
internal import JSON
internal import Logging
internal import PushTransport
internal import Reactor
internal import TLS

/// A helper of P1: pushes through our APNs module as fast as it goes, in a process of its own, so that what it costs can
/// be told from what the sink costs.
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
    // A batch's number says which targets it had; results carry it back.
    let sender = try APNsSender(
      configuration: configuration,
      results: { results in _ = inbox.offer([results.count { $0.result == .accepted }, results.count]) },
      tokenNeeded: { _ in })
    load.equip(sender)
    let thread = try Thread(name: "apns-0") {
      do { try sender.run() } catch { StandardStreams.printError("\(error)") }
    }
    // The connection and its first answer are not what is measured.
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

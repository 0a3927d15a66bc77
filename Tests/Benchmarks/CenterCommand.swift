internal import ArgumentParser
internal import FoundationEssentials
internal import Server

/// Helper of P2 and P7: the whole server with a benchmark override.
struct CenterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "center", abstract: "Serve like upmc, less something (a helper of P2 and P7).", shouldDisplay: false)

  @Flag(help: "Leave no outcome rows.")
  var withoutOutcomes = false

  @Flag(help: "A statement and a commit for each step of a send, over sixteen connections.")
  var withoutBatches = false

  func run() throws {
    var configuration = try Configuration(environment: ProcessInfo.processInfo.environment)
    configuration.benchmarkOverrides.storesOutcomes = !withoutOutcomes
    if withoutBatches {
      configuration.benchmarkOverrides.batchesSends = false
      configuration.benchmarkOverrides.adminThreads = 16
    }
    try Serving.run(configuration)
  }
}

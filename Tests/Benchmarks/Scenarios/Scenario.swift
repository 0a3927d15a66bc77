internal import Reactor

/// One measured question: how fast is UPMC at a task, compared with a peer?
protocol Scenario: Sendable {
  /// For example `H1`.
  var name: String { get }
  var summary: String { get }
  /// Starts what it needs, measures, and stops everything it started. Throws if it cannot measure.
  func measure(_ plan: Plan) throws -> Outcome
}

/// How thoroughly to measure.
struct Plan: Sendable {
  let pairs: Int
  let seconds: Int
  /// Rows in H2's table before it begins.
  var storedReceipts: Int
  /// Devices in a campaign's audience.
  let campaignDevices: Int
  /// Devices that P6 grows to.
  let growthDevices: Int
  /// Number of finished messages up to which P8 grows.
  let finishedMessages: Int
  /// Sends during a held snapshot in P8.
  let heldSends: Int
  /// Directory with the programs of `Tests/Peers`.
  let peers: String
  /// This program's own file, to start its helper commands.
  let program: String
  /// Directory for the profiles of I1; nil keeps none.
  var profiles: String?

  /// Reports progress at the terminal.
  func say(_ line: String) {
    StandardStreams.printError(line)
  }
}

/// Why a scenario could not be measured; one sentence that says what to do.
struct MeasuringError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

internal import FoundationEssentials

/// Hummingbird 2, the Swift HTTP server on SwiftNIO, as a separate program from `Tests/Peers`.
struct Hummingbird {
  private let program: String

  /// Locates the program before any lengthy preparation.
  /// - Throws: if it has not been built. An absent peer is a failure, never a pass.
  init(_ plan: Plan) throws {
    program = URL(filePath: plan.peers).appending(path: "HummingbirdPeer").path
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw MeasuringError(
        "the peer Hummingbird is not there (\(program)). Build it: "
          + "swift build --package-path Tests/Peers --scratch-path .build/peers -c release; then name its directory: "
          + "--peers .build/peers/release (`make bench` does both)")
    }
  }

  /// - Parameter databaseURL: for the receipts of H2.
  func start(in scratch: ScratchDirectory, databaseURL: String? = nil) throws -> Program {
    let port = try Loopback.freePort()
    let command = [program, String(port)] + (databaseURL.map { [$0] } ?? [])
    return try Program("Hummingbird", command, port: port, log: scratch.file("hummingbird.log"))
  }
}

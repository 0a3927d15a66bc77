internal import FoundationEssentials

/// Hummingbird 2, the Swift HTTP server on SwiftNIO, as a program of its own from `Tests/Peers`.
enum Hummingbird {
  /// - Parameter databaseURL: for the receipts of H2.
  /// - Throws: when it has not been built. An absent peer is a failure, never a pass.
  static func start(_ plan: Plan, in scratch: ScratchDirectory, databaseURL: String? = nil) throws -> Program {
    // `.build/release` may be a symbolic link: the way up is taken in the name, not in the file system.
    let build = URL(filePath: plan.program).deletingLastPathComponent().deletingLastPathComponent()
    let program = build.appending(path: "peers/release/HummingbirdPeer").path
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw MeasuringError(
        "the peer Hummingbird is not built (\(program)); `make bench` builds it, or "
          + "swift build --package-path Tests/Peers --scratch-path .build/peers -c release")
    }
    let port = try Loopback.freePort()
    let command = [program, String(port)] + (databaseURL.map { [$0] } ?? [])
    return try Program("Hummingbird", command, port: port, log: scratch.file("hummingbird.log"))
  }
}

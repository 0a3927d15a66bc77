internal import Operations
internal import Reactor

/// Checks everything that can be checked before the start, so that a server that cannot run does not touch the
/// database.
enum Preflight {
  /// Performs the checks. Returns the configuration, completed with the directory of the console.
  /// - Throws: one sentence that says what is wrong and what to do.
  static func check(_ configuration: Configuration) throws -> Configuration {
    var configuration = configuration
    configuration.publicDirectory = try ConsoleDirectory.locate(configured: configuration.publicDirectory)
    _ = try ListenerCertificate.read(configuration.listening)
    if !MasterKeyFile.isMade(for: configuration) { _ = try MasterKeyFile.load(configuration) }
    try checkDescriptors(DescriptorLimit.raise(), configuration.listening)
    try Listeners.probe(configuration)
    return configuration
  }

  /// Requires enough descriptors for the server itself and a few clients.
  private static func checkDescriptors(_ allowed: Int, _ listening: Listening) throws(ServerError) {
    guard allowed < Listening.leastDescriptors else { return }
    throw ServerError(
      "Only \(allowed) open files are allowed (ulimit -n), and the server needs \(Listening.leastDescriptors) for itself: "
        + "raise the limit (LimitNOFILE= of systemd, ulimits: of compose) above UPMC_MAX_CONNECTIONS "
        + "(\(listening.connections)).")
  }
}

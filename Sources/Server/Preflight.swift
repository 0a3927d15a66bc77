internal import Operations
internal import Reactor

/// What can be known about a start before anything is begun: a server that cannot serve touches no database.
enum Preflight {
  /// - Returns: the configuration with what was found for it.
  /// - Throws: one sentence that says what is wrong and what to do.
  static func check(_ configuration: Configuration) throws -> Configuration {
    var configuration = configuration
    configuration.publicDirectory = try ConsoleDirectory.locate(configured: configuration.publicDirectory)
    _ = try ListenerCertificate.load(configuration.listening)
    if !MasterKeyFile.isMade(for: configuration) { _ = try MasterKeyFile.load(configuration) }
    try checkDescriptors(DescriptorLimit.raise(), configuration.listening)
    try Listeners.probe(configuration)
    return configuration
  }

  /// What the server needs for itself, and a client or two.
  private static func checkDescriptors(_ allowed: Int, _ listening: Listening) throws(ServerError) {
    guard allowed < Listening.leastDescriptors else { return }
    throw ServerError(
      "Only \(allowed) open files are allowed (ulimit -n), and the server needs \(Listening.leastDescriptors) for itself: "
        + "raise the limit (LimitNOFILE= of systemd, ulimits: of compose) above UPMC_MAX_CONNECTIONS "
        + "(\(listening.connections)).")
  }
}

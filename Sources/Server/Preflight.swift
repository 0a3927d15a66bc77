internal import Operations
internal import Reactor

/// Checks everything that can be checked before the start, so that a server that cannot run does not touch the
/// database.
enum Preflight {
  /// Checks the console's directory, the TLS certificate, the master key, the limit of open files and the listening
  /// addresses. Returns the configuration with the console's directory filled in.
  /// - Throws: an error whose description says what is wrong and how to correct it.
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

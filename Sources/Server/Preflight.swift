internal import Operations
internal import Reactor
internal import TLS

/// Checks everything that can be checked before the start, so that a server that cannot run does not touch the
/// database.
enum Preflight {
  /// Checks the console's directory, the TLS certificate, the trust anchors, the master key, the limit of open files
  /// and the listening addresses. Returns the configuration with the console's directory filled in.
  /// - Throws: an error whose description says what is wrong and how to correct it.
  static func check(_ configuration: Configuration) throws -> Configuration {
    var configuration = configuration
    configuration.publicDirectory = try ConsoleDirectory.locate(configured: configuration.publicDirectory)
    _ = try ListenerCertificate.read(configuration.listening)
    try checkTrust(configuration.caFile)
    if !MasterKeyFile.isMade(for: configuration) { _ = try MasterKeyFile.load(configuration) }
    try checkDescriptors(DescriptorLimit.raise(), configuration.listening)
    try Listeners.probe(configuration)
    return configuration
  }

  /// Requires that the file of further trust anchors can be used. Without them this node could make no connection to a
  /// push network, and its first push of each app would pause that app on all nodes.
  private static func checkTrust(_ file: String?) throws(ServerError) {
    guard let file else { return }
    do throws(TLSError) {
      _ = try TLSContext.client(trust: TLSContext.Trust(files: [file]))
    } catch {
      throw ServerError("UPMC_CA_FILE (\(file)) cannot be used: \(error). Name a PEM file that this user may read.")
    }
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

internal import Operations

/// What can be known about a start before anything is begun: a server that cannot serve touches no database.
enum Preflight {
  /// - Returns: the configuration with what was found for it.
  /// - Throws: one sentence that says what is wrong and what to do.
  static func check(_ configuration: Configuration) throws -> Configuration {
    var configuration = configuration
    configuration.publicDirectory = try ConsoleFiles.locate(configured: configuration.publicDirectory)
    _ = try DoorCertificate.load(configuration.listening)
    if !MasterKeyFile.isMade(for: configuration) { _ = try MasterKeyFile.load(configuration) }
    try Listeners.probe(configuration)
    return configuration
  }
}

internal import FoundationEssentials
package import Operations
internal import Postgres
internal import Reactor

/// Finds the master key, which encrypts secrets in the database.
package enum MasterKeyFile {
  /// Returns the configured key. For a private database without a configured key, one is generated at the first start
  /// and stored next to the database.
  /// - Throws: `Configuration.Mistake`.
  package static func load(_ configuration: Configuration) throws -> MasterKey {
    try MasterKey(keys: try read(configuration))
  }

  /// Returns the configured keys, 32 bytes each: one, or several while the key is rotated. A file holds one per line.
  /// - Throws: `Configuration.Mistake`.
  package static func read(_ configuration: Configuration) throws -> [[UInt8]] {
    if let text = configuration.masterKey { return try decode(text, source: "UPMC_MASTER_KEY") }
    if let path = configuration.masterKeyFile {
      return try decode(try SecretFile.read(path, name: "UPMC_MASTER_KEY_FILE", holding: "the key"), source: path)
    }
    guard configuration.databaseURL == nil else {
      throw Configuration.Mistake(
        description: """
          UPMC_MASTER_KEY is not set. With a database of your own it is needed, and every node needs the same: make one \
          with `openssl rand -base64 32` and keep it safe, for without it sealed credentials cannot be opened.
          """)
    }
    let path = privatePath(configuration)
    if !FileManager.default.fileExists(atPath: path) { try make(path) }
    return try decode(
      try SecretFile.read(path, name: "The private database's master key", holding: "the key"), source: path)
  }

  private static func privatePath(_ configuration: Configuration) -> String {
    configuration.dataDirectory + "/master.key"
  }

  /// Returns the path of the file that holds the keys; nil when UPMC_MASTER_KEY contains them.
  package static func path(_ configuration: Configuration) -> String? {
    configuration.masterKey == nil ? configuration.masterKeyFile ?? privatePath(configuration) : nil
  }

  /// Replaces the file's content with these keys, one per line. Keeps owner and mode, because the server may run as
  /// another user.
  /// - Parameter remedy: what to do by hand where this user may not write the file, as is usual for a package's or a
  ///   secret's.
  package static func write(_ keys: [[UInt8]], to path: String, orElse remedy: String) throws {
    let text = keys.map { Data($0).base64EncodedString() + "\n" }.joined()
    // A secret is often a symbolic link: the file behind it is replaced.
    let target = RegularFile.resolve(path) ?? path
    do {
      try PrivateFile.replace(target, Array(text.utf8), keepsOwner: true)
    } catch {
      throw Configuration.Mistake(description: "The master key file cannot be written: \(error). \(remedy)")
    }
  }

  /// Returns true if no key is configured, so that the private database's own key is used.
  static func isMade(for configuration: Configuration) -> Bool {
    configuration.databaseURL == nil && configuration.masterKey == nil && configuration.masterKeyFile == nil
  }

  /// Loads the key and verifies that it decrypts what the database contains.
  package static func load(_ configuration: Configuration, for connection: DatabaseConnection) throws -> MasterKey {
    let master = try load(configuration)
    guard let fit = try fits(master, connection) else { return master }
    guard fit else {
      throw Configuration.Mistake(
        description: """
          \(source(configuration)) is another key than the one that sealed what this database holds. Nothing was changed. \
          Give the key that the database was made with, as it is kept with its backups.
          """)
    }
    if let current = try MasterKeyRotation.current(on: connection) { _ = master.seal(with: current) }
    return master
  }

  /// Returns true if the key decrypts what the database contains, false if not; nil when nothing is encrypted yet, or
  /// the tables do not exist.
  private static func fits(_ master: MasterKey, _ connection: DatabaseConnection) throws -> Bool? {
    do throws(PostgresError) {
      return try SigningKeys.fit(master, connection)
    } catch  where error.sqlState == .undefinedTable {
      return nil
    }
  }

  /// Returns the source of the key, for error messages.
  private static func source(_ configuration: Configuration) -> String {
    if configuration.masterKey != nil { return "UPMC_MASTER_KEY" }
    return "The master key in \(configuration.masterKeyFile ?? configuration.dataDirectory + "/master.key")"
  }

  private static func decode(_ text: String, source: String) throws -> [[UInt8]] {
    let words = text.split { $0.isWhitespace || $0 == "," }
    let keys = words.compactMap { Data(base64Encoded: String($0)) }.filter { $0.count == 32 }.map(Array.init)
    guard !keys.isEmpty, keys.count == words.count else {
      throw Configuration.Mistake(
        description: "\(source) does not hold 32 bytes in base64. Make a key with `openssl rand -base64 32`.")
    }
    return keys
  }

  private static func make(_ path: String) throws {
    let text = Data(MasterKey.makeBytes()).base64EncodedString() + "\n"
    do {
      // Another process may have created the file first; then its key is used.
      _ = try PrivateFile.create(path, Array(text.utf8))
    } catch {
      throw Configuration.Mistake(
        description: "The master key file cannot be made: \(error). Give this user the right to write there.")
    }
  }
}

/// Stores the client's state (the registration, the id of the installation, pushes to be returned to the server, and
/// the settings for the extension): in the keychain on Apple's systems, in files elsewhere, or in an app's own store.
///
/// The app and its extension must use the same store. A write must be atomic, and durable when it returns. No entry may
/// reach another device, for example by a backup: to the server, two devices with one registration are one, which gets
/// pushes only where it has registered last. All calls may block, and may be made on any thread.
public protocol KeyStore: Sendable {
  /// Returns the entry of this name; nil if there is none. Throws if the store cannot be read.
  func read(_ name: String) throws -> [UInt8]?
  /// Creates or replaces an entry. Throws if it cannot be written; then the previous one, if any, is unchanged.
  func write(_ bytes: [UInt8], _ name: String) throws
  /// Removes an entry. No effect if there is none. Throws if it cannot be removed.
  func remove(_ name: String) throws
}

/// A key store in files that only their owner can read, one for each entry (`<name>.key`), for systems without a
/// keychain.
public struct FileKeyStore: KeyStore {
  private let directory: String

  /// Creates a key store.
  /// - Parameter directory: directory of the files; created at the first write if it does not exist.
  public init(directory: String) {
    self.directory = directory
  }

  /// Returns the content of the entry's file; nil if there is none, and empty if it is longer than 1 MiB.
  public func read(_ name: String) throws -> [UInt8]? {
    try DurableFile.read(path(name), mostBytes: ClientLimits.answerBytes)
  }

  /// Writes the entry's file atomically and durably, and creates the directory if it does not exist.
  public func write(_ bytes: [UInt8], _ name: String) throws {
    try DurableFile.makeDirectory(directory)
    try DurableFile.write(bytes, to: path(name), in: directory)
  }

  /// Removes the entry's file. No effect if there is none.
  public func remove(_ name: String) throws {
    try DurableFile.remove(path(name))
  }

  private func path(_ name: String) -> String { "\(directory)/\(name).key" }
}

/// Stores the device's key, token and user: in the keychain on Apple's systems, in files elsewhere, or in an app's own
/// store.
///
/// The app and its extension must use the same store. A write must be atomic, and durable when it returns.
public protocol KeyStore: Sendable {
  /// Returns the entry of this name; nil if there is none.
  func read(_ name: String) throws -> [UInt8]?
  /// Creates or replaces an entry.
  func write(_ bytes: [UInt8], _ name: String) throws
  /// Removes an entry. No effect if there is none.
  func remove(_ name: String) throws
}

/// A key store in files that only their owner can read, for systems without a keychain.
public struct FileKeyStore: KeyStore {
  private let directory: String

  /// Creates a key store.
  /// - Parameter directory: directory of the files; created at the first write if it does not exist.
  public init(directory: String) {
    self.directory = directory
  }

  /// Returns the content of the file of this name; nil if there is none.
  public func read(_ name: String) throws -> [UInt8]? {
    try DurableFile.read(path(name), mostBytes: ClientLimits.answerBytes)
  }

  /// Writes the file atomically and durably.
  public func write(_ bytes: [UInt8], _ name: String) throws {
    try DurableFile.makeDirectory(directory)
    try DurableFile.write(bytes, to: path(name), in: directory)
  }

  /// Removes the file. No effect if there is none.
  public func remove(_ name: String) throws {
    try DurableFile.remove(path(name))
  }

  private func path(_ name: String) -> String { "\(directory)/\(name).key" }
}

/// Stores the device's key, token and user: the keychain on Apple's systems, a file elsewhere, or an app's own store.
///
/// The app and its extension use the same one. A write is whole or not at all, and lasts when it returns.
public protocol KeyStore: Sendable {
  /// The bytes under a name; nil when there are none.
  func read(_ name: String) throws -> [UInt8]?
  /// Replaces the bytes under a name.
  func write(_ bytes: [UInt8], _ name: String) throws
  /// Removes them; nothing happens when there are none.
  func remove(_ name: String) throws
}

/// A key store of files that only their owner may read, for systems without a keychain.
public struct FileKeyStore: KeyStore {
  private let directory: String

  /// - Parameter directory: is made when it is not there.
  public init(directory: String) {
    self.directory = directory
  }

  /// The bytes of the file of this name.
  public func read(_ name: String) throws -> [UInt8]? {
    try DurableFile.read(path(name), mostBytes: ClientLimits.answerBytes)
  }

  /// Writes the file, syncs it and puts it in place.
  public func write(_ bytes: [UInt8], _ name: String) throws {
    try DurableFile.makeDirectory(directory)
    try DurableFile.write(bytes, to: path(name), in: directory)
  }

  /// Removes the file.
  public func remove(_ name: String) throws {
    try DurableFile.remove(path(name))
  }

  private func path(_ name: String) -> String { "\(directory)/\(name).key" }
}

#if canImport(Security)
  internal import Foundation
  internal import Security

  /// A key store in the keychain: survives the app's removal, and is shared with an extension by an access group.
  ///
  /// Entries may be read once the device has been unlocked after its start (an extension runs behind the lock screen), and
  /// never leave it with a backup. See Apple's documentation, *Sharing access to keychain items among a collection of apps*:
  /// <https://developer.apple.com/documentation/security/sharing-access-to-keychain-items-among-a-collection-of-apps>
  public struct KeychainStore: KeyStore {
    private let service: String
    private let group: String?

    /// What the keychain answered.
    public struct Failure: Error, CustomStringConvertible {
      let status: OSStatus
      /// The number that Apple documents as `OSStatus`.
      public var description: String { "the keychain answered \(status)" }
    }

    /// - Parameters:
    ///   - service: names the entries of this app; the same in its extension.
    ///   - group: the keychain access group that both have; nil for the process's own.
    public init(service: String, group: String?) {
      self.service = service
      self.group = group
    }

    /// The bytes of an entry.
    public func read(_ name: String) throws -> [UInt8]? {
      var query = query(name)
      query[kSecReturnData as String] = true
      query[kSecMatchLimit as String] = kSecMatchLimitOne
      var found: CFTypeRef?
      let status = unsafe SecItemCopyMatching(query as CFDictionary, &found)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, let data = found as? Data else { throw Failure(status: status) }
      return [UInt8](data)
    }

    /// Replaces an entry, or makes it.
    public func write(_ bytes: [UInt8], _ name: String) throws {
      let change: [String: Any] = [kSecValueData as String: Data(bytes)]
      let status = SecItemUpdate(query(name) as CFDictionary, change as CFDictionary)
      if status == errSecSuccess { return }
      guard status == errSecItemNotFound else { throw Failure(status: status) }
      var entry = query(name)
      entry[kSecValueData as String] = Data(bytes)
      entry[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
      let added = SecItemAdd(entry as CFDictionary, nil)
      // The other process was a moment faster.
      if added == errSecDuplicateItem { return try write(bytes, name) }
      guard added == errSecSuccess else { throw Failure(status: added) }
    }

    /// Removes an entry.
    public func remove(_ name: String) throws {
      let status = SecItemDelete(query(name) as CFDictionary)
      guard status == errSecSuccess || status == errSecItemNotFound else { throw Failure(status: status) }
    }

    private func query(_ name: String) -> [String: Any] {
      var query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
        kSecAttrAccount as String: name,
      ]
      if let group { query[kSecAttrAccessGroup as String] = group }
      return query
    }
  }
#endif

#if canImport(Security)
  internal import Foundation
  internal import Security

  /// A key store in the keychain. Entries survive the app's removal and are shared with an extension through an access
  /// group.
  ///
  /// Entries can be read as soon as the device has been unlocked after booting, even while it is locked again, because
  /// extensions also run then. A backup that is restored to another device does not contain them. See Apple's
  /// documentation, *Sharing access to keychain items among a collection of apps*:
  /// <https://developer.apple.com/documentation/security/sharing-access-to-keychain-items-among-a-collection-of-apps>
  public struct KeychainStore: KeyStore {
    private let service: String
    private let group: String?

    /// The error thrown if a keychain call fails.
    public struct Failure: Error, CustomStringConvertible {
      let status: OSStatus
      /// The error's text, which contains the code that Apple documents as `OSStatus`.
      public var description: String { "the keychain answered \(status)" }
    }

    /// Creates a key store. Does not access the keychain yet.
    /// - Parameters:
    ///   - service: name of this app's entries; must be the same in its extension.
    ///   - group: keychain access group of app and extension; nil for the process's default group.
    public init(service: String, group: String?) {
      self.service = service
      self.group = group
    }

    /// Returns the content of an entry; nil if there is none. Throws `Failure` for any other status, for example before
    /// the first unlocking.
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

    /// Creates or replaces an entry. Throws `Failure` if the keychain refuses it.
    public func write(_ bytes: [UInt8], _ name: String) throws {
      let change: [String: Any] = [kSecValueData as String: Data(bytes)]
      var status = SecItemUpdate(query(name) as CFDictionary, change as CFDictionary)
      if status == errSecItemNotFound {
        var entry = query(name)
        entry[kSecValueData as String] = Data(bytes)
        entry[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        status = SecItemAdd(entry as CFDictionary, nil)
        // The other process has created the entry meanwhile: replace it.
        if status == errSecDuplicateItem {
          status = SecItemUpdate(query(name) as CFDictionary, change as CFDictionary)
        }
      }
      guard status == errSecSuccess else { throw Failure(status: status) }
    }

    /// Removes an entry. No effect if there is none. Throws `Failure` for any other status.
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

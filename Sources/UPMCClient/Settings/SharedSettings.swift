#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The settings that an app stores in the key store for its extension: server, app and network, but no client key.
public struct SharedSettings: Codable, Sendable, Equatable {
  /// The address of the server.
  public var server: ServerAddress
  /// The app's bundle identifier (APP_ID).
  public var appID: String
  /// The network that issues the token.
  public var network: TokenNetwork
  /// The APNs environment that issues the token.
  public var environment: TokenEnvironment

  /// Creates shared settings from those of the client; the others, such as the client key, are omitted.
  public init(_ settings: ClientSettings) {
    server = settings.server
    appID = settings.appID
    network = settings.network
    environment = settings.environment
  }

  /// Reads the settings that the app has stored; nil if there are none in this key store, or if they cannot be read or
  /// decoded.
  public init?(in keys: any KeyStore) {
    guard let bytes = try? keys.read("settings"),
      let known = try? JSONDecoder().decode(SharedSettings.self, from: Data(bytes))
    else { return nil }
    self = known
  }

  /// Stores the settings for `init(in:)`. Writes nothing if they are unchanged. Throws if the key store cannot be
  /// written.
  public func store(in keys: any KeyStore) throws {
    guard SharedSettings(in: keys) != self else { return }
    try keys.write(WireBody.encode(self), "settings")
  }

  /// Returns settings for an extension: without a client key, because an extension does not register devices, without
  /// attributes, and with the shorter timeout of extensions.
  /// - Parameter directory: the directory of the outbox, which app and extension share.
  public func settings(directory: String) -> ClientSettings {
    var settings = ClientSettings(server: server, appID: appID, clientKey: "", directory: directory)
    settings.network = network
    settings.environment = environment
    settings.callSeconds = ClientLimits.extensionCallSeconds
    return settings
  }
}

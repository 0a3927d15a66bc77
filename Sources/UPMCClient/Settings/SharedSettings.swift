#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What an app leaves in the key store for its extension: which server, which app, which network. No key of the app's.
public struct SharedSettings: Codable, Sendable, Equatable {
  /// The server.
  public var server: ServerAddress
  /// APP_ID.
  public var appID: String
  /// The network of the token.
  public var network: TokenNetwork
  /// Which of Apple's services issued it.
  public var environment: TokenEnvironment

  /// What of an app's settings its extension needs.
  public init(_ settings: ClientSettings) {
    server = settings.server
    appID = settings.appID
    network = settings.network
    environment = settings.environment
  }

  /// What an app has left; nil when it never started, or when its key store is another.
  public init?(in keys: any KeyStore) {
    guard let bytes = try? keys.read("settings"),
      let known = try? JSONDecoder().decode(SharedSettings.self, from: Data(bytes))
    else { return nil }
    self = known
  }

  /// Leaves them. Nothing is written when they are the same.
  public func store(in keys: any KeyStore) throws {
    guard SharedSettings(in: keys) != self else { return }
    try keys.write(WireBody.encode(self), "settings")
  }

  /// Settings of an extension. It registers nothing, so it has no client key.
  public func settings(directory: String) -> ClientSettings {
    var settings = ClientSettings(server: server, appID: appID, clientKey: "", directory: directory)
    settings.network = network
    settings.environment = environment
    settings.callSeconds = ClientLimits.extensionCallSeconds
    return settings
  }
}

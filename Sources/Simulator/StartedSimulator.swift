/// Addresses and credentials of a running simulator, as needed to configure a provider.
package struct StartedSimulator: Sendable {
  /// Addresses on which the simulator listens, as `host:port`.
  package struct Endpoints: Codable, Equatable, Sendable {
    /// APNs production, for `/3/device`.
    package let apns: String
    /// APNs sandbox, for `/3/device`.
    package let sandbox: String
    /// Channel management of production; nil if disabled.
    package let channels: String?
    /// Channel management of the sandbox; nil if disabled.
    package let sandboxChannels: String?
    /// FCM over HTTP/2; nil if disabled.
    package let fcm: String?
    /// The control API; nil if disabled.
    package let control: String?
  }

  /// A signing key that the simulator accepts.
  package struct ProviderKey: Sendable {
    package let teamID: String
    package let keyID: String
    /// Content of the `.p8` file: a private key in PEM.
    package let privateKeyPEM: String
  }

  package let endpoints: Endpoints
  /// Service account for the simulated FCM; its `token_uri` is on the control address.
  package let serviceAccount: ServiceAccountFile

  /// URL of the token endpoint; nil without a control address.
  package var tokenURL: String? { endpoints.control.map { "http://\(Self.reachable($0))/token" } }

  /// The service account's JSON file; nil without a control address, because there is no token endpoint then.
  package var serviceAccountJSON: String? {
    tokenURL.map { serviceAccount.json(tokenURI: $0) }
  }

  /// Returns the address with a wildcard host (`0.0.0.0`, `[::]`) replaced by the loopback address.
  private static func reachable(_ address: String) -> String {
    for (all, own) in [("0.0.0.0:", "127.0.0.1:"), ("[::]:", "[::1]:")] where address.hasPrefix(all) {
      return own + address.dropFirst(all.count)
    }
    return address
  }

  /// Certificate of the authority that providers must trust, in PEM.
  package let authorityPEM: String
  package let providerKey: ProviderKey
}

/// The reason why the simulator could not start.
package struct SimulatorStartFailure: Error, CustomStringConvertible {
  package let description: String
}

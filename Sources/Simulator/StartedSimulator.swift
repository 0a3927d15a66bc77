/// What a provider needs to know of a running simulator.
package struct StartedSimulator: Sendable {
  /// Where it listens: `host:port`.
  package struct Endpoints: Codable, Equatable, Sendable {
    /// `/3/device` for production.
    package let apns: String
    /// `/3/device` for the sandbox.
    package let sandbox: String
    /// The channel management of production and of the sandbox; nil without.
    package let channels: String?
    package let sandboxChannels: String?
    /// FCM over HTTP/2; nil without.
    package let fcm: String?
    /// The control API; nil without.
    package let control: String?
  }

  /// A signing key that the simulator trusts.
  package struct ProviderKey: Sendable {
    package let teamID: String
    package let keyID: String
    /// The `.p8` file: a private key in PEM.
    package let privateKeyPEM: String
  }

  package let endpoints: Endpoints
  /// What opens the simulated FCM; its `token_uri` is at the control address.
  package let serviceAccount: ServiceAccountFile

  /// Where the simulated FCM's access tokens are got; nil without a control address.
  package var tokenURL: String? { endpoints.control.map { "http://\(Self.reachable($0))/token" } }

  /// The service account's JSON file; nil without a control address, because there is no token endpoint then.
  package var serviceAccountJSON: String? {
    tokenURL.map { serviceAccount.json(tokenURI: $0) }
  }

  /// Who listens on all addresses is found on this machine's own.
  private static func reachable(_ address: String) -> String {
    for (all, own) in [("0.0.0.0:", "127.0.0.1:"), ("[::]:", "[::1]:")] where address.hasPrefix(all) {
      return own + address.dropFirst(all.count)
    }
    return address
  }

  /// The authority to trust, in PEM.
  package let authorityPEM: String
  package let providerKey: ProviderKey
}

/// Why it could not start.
package struct SimulatorStartFailure: Error, CustomStringConvertible {
  package let description: String
}

/// What a provider needs to know of a running simulator.
package struct StartedSimulator: Sendable {
  /// Where it listens: `host:port`.
  package struct Endpoints: Codable, Equatable, Sendable {
    /// `/3/device` for production.
    package let apns: String
    /// `/3/device` for the sandbox.
    package let sandbox: String
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
  /// The authority to trust, in PEM.
  package let authorityPEM: String
  package let providerKey: ProviderKey
}

/// Why it could not start.
package struct SimulatorStartFailure: Error, CustomStringConvertible {
  package let description: String
}

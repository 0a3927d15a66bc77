/// Operator settings of the legacy API.
package struct LegacyConfiguration: Sendable {
  /// Paths under which controllers are served, such as `/upmc`; nil permits any.
  package var contexts: [String]?
  /// Whether devices need an AUTHKEY. If false, the PSID alone is trusted in apps with identity mode `open`; other apps
  /// still require keys.
  package var requiresKeys = true
  /// The addresses of servers that need no API key. They may do what an operator of all apps may.
  package var trustedSenders = TrustedAddresses()

  package init() {}
}

/// Operator settings of the legacy API.
package struct LegacyConfiguration: Sendable {
  /// Path prefixes that may precede a controller, such as `/upmc`; nil permits any.
  package var contexts: [String]?
  /// Whether devices need an AUTHKEY. If false, their PSID alone is trusted.
  package var requiresKeys = true
  /// The addresses of servers that may send without an API key.
  package var trustedSenders = TrustedAddresses()

  package init() {}
}

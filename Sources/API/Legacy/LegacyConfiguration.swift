/// Operator settings of the legacy API.
package struct LegacyConfiguration: Sendable {
  /// Path prefixes allowed before a controller, such as `/upmc`; nil: any.
  package var contexts: [String]?
  /// False: devices need no AUTHKEY; their PSID is trusted.
  package var demandsKeys = true
  /// Addresses of servers that may send without an API key.
  package var trustedSenders = TrustedAddresses()

  package init() {}
}

/// What an operator may set of the legacy door.
package struct LegacyConfiguration: Sendable {
  /// Paths that may stand in front of a controller, such as `/upmc`; nil: any.
  package var contexts: [String]?
  /// False: devices need no AUTHKEY; their PSID is believed.
  package var demandsKeys = true
  /// Addresses of servers that may send, besides those that bring an API key.
  package var trustedSenders = TrustedAddresses()

  package init() {}
}

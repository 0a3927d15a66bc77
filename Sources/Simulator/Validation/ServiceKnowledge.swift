/// What the simulated service knows, apart from the connection.
package struct ServiceKnowledge {
  package var keys = SigningKeys()
  package var tokens = TokenRegistry()
  package var history = ProviderTokenHistory()
  package var rules = ValidationRules()
  package var channels = ChannelRegistry()

  package init() {}
}

/// Options that make the service stricter or laxer than Apple's.
package struct ValidationRules: Sendable, Equatable {
  /// Demand JSON with an `aps` object.
  package var checksPayload = false
  /// Count TooManyProviderTokenUpdates for the whole team.
  package var countsUpdatesPerTeam = false

  package init() {}
}

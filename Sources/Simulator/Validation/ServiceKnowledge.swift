/// The state of the simulated service that validation uses, except that of the connection.
package struct ServiceKnowledge {
  package var keys = SigningKeys()
  package var tokens = TokenRegistry()
  package var history = ProviderTokenHistory()
  package var rules = ValidationRules()
  package var channels = ChannelRegistry()

  package init() {}
}

/// Options that make validation stricter or more lenient than Apple's.
package struct ValidationRules: Sendable, Equatable {
  /// True to validate the payload's JSON: its keys and their types (`PayloadKeys`).
  package var checksPayload = false
  /// True to limit provider token updates per team instead of per connection.
  package var countsUpdatesPerTeam = false

  package init() {}
}

/// What the customer's own servers may want to be told. Raw values are stored and sent.
package enum EventKind: String, CaseIterable, Sendable {
  /// A push was not confirmed in time: send a short message to this person. Once for each person and message.
  case smsRequested = "sms.requested"
  /// A message has ended, with its numbers.
  case messageFinished = "message.finished"
  /// A message that had ended is on its way again: what had been refused of it was our own fault, and is given back.
  case messageReopened = "message.reopened"
  /// A push network said that a device's token is dead.
  case tokenDropped = "token.dropped"
  /// A user who has a device got a further one.
  case deviceAdded = "device.added"
  /// A push certificate ends soon: told 30 days, 7 days and a day before.
  case credentialExpiring = "credential.expiring"
  /// Asked for by an operator, to see whether a webhook works.
  case webhookTest = "webhook.test"

  /// Those that a webhook may be made for.
  package static let wanted: [EventKind] = allCases.filter { $0 != .webhookTest }
}

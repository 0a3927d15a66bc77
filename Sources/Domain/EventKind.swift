/// Events that the customer's own servers may subscribe to. Raw values are stored and sent.
package enum EventKind: String, CaseIterable, Sendable {
  /// A push was not confirmed in time: send an SMS to this person. Once per person and message.
  case smsRequested = "sms.requested"
  /// A message has ended; includes its totals.
  case messageFinished = "message.finished"
  /// A finished message is being sent again: its rejections were our own fault and were given back.
  case messageReopened = "message.reopened"
  /// Devices have confirmed the arrival of a message; many to an event.
  case deliveriesReceived = "deliveries.received"
  /// Users have opened it.
  case deliveriesRead = "deliveries.read"
  /// A message that has ended could not be delivered to these: rejected, expired or skipped.
  case deliveriesFailed = "deliveries.failed"
  /// A push network said that a device's token is dead.
  case tokenDropped = "token.dropped"
  /// A user who already has a device got another one.
  case deviceAdded = "device.added"
  /// A push certificate expires soon: sent 30 days, 7 days and one day before.
  case credentialExpiring = "credential.expiring"
  /// Requested by an operator, to test a webhook.
  case webhookTest = "webhook.test"

  /// The kinds that a webhook may subscribe to.
  package static let wanted: [EventKind] = allCases.filter { $0 != .webhookTest }
}

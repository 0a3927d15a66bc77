/// Events that the customer's own servers can subscribe to by webhooks. The raw values are stored and sent.
package enum EventKind: String, CaseIterable, Sendable {
  /// A push was not confirmed in time: the customer should send an SMS to this user. Once per user and message.
  case smsRequested = "sms.requested"
  /// A message is complete; the event contains its totals.
  case messageFinished = "message.finished"
  /// A completed message is being sent again, because its rejections had a cause on the server's side and were
  /// reversed.
  case messageReopened = "message.reopened"
  /// Devices have confirmed the arrival of a message; an event contains many devices.
  case deliveriesReceived = "deliveries.received"
  /// Users have read a message, as their apps confirmed; an event contains many of them.
  case deliveriesRead = "deliveries.read"
  /// A message that has ended could not be delivered to these devices: it was rejected, or it expired or was skipped
  /// for them. An event contains many devices.
  case deliveriesFailed = "deliveries.failed"
  /// A push network has reported that a device's token is no longer valid.
  case tokenDropped = "token.dropped"
  /// A user who already has a device has registered another one.
  case deviceAdded = "device.added"
  /// A push certificate expires within 30 days, 7 days or one day: at most one event for each of these. If it has
  /// expired, that counts as within one day.
  case credentialExpiring = "credential.expiring"
  /// A test of a webhook, requested by an operator and sent only to that webhook.
  case webhookTest = "webhook.test"

  /// The kinds that a webhook can subscribe to: all except the test.
  package static let wanted: [EventKind] = allCases.filter { $0 != .webhookTest }
}

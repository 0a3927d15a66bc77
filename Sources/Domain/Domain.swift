/// The domain of UPMC as values and pure functions: no I/O, no clock, no technology.
///
/// - **Who**: `App` owns everything. A `device` (one installation, `DeviceID`) holds a push token (`PSID`) of a
///   `PushNetwork` and belongs to a user or, as a guest, to itself: `UserKey` identifies either.
/// - **What**: a `MessageRequest` is one send; its number is the SEQNO. Its `MessageContent` is checked against the
///   rules of its push type (`ContentRules`); `PayloadTemplate` turns it into bytes for one recipient, `PushHeaders`
///   into headers.
/// - **Outcome**: every (message, device) is a delivery with an `OutcomeStatus`; `Funnel` adds them up.
/// - **Badge**: a count per user in 0…1000, changed by sends and reads (`BadgeRequest`, `BadgeOption`).
/// - **Proof**: `PushKeyring` makes and verifies the keys that authenticate receipts, `AuthKeyring` those of devices.
///
/// Everything here is testable by calling it.
package enum Domain {
  /// Limits of the product, with unit, reason and source.
  package enum Limits {
    /// A badge count never leaves this range, whatever is added.
    package static let badgeCount: ClosedRange<Int16> = 0...1000
    /// What `update`, `force` and the badge call may set; 0 is `reset`.
    package static let badgeValue: ClosedRange<Int16> = 1...1000
    /// A client user id: an e-mail address has up to 254 bytes (RFC 5321), a phone number 15.
    package static let clientUIDBytes = 256
    package static let clientNameBytes = 256
    /// The longest APNs token seen has 160 hex digits; FCM tokens have up to about 250 characters.
    package static let psidBytes = 512
    package static let deviceIDBytes = 256
    /// Model, versions, locale and time zone of a device.
    package static let attributeBytes = 128
    package static let appIDBytes = 255
    package static let groupNameBytes = 256
    /// Messages confirmed by one call: what a device reports after a long time offline.
    package static let confirmationsPerCall = 100
    /// Users, devices, PSIDs or groups named in one send.
    package static let audienceEntries = 10_000
    /// Queued and sending messages of one lane. Larger than the number of devices that may be in progress at once, so
    /// that it fills up only with what the networks do not accept.
    package static let openMessages = 50_000
    /// Idempotency keys are short names chosen by the caller.
    package static let idempotencyKeyBytes = 128
    /// In bytes; APNs refuses more.
    package static let payloadBytes = 4096
    /// The same through FCM, which counts the name `message` under which it carries a payload.
    package static let fcmPayloadBytes = 4096 - 7
    /// The same for a voip push.
    package static let voipPayloadBytes = 5120
    /// The same for a push on a broadcast channel.
    package static let broadcastPayloadBytes = 5120
    /// How long an update on a channel may stay valid; APNs stores the latest for at most 8 hours.
    package static let channelSeconds: ClosedRange<Int64> = 1...28_800
    /// Channels per app and environment; APNs allows no more.
    package static let channelsPerEnvironment = 10_000
    /// Apple's id of a channel, base64; those seen have 24 characters.
    package static let channelIDBytes = 256
    /// `apns-collapse-id`: Apple refuses more.
    package static let collapseIDBytes = 64
    /// Categories, threads, sounds and other names that app and server agree on.
    package static let nameBytes = 256
    /// An app's name of a Live Activity; ActivityKit's own ids are UUIDs of 36 bytes.
    package static let activityIDBytes = 128
    /// Live Activities per device; iOS shows far fewer of an app at a time. A new one replaces the oldest.
    package static let activitiesPerDevice = 16
    /// Translations of one message beside its default text.
    package static let translations = 50
    /// One value of `%VAR1%` … `%VAR9%`.
    package static let variableBytes = 1024
    /// `ext`, or the text of a message; what does not fit the payload moves to a page.
    package static let hostedTextBytes = 262_144
    /// How long a message may wait for a device; APNs stores for at most 30 days.
    package static let expirySeconds: ClosedRange<Int64> = 0...2_592_000
    /// Applies when the request gives none: a day.
    package static let defaultExpirySeconds: Int64 = 86_400
    /// How long a message may be kept in inboxes: an hour to a year.
    package static let inboxSeconds: ClosedRange<Int64> = 3_600...31_536_000
  }
}

// String literals become `Sentence` through members of `PlainText`, so users of this module need to see that one, too.
@_exported public import PlainText

/// The domain of UPMC as values and pure functions: no I/O, no clock, no technology.
///
/// - **Who**: `App` owns everything. A `device` (one installation, `DeviceID`) holds a push token (`PSID`) of a
///   `PushNetwork` and belongs to a user or, as a guest, to itself: `UserKey` identifies either.
/// - **What**: a `MessageRequest` is one send; its number is the SEQNO. Its `MessageContent` is checked against the
///   rules of its push type (`ContentRules`); `PayloadTemplate` turns it into bytes for one recipient, `PushHeaders`
///   into headers.
/// - **Outcome**: every (message, device) is a delivery with an `OutcomeStatus`; `Funnel` adds them up.
/// - **Badge**: a count per user in 0…1000, changed by sends and reads (`BadgeRequest`, `BadgeOption`).
/// - **Proof**: `PushKeyring` makes and verifies the keys that authenticate receipts and reads, `AuthKeyring` the keys
///   that authenticate devices.
///
/// Everything here can be tested by calling it.
package enum Domain {
  /// Limits of the product. Lengths of texts are in bytes of UTF-8.
  package enum Limits {
    /// Range of badge counts; sums are clamped to it.
    package static let badgeCount: ClosedRange<Int16> = 0...1000
    /// Range of the counts that `update`, `force` and a send can set, and of a send's increments. For 0 there are
    /// `reset` and `clear`.
    package static let badgeValue: ClosedRange<Int16> = 1...1000
    /// Maximum length of a client user id in bytes: an e-mail address has up to 254 (RFC 5321), a phone number 15.
    package static let clientUIDBytes = 256
    package static let clientNameBytes = 256
    /// Maximum length of a push token in bytes: the longest APNs token observed has 160 hexadecimal digits; FCM tokens
    /// have up to about 250 characters.
    package static let psidBytes = 512
    package static let deviceIDBytes = 256
    /// Maximum length in bytes of each attribute that a device reports, such as its model or locale.
    package static let attributeBytes = 128
    package static let appIDBytes = 255
    package static let groupNameBytes = 256
    /// Maximum messages confirmed by one request, enough for a device that was offline for long.
    package static let confirmationsPerCall = 100
    /// Maximum users, devices, PSIDs or groups listed in one send.
    package static let audienceEntries = 10_000
    /// Maximum queued and sending messages per lane; further sends are refused as `busy`. Larger than the number of
    /// devices that a node may have in flight, so it is normally reached only if the push networks accept pushes too
    /// slowly.
    package static let openMessages = 50_000
    /// Maximum length of an idempotency key in bytes.
    package static let idempotencyKeyBytes = 128
    /// Maximum size of a payload in bytes, except through FCM, for VoIP and on channels; APNs refuses larger ones.
    package static let payloadBytes = 4096
    /// Maximum payload through FCM in bytes: seven less than 4096, because FCM also counts the name `message`, under
    /// which the payload is sent.
    package static let fcmPayloadBytes = 4096 - 7
    /// Maximum payload of a VoIP push in bytes.
    package static let voipPayloadBytes = 5120
    /// Maximum payload of an update on a broadcast channel in bytes.
    package static let broadcastPayloadBytes = 5120
    /// Allowed lifetime of an update on a channel in seconds; APNs stores the latest for at most 8 hours.
    static let channelSeconds: ClosedRange<Int64> = 1...28_800
    /// Maximum channels per app and environment; APNs allows no more.
    package static let channelsPerEnvironment = 10_000
    /// Maximum length of Apple's id of a channel (base64); those observed have 24 characters.
    package static let channelIDBytes = 256
    /// Maximum length of `apns-collapse-id` in bytes; Apple refuses longer ones.
    package static let collapseIDBytes = 64
    /// Maximum length in bytes of categories, threads, sounds and other names on which app and server agree.
    package static let nameBytes = 256
    /// Maximum length in bytes of the id that an app gives a Live Activity; ActivityKit's own ids are UUIDs of 36
    /// bytes.
    package static let activityIDBytes = 128
    /// Maximum Live Activities per device and app, far more than iOS shows at a time. A new one replaces the oldest.
    package static let activitiesPerDevice = 16
    /// Maximum translations of a message besides its default text.
    package static let translations = 50
    /// Maximum length of a value of `%VAR1%` … `%VAR9%` in bytes.
    package static let variableBytes = 1024
    /// Maximum length in bytes of `ext` or of a message's text; what does not fit into the payload is moved to a hosted
    /// page.
    static let hostedTextBytes = 262_144
    /// Allowed lifetime of a message in seconds; APNs stores pushes for at most 30 days.
    package static let expirySeconds: ClosedRange<Int64> = 0...2_592_000
    /// Lifetime in seconds if the request gives none: one day.
    static let defaultExpirySeconds: Int64 = 86_400
    /// Allowed retention in inboxes, in seconds: an hour to a year.
    package static let inboxSeconds: ClosedRange<Int64> = 3_600...31_536_000
  }
}

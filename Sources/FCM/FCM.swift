/// The way to Google (FCM HTTP v1): takes batches of recipients and reports a result for each. `PushTransport` provides
/// connections, queues and lanes; this module adds Google's rules.
///
/// ```
///   any thread                  thread "fcm-0" (FCMSender.run)
///   offer(batch) ──gate──► inbox ──► SenderLoop ──► PushRouter ──► Pool (account) ──► connections
///   set(credential) ────────►        │                                ▲
///                                    │       ProjectDoor: encoding, table of errors
///                                    ├── AccountInUse: AccessTokens ──HTTPS──► token_uri
///   results(…) ◄─────────────────────┘        └── Project: Pacer (the project's quota)
/// ```
///
/// **One access token** for all connections of an account: fetched when first needed, again five minutes before its
/// end, by one request at a time, with back-off. A 401 fetches another one, once. Each node has its own: Google does
/// not limit their number.
///
/// **The quota** is the project's (600,000 messages a minute), whoever sends. All accounts of a project share one
/// `Pacer`. It spaces requests evenly, begins with a tenth of the quota and reaches all of it within a minute of full
/// load, and reserves a part for urgent messages. Nodes on one database divide the quota evenly (`FCMSender.share`), so
/// QUOTA_EXCEEDED occurs only if somebody else sends for the project too. Then the pace is halved and sending rests as
/// long as Google asks, except for a hundredth of the quota that urgent messages keep, unless these are refused as
/// well. A lane of a route holds only what can leave while its bindings are fresh.
///
/// **The message** (`Composer`). The SDK for Android reads `data.message`, a JSON *text* of `{"aps":…,"mps":…}`.
/// Devices of an iOS app behind FCM need an `apns` block. Only FCM knows which of the two a registration is, so a
/// message carries both, the data as `android.data` (on the device the same as `data`), because FCM would add plain
/// `data` to what it sends to Apple. An app with Android devices only is configured so, and gets plain `data`. Style
/// `notification` adds a notification that Android shows by itself. `collapse_key` is set only if the message has one
/// of its own: FCM keeps four keys a device and delays collapsible messages, and the SDK drops a second message of the
/// same SEQNO by itself.
///
/// **A registration** is a token, or a Firebase installation ID (22 characters): the form tells them apart.
///
/// Invariants, besides those of `PushTransport`:
/// - A registration is called bad only by a word of FCM's that means it; a 404 without one is a wrong project.
/// - Neither the private key nor an access token is ever logged.
package enum FCM {
  /// Limits of this module, with unit, reason and source.
  package enum Limits {
    /// Bytes of a message's data and notification, and of an `apns` payload ("FCM HTTP v1", Message).
    package static let payloadBytes = 4096
    /// Seconds that FCM keeps a message for an offline device: four weeks.
    package static let ttlSeconds: Int64 = 2_419_200
    /// Messages a minute of one project ("Throttling and quotas").
    package static let messagesPerMinute = 600_000
    /// Fraction of the quota that is used: the rest allows for clocks that differ.
    package static let quotaPart = 0.98
    /// Fraction of the quota with which a pace begins, and seconds of full load until it reaches the whole.
    package static let firstPart = 0.1
    package static let rampSeconds = 60.0
    /// Seconds without load after which a pace begins anew.
    package static let idleSeconds = 300.0
    /// Burst, in seconds of sending: what may leave at once, and what is reserved for urgent messages.
    package static let burstSeconds = 0.05
    /// Seconds of sending that a lane may hold: half of what a binding stays fresh.
    package static let queuedSeconds = 0.25
    /// Minimum targets that a lane may hold.
    package static let queuedTargets = 64
    /// Interval at which the pace is re-checked while requests wait for it, in seconds.
    static let paceSeconds = 0.005
    /// Fraction of the quota that urgent messages keep while a project rests, and seconds until they may use it:
    /// answers usually take no longer.
    package static let restPart = 0.01
    package static let quietSeconds = 1
    /// Seconds of rest after QUOTA_EXCEEDED without a Retry-After ("Scale to millions"), and the maximum.
    package static let quotaRestSeconds = 60
    package static let longestRestSeconds = 600
    /// Streams on one connection: Google's front ends allow 100, as observed.
    package static let streamsPerConnection = 100
    /// Seconds before its end at which an access token is replaced.
    package static let tokenRenewalSeconds: Int64 = 300
    /// Timeout of one exchange of an assertion for an access token, in seconds.
    package static let tokenRequestSeconds: Int64 = 15
    /// Seconds for which refusals may still concern the previous access token.
    package static let tokenChangeSeconds: Int64 = 5
    /// Seconds within which a second refused access token means that tokens are not the problem.
    package static let tokenRefusalSeconds: Int64 = 600
    /// Maximum bytes of an access token: Google's have up to 2,048.
    package static let tokenBytes = 4_096
    /// Accepted lifetime of an access token in seconds: Google's live 3,600. A longer one is cut to a day, a shorter
    /// one refused.
    package static let tokenLifeSeconds: ClosedRange<Int64> = 60...86_400
    /// Maximum bytes of the token endpoint's answer: far more than it ever sends.
    package static let tokenAnswerBytes = 65_536
    /// Maximum bytes of text from a server of Google's, or of a customer's, that is shown, logged and stored with the
    /// app.
    package static let shownBytes = 200
  }
}

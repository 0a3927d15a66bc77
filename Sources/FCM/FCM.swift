/// The way to Google: takes batches of recipients and says for each what became of it (FCM HTTP v1). Connections, queues
/// and lanes are `PushTransport`'s; here are Google's rules.
///
/// ```
///   any thread                  thread "fcm-0" (FCMSender.run)
///   offer(batch) ──gate──► inbox ──► SenderLoop ──► Switchboard ──► Pool (account) ──► connections
///   set(credential) ────────►        │                                ▲
///                                    │       ProjectDoor: composing, table of errors
///                                    ├── AccountInUse: AccessTokens ──HTTPS──► token_uri
///   results(…) ◄─────────────────────┘        └── Project: Pacer (the project's quota)
/// ```
///
/// **One access token** for all connections of an account: fetched when first needed, again five minutes before its end,
/// by one request at a time, with back-off. A 401 fetches another one, once. Each node has its own: Google counts none.
///
/// **The quota** is the project's (600,000 messages a minute), whoever sends. All accounts of a project have one `Pacer`; it
/// lets requests go evenly, begins with a tenth and reaches all of it within a minute of full work, and keeps a part for
/// urgent ones. Nodes on one database divide the quota by how many they are (`FCMSender.share`), so QUOTA_EXCEEDED comes
/// only where somebody else sends for the project too. Then the pace is halved and all rests as long as Google asks, but
/// for a hundredth that urgent messages have, unless these are refused as well. A lane of a route holds only what can
/// leave while its bindings are fresh.
///
/// **The message** (`Composer`). The SDK for Android reads `data.message`, a JSON *text* of `{"aps":…,"mps":…}`. Devices of
/// an iOS app behind FCM need an `apns` block. Which of both a registration is, FCM knows: so a message carries both, the
/// data as `android.data` (on the device the same as `data`), because FCM would add plain `data` to what it sends to Apple.
/// An app with Android devices only says so, and gets plain `data`. Style `notification` adds a notification that Android
/// shows by itself. No `collapse_key` unless the message has an own one: FCM keeps four keys a device and delays
/// collapsible messages, and the SDK drops a second message of the same SEQNO by itself.
///
/// **A registration** is a token, or a Firebase installation ID (22 characters): told by its form.
///
/// Invariants, besides those of `PushTransport`:
/// - A registration is called bad only by a word of FCM's that means it; a 404 without one is a wrong project.
/// - Neither the private key nor an access token is ever logged.
package enum FCM {
  /// Numbers of this module: unit, reason, source.
  package enum Limits {
    /// Bytes of a message's data and notification, and of an `apns` payload ("FCM HTTP v1", Message).
    package static let payloadBytes = 4096
    /// Seconds that FCM keeps a message for a device that is away: four weeks.
    package static let ttlSeconds: Int64 = 2_419_200
    /// Messages a minute of one project ("Throttling and quotas").
    package static let messagesPerMinute = 600_000
    /// How much of the quota is used: the rest is for clocks that run differently.
    package static let quotaPart = 0.98
    /// Where a pace begins, as a part of the whole, and the seconds of full work until it is reached.
    package static let firstPart = 0.1
    package static let rampSeconds = 60.0
    /// Seconds without work after which a pace begins anew.
    package static let idleSeconds = 300.0
    /// Seconds of sending that may leave at once, and that are kept for urgent messages.
    package static let burstSeconds = 0.05
    /// Seconds of sending that a lane may hold: half of what a binding stays fresh.
    package static let queuedSeconds = 0.25
    /// Targets that a lane may hold at least.
    package static let queuedTargets = 64
    /// Seconds between two looks at the pace while requests wait for it.
    static let paceSeconds = 0.005
    /// What urgent messages may have of all while a project rests, and the seconds until they may: an answer takes no
    /// longer as a rule.
    package static let restPart = 0.01
    package static let quietSeconds = 1
    /// Seconds of rest after QUOTA_EXCEEDED without a Retry-After ("Scale to millions"), and at most.
    package static let quotaRestSeconds = 60
    package static let longestRestSeconds = 600
    /// Streams on one connection: Google's front ends allow 100 as seen.
    package static let streamsPerConnection = 100
    /// Seconds before its end that an access token is replaced.
    package static let tokenRenewalSeconds: Int64 = 300
    /// Seconds for one exchange of an assertion for an access token.
    package static let tokenRequestSeconds: Int64 = 15
    /// Seconds in which refusals may still be about the access token before the present one.
    package static let tokenChangeSeconds: Int64 = 5
    /// Seconds within which a second refused access token means that tokens are not the trouble.
    package static let tokenRefusalSeconds: Int64 = 600
    /// Bytes of an access token: Google's have up to 2,048.
    package static let tokenBytes = 4_096
    /// Seconds that an access token may live: Google's live 3,600. What lives longer is taken for a day, what lives
    /// shorter for none.
    package static let tokenLifeSeconds: ClosedRange<Int64> = 60...86_400
    /// Bytes of an answer of the token endpoint: far more than it ever has.
    package static let tokenAnswerBytes = 65_536
    /// Bytes of the words of a server of Google's, or of a customer's, that are shown, logged and kept with the app.
    package static let shownBytes = 200
  }
}

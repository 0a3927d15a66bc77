/// Sends pushes through Google's FCM (HTTP v1): takes batches of recipients and reports a result for each.
/// `PushTransport` provides connections, queues and lanes; this module adds Google's rules.
///
/// ```
///   any thread                  thread "fcm-0" (FCMSender.run)
///   offer(batch) ──gate──► inbox ──► SenderLoop ──► PushRouter ──► Pool (account) ──► connections
///   set(credential) ────────►        │                                ▲
///                                    │       FCMAdapter: encoding, table of errors
///                                    ├── AccountInUse: AccessTokens ──HTTPS──► token_uri
///   results(…) ◄─────────────────────┘        └── Project: Pacer (the project's quota)
/// ```
///
/// **One access token** for all connections of an account: fetched when first needed, again five minutes before its
/// end, by one request at a time, with back-off. A 401 fetches another one, once. Each node has its own: Google does
/// not limit their number.
///
/// **The quota** belongs to the project (600,000 messages a minute), whoever sends. All accounts of a project share one
/// `Pacer`. It spaces requests evenly, begins with a tenth of the quota and reaches all of it within a minute of full
/// load, and reserves a part for urgent messages. Nodes on one database divide the quota evenly (`FCMSender.share`), so
/// QUOTA_EXCEEDED occurs only if somebody else sends for the project too. Then the rate is halved and sending pauses
/// for as long as Google asks, except for a hundredth of the quota that urgent messages keep, unless these are refused
/// as well. A lane of a route queues only what can be sent while its device tokens are fresh.
///
/// **The message** (`Composer`). The SDK for Android reads `data.message`, a JSON *text* of `{"aps":…,"mps":…}`.
/// Devices of an iOS app behind FCM need an `apns` block. Only FCM knows which of the two a registration is, so a
/// message carries both, with the data as `android.data` (on the device the same as `data`), because FCM would add
/// plain `data` to what it sends to Apple. An app with Android devices only is configured so, and gets plain `data`.
/// The style `notification` adds a notification that Android displays by itself. `collapse_key` is set only if the
/// message has one of its own: FCM keeps four keys per device and delays collapsible messages, and the SDK drops a
/// second message of the same SEQNO by itself.
///
/// **A registration** is a token or a Firebase installation ID (22 characters), distinguished by their form.
///
/// Invariants, besides those of `PushTransport`:
/// - A registration counts as invalid only by an FCM error code that says so; a 404 without one means a wrong project.
/// - Neither the private key nor an access token is ever logged.
package enum FCM {
  /// Limits of this module.
  package enum Limits {
    /// Maximum size in bytes of a message's data and notification, and of an `apns` payload ("FCM HTTP v1", Message).
    package static let payloadBytes = 4096
    /// Maximum seconds for which FCM stores a message for an offline device: four weeks.
    package static let ttlSeconds: Int64 = 2_419_200
    /// The quota of one project, in messages per minute ("Throttling and quotas").
    package static let messagesPerMinute = 600_000
    /// The fraction of the quota that is used; the rest allows for clock differences.
    static let quotaPart = 0.98
    /// The fraction of the quota at which sending starts.
    static let firstPart = 0.1
    /// Seconds of full load until the whole quota is reached.
    static let rampSeconds = 60.0
    /// Seconds without load after which sending starts at `firstPart` again.
    package static let idleSeconds = 300.0
    /// Maximum burst, and the share reserved for urgent messages, as the number of requests that the rate allows in
    /// this many seconds.
    static let burstSeconds = 0.05
    /// Seconds of sending that a lane may queue: half the time that a token read from the database counts as fresh.
    static let queuedSeconds = 0.25
    /// Minimum number of targets that a lane may queue, whatever the rate.
    package static let queuedTargets = 64
    /// The interval in seconds at which the rate limiter is checked while requests wait for it.
    static let paceSeconds = 0.005
    /// The fraction of the quota that urgent messages may still use while a project's quota is exhausted.
    static let restPart = 0.01
    /// Seconds after exhaustion before urgent messages may be sent. Most answers to requests in flight arrive within
    /// them.
    static let quietSeconds = 1
    /// The default pause after QUOTA_EXCEEDED in seconds, without a Retry-After ("Scale to millions").
    static let quotaRestSeconds = 60
    /// Maximum seconds to pause after QUOTA_EXCEEDED, whatever Retry-After says.
    package static let longestRestSeconds = 600
    /// Maximum concurrent streams per connection: Google's front ends allow 100, as observed.
    package static let streamsPerConnection = 100
    /// Seconds before its expiry at which an access token is renewed.
    package static let tokenRenewalSeconds: Int64 = 300
    /// Timeout of a request for an access token, in seconds.
    package static let tokenRequestSeconds: Int64 = 15
    /// Seconds after a renewal during which refusals may still concern the previous access token.
    package static let tokenChangeSeconds: Int64 = 5
    /// If a second access token is refused within this many seconds, tokens are not the cause.
    static let tokenRefusalSeconds: Int64 = 600
    /// Maximum length of an access token in bytes; Google's have up to 2,048.
    package static let tokenBytes = 4_096
    /// The accepted lifetime of an access token in seconds; Google's is 3,600. A longer one is treated as a day, a
    /// shorter one is rejected.
    package static let tokenLifeSeconds: ClosedRange<Int64> = 60...86_400
    /// Maximum size of the token endpoint's response in bytes, far above its usual size.
    static let tokenAnswerBytes = 65_536
    /// Maximum bytes of text from a Google or customer server that is displayed, logged and stored with the app.
    package static let shownBytes = 200
  }
}

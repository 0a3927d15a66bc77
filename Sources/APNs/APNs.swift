/// The way to Apple: takes batches of recipients and reports a result for each. `PushTransport` provides connections,
/// queues and lanes; this module adds Apple's rules.
///
/// ```
///   any thread                       thread "apns-0" (APNsSender.run)
///   offer(batch) ──gate──► inbox ──► SenderLoop ──► PushRouter ──► Pool (credential, environment) ──► connections
///   set(credential), set(token) ─►       │                            ▲
///                                        │                            │ APNsAdapter: tokens, headers, reasons
///   results(…), tokenNeeded(…) ◄─────────┴────────────────────────────┘
/// ```
///
/// **One stream until proven.** With a provider token APNs allows one stream until it has seen a valid one, and drops
/// to one after refusals: a connection is *probing* until the first answer that is not a 403.
///
/// **Bulkheads.** Apple throttles and closes connections on which many requests fail. A route whose refusals would be
/// held against the others (a topic that the key does not have, half of its tokens bad) gets a pool of its own until
/// its credential changes. Certificates have pools of their own anyway.
///
/// Invariants, besides those of `PushTransport`:
/// - This module never mints provider tokens: `tokenNeeded` asks the owner, who shares one per key among all nodes.
/// - A token called expired ends its connection, which stays stuck with it; a young token is never replaced, because
///   then a clock is wrong and not the token.
package enum APNs {
  /// Limits of this module, with unit, reason and source.
  package enum Limits {
    /// Apple refuses a provider token older than an hour, and new ones more often than every 20 minutes.
    package static let tokenLifeSeconds: Int64 = 3600
    package static let tokenRestSeconds: Int64 = 1200
    /// How far in the future a token's `iat` may lie: more than clocks differ.
    package static let tokenAheadSeconds: Int64 = 60
    /// Seconds before the end of its life at which a token is replaced.
    package static let tokenRenewalSeconds: Int64 = 600
    /// Seconds for a call of the channel management, connecting included: somebody waits.
    package static let managementSeconds: Int64 = 10
    /// Seconds between two questions for a token.
    package static let tokenRequestSeconds: Int64 = 5
    /// Seconds that a pool rests if two of its connections get TooManyProviderTokenUpdates within this time.
    package static let tokenThrottleSeconds: Int64 = 120
    /// Difference in seconds between Apple's clock and ours that is worth reporting: a token lives for an hour.
    package static let clockSkewSeconds: Int64 = 300
  }
}

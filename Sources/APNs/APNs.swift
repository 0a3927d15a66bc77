/// Sends pushes to Apple (APNs): takes batches of recipients and reports a result for each. `PushTransport` provides
/// connections, queues and lanes; this module adds Apple's rules.
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
/// - This module never mints provider tokens: `tokenNeeded` requests one from the owner, who shares one per key among
///   all nodes.
/// - A connection whose token APNs calls expired is retired, because APNs accepts no other token on it. A young token
///   is never replaced: then a clock is wrong, not the token.
package enum APNs {
  /// Limits of this module.
  package enum Limits {
    /// Maximum age of a provider token in seconds: Apple refuses older ones.
    package static let tokenLifeSeconds: Int64 = 3600
    /// Minimum seconds between two provider tokens: Apple refuses updates more often than every 20 minutes.
    package static let tokenRestSeconds: Int64 = 1200
    /// Seconds by which a token's `iat` may lie in the future, to tolerate clock differences.
    static let tokenAheadSeconds: Int64 = 60
    /// Seconds before the end of its life at which a provider token is replaced.
    package static let tokenRenewalSeconds: Int64 = 600
    /// Timeout of a channel management call in seconds, including connecting; a caller waits for the result.
    static let managementSeconds: Int64 = 10
    /// Minimum seconds between two requests for a provider token.
    package static let tokenRequestSeconds: Int64 = 5
    /// Seconds for which a pool pauses if two of its connections receive TooManyProviderTokenUpdates within that time.
    package static let tokenThrottleSeconds: Int64 = 120
    /// The difference between Apple's clock and ours above which it is reported, in seconds.
    package static let clockSkewSeconds: Int64 = 300
  }
}

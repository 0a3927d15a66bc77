/// The way to Apple: takes batches of recipients and says for each what became of it. Connections, queues and lanes are
/// `PushTransport`'s; here are Apple's rules.
///
/// ```
///   any thread                       thread "apns-0" (APNsSender.run)
///   offer(batch) ──gate──► inbox ──► SenderLoop ──► Switchboard ──► Pool (credential, environment) ──► connections
///   set(credential), set(token) ─►       │                            ▲
///                                        │                            │ APNsDoor: tokens, headers, reasons
///   results(…), tokenNeeded(…) ◄─────────┴────────────────────────────┘
/// ```
///
/// **One stream until proven.** With a provider token APNs allows one stream until it has seen a good one, and drops to
/// one after refusals: a connection is *probing* until the first answer that is not a 403.
///
/// **Bulkheads.** Apple slows down and closes connections on which many requests fail. A route whose refusals would be
/// held against the others (a topic that the key does not have, half of its tokens bad) gets a pool of its own until its
/// credential changes. Certificates have pools of their own anyway.
///
/// Invariants, besides those of `PushTransport`:
/// - Provider tokens are never minted here: `tokenNeeded` asks the owner, who shares one per key among all nodes.
/// - A token called expired ends its connection, which stays stuck with it; a young one is never replaced, because then
///   a clock is wrong and not the token.
package enum APNs {
  /// Numbers of this module: unit, reason, source.
  package enum Limits {
    /// Apple refuses a provider token older than an hour and new ones more often than every 20 minutes.
    package static let tokenLifeSeconds: Int64 = 3600
    package static let tokenRestSeconds: Int64 = 1200
    /// How far in the future a token's `iat` may lie: clocks differ by less.
    package static let tokenAheadSeconds: Int64 = 60
    /// Seconds before the end of its life that a token is replaced.
    package static let tokenRenewalSeconds: Int64 = 600
    /// Seconds for a call of the channel management, connecting included: somebody waits.
    package static let managementSeconds: Int64 = 10
    /// Seconds between two questions for a token.
    package static let tokenRequestSeconds: Int64 = 5
    /// Seconds that a pool rests when two of its connections were told TooManyProviderTokenUpdates within so long.
    package static let tokenThrottleSeconds: Int64 = 120
    /// Seconds of difference between Apple's clock and ours that are worth a word: a token lives for an hour.
    package static let clockSkewSeconds: Int64 = 300
  }
}

/// Limits of hosted pages and media.
enum HostedLimits {
  /// Approximate maximum size of one HTTP loop's cache, in bytes: several hundred pages and a few pictures.
  static let cacheBytes = 32 << 20
  /// Time after which the next request for a cached file makes the server check whether the file still exists.
  static let recordLife: Duration = .seconds(60)
  /// Maximum number of different reads for which one HTTP loop waits, and of reads that all loops together have queued
  /// for the thread `hosted`. Requests that need further reads are answered with 503.
  static let lookups = 1024
  /// Time without an answer to a read after which the thread `hosted` checks that the database still responds; if it
  /// does not, the connection counts as lost.
  static let silence: Duration = .seconds(5)
  /// Maximum time for which browsers and proxies may cache a page or media file, in seconds (a week); less if the file
  /// expires earlier.
  static let cacheSeconds: Int64 = 604_800
  /// Length of a file's name in bytes: 128 bits in base64url.
  static let nameBytes = 22
}

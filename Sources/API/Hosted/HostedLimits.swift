/// Limits of hosted pages and media.
enum HostedLimits {
  /// Size of one HTTP loop's cache, in bytes: some hundred pages and a few pictures.
  static let cacheBytes = 32 << 20
  /// Time after which the server checks again whether a cached file still exists.
  static let recordLife: Duration = .seconds(60)
  /// Maximum number of reads that wait for the database; further ones are answered with 503.
  static let lookups = 1024
  /// Time without a query after which the server checks that the database still answers.
  static let silence: Duration = .seconds(5)
  /// Time for which caches may keep a page, in seconds (a week).
  static let cacheSeconds: Int64 = 604_800
  /// Length of a file's name: 128 bits in base64url.
  static let nameBytes = 22
}

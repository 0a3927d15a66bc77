/// Numbers of hosted pages and media: unit, reason.
enum HostedLimits {
  /// Cache of one HTTP loop, in bytes: some hundred pages and a few pictures.
  static let cacheBytes = 32 << 20
  /// After which it is asked again whether a file is still there.
  static let recordLife: Duration = .seconds(60)
  /// Reads of pages and media that wait for the database; further ones get 503.
  static let wishes = 1024
  /// Silence after which a probe checks whether the database still answers.
  static let silence: Duration = .seconds(5)
  /// How long caches may keep a page, in seconds (a week).
  static let cacheSeconds: Int64 = 604_800
  /// 128 bits in base64url.
  static let nameBytes = 22
}

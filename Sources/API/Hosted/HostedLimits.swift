/// Numbers of hosted pages and media: unit, reason.
enum HostedLimits {
  /// Pages and media that one HTTP loop keeps in memory, in bytes: some hundred pages and a few pictures.
  static let cacheBytes = 32 << 20
  /// Reads of pages and media that wait for the database; more are told to come again.
  static let wishes = 1024
  /// After so long without an answer a probe checks whether the database answers at all.
  static let silence: Duration = .seconds(5)
  /// How long others may keep a page, in seconds (a week).
  static let cacheSeconds: Int64 = 604_800
  /// 128 bits in base64url.
  static let nameBytes = 22
}

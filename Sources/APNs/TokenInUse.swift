/// The provider token that a pool's requests carry, and the previous one.
struct TokenInUse {
  private(set) var present: ProviderToken?
  /// The previous token, to return to if APNs answers that tokens change too often.
  private var former: ProviderToken?
  /// The token that APNs has called expired, so that further requests need another one; nil if it has called none so.
  var refused: ProviderToken?

  init(_ token: ProviderToken?) {
    present = token
  }

  func isGood(atSeconds now: Int64) -> Bool {
    guard let present else { return false }
    return present.isGood(atSeconds: now) && present != refused
  }

  /// Replaces the token. Returns false if `next` is the present token already.
  mutating func replace(with next: ProviderToken) -> Bool {
    guard next != present else { return false }
    former = present
    present = next
    if next != refused { refused = nil }
    return true
  }

  /// Returns to the previous token if APNs still accepts it; returns false if not.
  mutating func fallBack(atSeconds now: Int64) -> Bool {
    guard let former, former.isGood(atSeconds: now), former != present else { return false }
    present = former
    return true
  }
}

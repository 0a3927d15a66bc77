/// The provider token that a pool's requests carry, and those before it.
struct TokenInUse {
  private(set) var present: ProviderToken?
  /// The one before, for the case that APNs finds we changed too often.
  private var former: ProviderToken?
  /// APNs called it expired: another one must come first.
  var refused: ProviderToken?

  init(_ token: ProviderToken?) {
    present = token
  }

  func isGood(atSeconds now: Int64) -> Bool {
    guard let present else { return false }
    return present.isGood(atSeconds: now) && present != refused
  }

  /// False when it is the present one already.
  mutating func replace(with next: ProviderToken) -> Bool {
    guard next != present else { return false }
    former = present
    present = next
    if next != refused { refused = nil }
    return true
  }

  /// Goes back to the token before, if APNs still takes it; false when it does not.
  mutating func fallBack(atSeconds now: Int64) -> Bool {
    guard let former, former.isGood(atSeconds: now), former != present else { return false }
    present = former
    return true
  }
}

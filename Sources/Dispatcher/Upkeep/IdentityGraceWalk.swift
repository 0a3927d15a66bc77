internal import Postgres
internal import Store
internal import Time

/// A walk through all devices, in batches, after the grace period of a stricter identity model has ended. It turns the
/// devices whose user has not been proved into guests, and is repeated until it skips no locked device.
struct IdentityGraceWalk {
  private var place = Bindings.start
  /// When the walk began, by the database's clock; nil if none is in progress. The walk covers the apps whose grace
  /// period had ended by then.
  private var beganAt: Timestamp?
  /// Number of devices that became guests on this walk, and number of those skipped because they were locked.
  private var (ended, left) = (0, 0)

  /// Processes the next batch of devices. Does nothing while no app's grace period has ended.
  /// - Returns: if this ends a walk and devices became guests, their number; otherwise nil.
  mutating func step(_ connection: Connection, now: Timestamp) throws(PostgresError) -> Int? {
    guard let time = try connection.run(Bindings.graceOver()) else {
      self = IdentityGraceWalk()
      return nil
    }
    let began = beganAt ?? time
    beganAt = began
    let part = try connection.run(Bindings.endUnproved(after: place, at: now, atMost: Limits.gracedDevicesAtOnce))
    ended += part.ended
    left += part.left
    if let last = part.last {
      place = last
      return nil
    }
    if left == 0 { try connection.run(Bindings.endGrace(overBy: began)) }
    defer { self = IdentityGraceWalk() }
    return ended > 0 ? ended : nil
  }
}

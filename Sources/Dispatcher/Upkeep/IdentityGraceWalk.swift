internal import Postgres
internal import Store
internal import Time

/// When the grace period of a stricter identity model has ended, walks through all devices in batches and turns those
/// whose user has not been proved into guests. Repeats the walk until it skips no locked device.
struct IdentityGraceWalk {
  private var place = Bindings.start
  /// When the walk began, by the database's clock. It covers the apps whose grace period had ended by then.
  private var beganAt: Timestamp?
  /// Number of devices on this walk that became guests, and that were skipped because they were locked.
  private var (ended, left) = (0, 0)

  /// Processes the next batch.
  /// - Returns: at the end of a walk, how many devices became guests, if any; otherwise nil.
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

internal import Postgres
internal import Store

/// Walks through all devices, in batches, once the grace period of a stricter identity model is over: devices whose
/// user nobody has vouched for become guests. The walk is repeated until it skips none.
struct IdentityGraceWalk {
  private var place = Bindings.start
  /// When the walk began, by the database's clock. It covers only apps whose grace period had ended by then.
  private var beganAt: Int64?
  /// Devices that became guests on this walk, and those skipped because they were locked.
  private var (ended, left) = (0, 0)

  /// - Returns: how many devices became guests, at the end of a walk that found some.
  mutating func step(_ connection: Connection, now: Int64) throws(PostgresError) -> Int? {
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

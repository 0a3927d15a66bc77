internal import Postgres
internal import Store

/// Ends, a part at a time, what apps have taken back: when the grace of a stricter identity is over, devices whose users
/// nobody has vouched for become guests. It walks through all devices, and again until it meets none.
struct IdentityGraceWalk {
  private var place = Bindings.start
  /// When the walk began, by the database's clock. It covers only apps whose grace had ended by then.
  private var beganAt: Int64?
  /// Devices that became guests on this walk, and those that it skipped because they were locked.
  private var (ended, left) = (0, 0)

  /// - Returns: how many devices became guests, when a walk that found some is over.
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

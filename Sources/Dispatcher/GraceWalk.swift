internal import Postgres
internal import Store

/// Ends, a part at a time, what apps have taken back: when the grace of a stricter identity is over, devices whose users
/// nobody has vouched for become guests. It walks once through all devices, and again until none is left.
struct GraceWalk {
  private var place = Bindings.start
  /// Devices that became guests on this walk.
  private var ended = 0

  /// - Returns: how many devices became guests, when a walk that found some is over.
  mutating func step(_ connection: Connection, now: Int64) throws(PostgresError) -> Int? {
    guard try connection.run(Bindings.isGraceOver()) else {
      self = GraceWalk()
      return nil
    }
    let part = try connection.run(Bindings.endUnproved(after: place, at: now, atMost: Limits.gracedDevicesAtOnce))
    ended += part.ended
    if let last = part.last {
      place = last
      return nil
    }
    // Nobody new comes in by less: what is left was locked, and is met on the next walk.
    try connection.run(Bindings.endGrace())
    defer { self = GraceWalk() }
    return ended > 0 ? ended : nil
  }
}

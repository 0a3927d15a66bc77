package import JSON

/// Speed limit of a message: devices per second, or portions of devices with a wait between them.
package struct Pace: Equatable, Sendable {
  /// Devices per second, or devices per portion.
  package let devices: Int32
  /// Seconds between two portions; 0: `devices` per second, evenly.
  package let waitSeconds: Int32

  package init(devices: Int32, waitSeconds: Int32 = 0) {
    self.devices = devices
    self.waitSeconds = waitSeconds
  }

  package static let named: JSONTree.Member = (
    "Pace",
    JSONSchema.oneOf([
      JSONSchema.object(
        isClosed: true,
        [
          .required(
            "perSecond", JSONSchema.number(Domain.Limits.pacePerSecond), "Devices a second, all nodes together.")
        ]
      ).titled("PacePerSecond"),
      JSONSchema.object(
        isClosed: true,
        [
          .required("devices", JSONSchema.number(Domain.Limits.paceDevices), "Devices of one portion."),
          .required("wait", JSONSchema.duration(Domain.Limits.paceWaitSeconds), "Between two portions."),
        ]
      ).titled("PacePortions"),
    ]).adding("description", "No faster than this.")
  )

  /// Reads `{"perSecond":n}` or `{"devices":n,"wait":"PT30S"}`.
  package static func read(_ reader: inout JSONReader) throws(JSONError) -> Pace {
    var perSecond: Int32?
    var devices: Int32?
    var wait: Int32?
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "perSecond": perSecond = try reader.readCount(in: Domain.Limits.pacePerSecond)
      case "devices": devices = try reader.readCount(in: Domain.Limits.paceDevices)
      case "wait": wait = try reader.readSeconds(in: Domain.Limits.paceWaitSeconds)
      default: throw .unknownField
      }
    }
    if let perSecond, devices == nil, wait == nil { return Pace(devices: perSecond) }
    guard let devices, let wait, perSecond == nil else {
      throw JSONError("must be {\"perSecond\":n} or {\"devices\":n,\"wait\":\"PT30S\"}")
    }
    return Pace(devices: devices, waitSeconds: wait)
  }

  package func write(to writer: inout JSONWriter) {
    if waitSeconds == 0 {
      writer.member("perSecond", devices)
    } else {
      writer.member("devices", devices)
      writer.member("wait", ISODuration.text(Int64(waitSeconds)))
    }
  }
}

/// The devices that a pace currently allows. Pure: the time is a parameter. The database stores it for all nodes, and
/// its clock counts. Times in microseconds since 1970.
package struct PaceMeter: Equatable, Sendable {
  /// Devices that may be claimed; negative when a user's devices, which are never split, took more than was left.
  package private(set) var tokens: Double
  package private(set) var countedAt: Int64
  /// Nothing is claimed before this time; nil: immediately.
  package private(set) var readyAt: Int64?

  /// Restores a meter from the database.
  package init(tokens: Double, countedAt: Int64, readyAt: Int64?) {
    self.tokens = tokens
    self.countedAt = countedAt
    self.readyAt = readyAt
  }

  /// Starts a pace now.
  package init(_ pace: Pace, now: Int64) {
    self.init(tokens: pace.waitSeconds > 0 ? Double(pace.devices) : Self.portion(pace), countedAt: now, readyAt: nil)
  }

  /// How many devices must accumulate before a claim is worth its commit: those of a tenth of a second, at least one,
  /// at most 2,000.
  private static func portion(_ pace: Pace) -> Double {
    min(max(1, (Double(pace.devices) / 10).rounded(.down)), 2000)
  }

  /// Returns how many devices may be claimed now.
  package mutating func allowance(_ pace: Pace, now: Int64) -> Int {
    if let readyAt, now < readyAt { return 0 }
    if pace.waitSeconds > 0 {
      if readyAt != nil { tokens = Double(pace.devices) + min(0, tokens) }
    } else {
      // Half a second's worth may accumulate between two polls, enough not to lose any.
      let most = 1 + Double(pace.devices) / 2
      tokens = min(most, tokens + Double(max(0, now - countedAt)) / 1_000_000 * Double(pace.devices))
    }
    countedAt = now
    readyAt = nil
    return max(0, Int(tokens.rounded(.down)))
  }

  /// Records that `devices` were claimed at the time of the last `allowance`.
  package mutating func take(_ devices: Int, _ pace: Pace) {
    tokens -= Double(devices)
    if pace.waitSeconds > 0 {
      if tokens < 1 { readyAt = countedAt + Int64(pace.waitSeconds) * 1_000_000 }
    } else {
      let missing = Self.portion(pace) - tokens
      if missing > 0 { readyAt = countedAt + Int64(missing / Double(pace.devices) * 1_000_000) }
    }
  }
}

extension Domain.Limits {
  /// A million per second exceeds what one APNs account accepts.
  package static let pacePerSecond: ClosedRange<Int64> = 1...1_000_000
  package static let paceDevices: ClosedRange<Int64> = 1...100_000_000
  package static let paceWaitSeconds: ClosedRange<Int64> = 1...86_400
}

extension JSONReader {
  /// Reads an integer within a range.
  package mutating func readCount(in range: ClosedRange<Int64>) throws(JSONError) -> Int32 {
    let number = try readInteger()
    guard range.contains(number), let count = Int32(exactly: number) else {
      throw JSONError("must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return count
  }

  /// Reads an ISO 8601 duration within a range of seconds.
  package mutating func readSeconds<Count: FixedWidthInteger>(in range: ClosedRange<Int64>) throws(JSONError) -> Count {
    guard let seconds = ISODuration.seconds(try readString()), range.contains(seconds),
      let count = Count(exactly: seconds)
    else {
      throw JSONError(
        """
        must be an ISO 8601 duration from \(ISODuration.text(range.lowerBound)) to \(ISODuration.text(range.upperBound)), for \
        example PT30S
        """)
    }
    return count
  }
}

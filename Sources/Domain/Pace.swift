package import JSON
package import Time

/// Speed limit of a message: devices per second, or batches of devices with a pause between them.
package struct Pace: Equatable, Sendable {
  /// Devices per second, or devices per batch if `waitSeconds` is not 0.
  package let devices: Int32
  /// Seconds between two batches; 0 to send `devices` per second evenly.
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

  /// Parses `{"perSecond":n}` or `{"devices":n,"wait":"PT30S"}`. Throws for other combinations of members, and for
  /// values out of range.
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

/// Computes how many devices a pace allows to claim now. Before each claim, `allowance` returns the number; after it,
/// `take` subtracts the devices claimed. Stored in the database and shared by all nodes; times are those of the
/// database's clock.
package struct PaceMeter: Equatable, Sendable {
  /// Number of devices that may be claimed, as of `countedAt`; negative if more were claimed than allowed, because a
  /// user's devices are never split.
  package private(set) var tokens: Double
  package private(set) var countedAt: Timestamp
  /// Time before which nothing may be claimed; nil if there is no such time.
  package private(set) var readyAt: Timestamp?

  /// Restores a meter from the database.
  package init(tokens: Double, countedAt: Timestamp, readyAt: Timestamp?) {
    self.tokens = tokens
    self.countedAt = countedAt
    self.readyAt = readyAt
  }

  /// Creates a meter for a pace that starts now, with the devices of the first batch or of a tenth of a second.
  package init(_ pace: Pace, now: Timestamp) {
    self.init(tokens: pace.waitSeconds > 0 ? Double(pace.devices) : Self.portion(pace), countedAt: now, readyAt: nil)
  }

  /// Returns the minimum number of devices to accumulate before a claim is worth its commit: those of a tenth of a
  /// second, between 1 and 2,000.
  private static func portion(_ pace: Pace) -> Double {
    min(max(1, (Double(pace.devices) / 10).rounded(.down)), 2000)
  }

  /// Returns the number of devices that may be claimed now; 0 before `readyAt`. First adds what has accumulated since
  /// the last call or, for batches, starts the next batch once `readyAt` is reached.
  package mutating func allowance(_ pace: Pace, now: Timestamp) -> Int {
    if let readyAt, now < readyAt { return 0 }
    if pace.waitSeconds > 0 {
      if readyAt != nil { tokens = Double(pace.devices) + min(0, tokens) }
    } else {
      // Let up to half a second's devices accumulate between two polls, enough to keep the pace.
      let most = 1 + Double(pace.devices) / 2
      tokens = min(most, tokens + max(.zero, now - countedAt) / .seconds(1) * Double(pace.devices))
    }
    countedAt = now
    readyAt = nil
    return max(0, Int(tokens.rounded(.down)))
  }

  /// Records that this many devices were claimed after the last `allowance`, and sets `readyAt` if the next claim must
  /// wait.
  package mutating func take(_ devices: Int, _ pace: Pace) {
    tokens -= Double(devices)
    if pace.waitSeconds > 0 {
      if tokens < 1 { readyAt = countedAt + .seconds(pace.waitSeconds) }
    } else {
      let missing = Self.portion(pace) - tokens
      if missing > 0 { readyAt = countedAt + .seconds(missing / Double(pace.devices)) }
    }
  }
}

extension Domain.Limits {
  /// Allowed devices per second; a million exceeds what one APNs account accepts.
  static let pacePerSecond: ClosedRange<Int64> = 1...1_000_000
  package static let paceDevices: ClosedRange<Int64> = 1...100_000_000
  package static let paceWaitSeconds: ClosedRange<Int64> = 1...86_400
}

extension JSONReader {
  /// Parses an integer within a range. Throws for anything else.
  package mutating func readCount(in range: ClosedRange<Int64>) throws(JSONError) -> Int32 {
    let number = try readInteger()
    guard range.contains(number), let count = Int32(exactly: number) else {
      throw JSONError("must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return count
  }

  /// Parses an ISO 8601 duration and returns its seconds. Throws unless they are within the range and fit `Count`.
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

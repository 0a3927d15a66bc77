package import JSON

/// A first part of a message's audience, to which the message is sent before the rest. If too many of its devices
/// reject the push, the message is paused before the rest is sent. Decision 060.
package struct Canary: Equatable, Sendable {
  package enum Size: Equatable, Sendable {
    case devices(Int32)
    /// Percentage of the audience, rounded up to a whole device, at least one.
    case percent(Int32)
  }

  package let size: Size
  /// Time to wait for results after the canary's last device was claimed, in seconds.
  package let waitSeconds: Int32
  /// Percentage of rejected canary devices above which the message is paused.
  package let maxRejectedPercent: Int32

  package init(size: Size, waitSeconds: Int32, maxRejectedPercent: Int32) {
    self.size = size
    self.waitSeconds = waitSeconds
    self.maxRejectedPercent = maxRejectedPercent
  }

  package static let named: JSONTree.Member = (
    "Canary",
    JSONSchema.oneOf([
      schema("devices", Domain.Limits.canaryDevices, "Devices of the first part.").titled("CanaryDevices"),
      schema("percent", Domain.Limits.canaryPercent, "Share of the audience, at least one device.")
        .titled("CanaryPercent"),
    ]).adding("description", "A first part; the rest follows only if it went well.")
  )

  private static func schema(_ name: String, _ range: ClosedRange<Int64>, _ about: String) -> JSONTree {
    JSONSchema.object(
      isClosed: true,
      [
        .required(name, JSONSchema.number(range), about),
        .optional(
          "wait", JSONSchema.duration(Domain.Limits.canaryWaitSeconds), "How long to look; five minutes by default."),
        .optional(
          "maxRejectedPercent", JSONSchema.number(Domain.Limits.canaryRejectedPercent),
          "When more of it is rejected, the message stops; 10 by default."),
      ])
  }

  /// Parses `{"devices":n | "percent":n, "wait":"PT10M"?, "maxRejectedPercent":n?}`; by default the wait is five
  /// minutes and the limit 10 percent. Throws unless there is exactly one of `devices` and `percent`.
  static func read(_ reader: inout JSONReader) throws(JSONError) -> Canary {
    var sizes: [Size] = []
    var wait = Domain.Limits.canaryWaitDefault
    var threshold = Domain.Limits.canaryRejectedDefault
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "devices": sizes.append(.devices(try reader.readCount(in: Domain.Limits.canaryDevices)))
      case "percent": sizes.append(.percent(try reader.readCount(in: Domain.Limits.canaryPercent)))
      case "wait": wait = try reader.readSeconds(in: Domain.Limits.canaryWaitSeconds)
      case "maxRejectedPercent": threshold = try reader.readCount(in: Domain.Limits.canaryRejectedPercent)
      default: throw .unknownField
      }
    }
    guard let size = sizes.first, sizes.count == 1 else { throw JSONError("must have one of devices, percent") }
    return Canary(size: size, waitSeconds: wait, maxRejectedPercent: threshold)
  }

  // MARK: Verdict

  /// State of a canary. The raw values are stored in the database.
  package enum Phase: Int16, Sendable {
    /// The canary's devices are being claimed.
    case filling = 0
    /// All of the canary's devices are claimed; the rest waits for the verdict.
    case watching = 1
    /// The rest may be claimed.
    case passed = 2
    /// Too many devices rejected the push; the message is paused.
    case stopped = 3
  }

  package enum Verdict: Equatable, Sendable {
    case wait
    case pass
    /// None of the canary's devices could be sent to (no consent, unregistered …), so there is nothing to judge: select
    /// other devices instead.
    case replace
    case stop(reason: String)
  }

  /// Returns the verdict on the canary's results so far: `.stop` as soon as the limit is exceeded for certain, or if it
  /// is exceeded when the waiting period is over; `.replace` if all devices have ended without an answer of a push
  /// network; `.pass` if the waiting period is over and at least one device has an answer; otherwise `.wait`.
  /// - Parameters:
  ///   - open: number of canary devices without a final outcome.
  ///   - accepted: number of canary devices whose push the network accepted.
  ///   - rejected: number of canary devices whose push the network rejected.
  ///   - maxRejectedPercent: maximum percentage of rejected devices among all that were accepted or rejected.
  ///   - isOver: true if the waiting period is over.
  package static func judge(
    open: Int64, accepted: Int64, rejected: Int64, maxRejectedPercent: Int64, isOver: Bool
  ) -> Verdict {
    let answered = accepted + rejected
    // The limit is exceeded even if all remaining devices accept, so there is no need to wait.
    let isCertain = rejected * 100 > maxRejectedPercent * (open + answered)
    if isCertain || isOver && rejected * 100 > maxRejectedPercent * answered {
      return .stop(
        reason:
          "The canary stopped it: \(rejected) of \(answered) were rejected, more than \(maxRejectedPercent) percent.")
    }
    if answered == 0 { return open > 0 ? .wait : .replace }
    return isOver ? .pass : .wait
  }
}

extension Domain.Limits {
  static let canaryDevices: ClosedRange<Int64> = 1...1_000_000
  static let canaryPercent: ClosedRange<Int64> = 1...50
  static let canaryWaitSeconds: ClosedRange<Int64> = 1...86_400
  static let canaryWaitDefault: Int32 = 300
  static let canaryRejectedPercent: ClosedRange<Int64> = 0...99
  static let canaryRejectedDefault: Int32 = 10
}

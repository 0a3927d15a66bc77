internal import Domain
internal import Reactor
internal import Synchronization

/// Back-off per device for which a push network reports too many requests. Shared by the threads that submit. Kept in
/// memory only: waits are short, and the network answers "busy" to every node that sends to the device.
final class DeviceBackoffs: Sendable {
  private let table = Mutex(DeviceBackoffTable())
  /// End of the latest wait recorded, in nanoseconds of the monotonic clock; `Int64.min` before the first. Avoids the
  /// lock while no device is busy.
  private let last = Atomic<Int64>(.min)

  /// Returns false if no device is backing off, which is the usual case and cheap to check. True can be outdated: a
  /// back-off that has ended early still counts.
  func isAny(at now: Instant) -> Bool { now.nanoseconds < last.load(ordering: .relaxed) }

  /// Records that a device was reported busy. Returns how long, from `now`, all deliveries to it must wait. If the
  /// device is backing off already, a requested delay can only extend the wait, and a report without one changes
  /// nothing.
  /// - Parameters:
  ///   - asked: delay requested by the network, in seconds; nil if it requested none.
  ///   - jitter: random number in 0…1.
  func slow(_ device: DeviceID, at now: Instant, asked: Int?, jitter: Double) -> Duration {
    let wait = table.withLock { $0.slow(device, at: now, asked: asked, jitter: jitter) }
    last.max((now + wait).nanoseconds, ordering: .relaxed)
    return wait
  }

  /// Returns how long deliveries to the device must still wait; zero if it is not backing off.
  func wait(_ device: DeviceID, at now: Instant) -> Duration {
    isAny(at: now) ? table.withLock { $0.wait(device, at: now) } : .zero
  }

  /// Ends a device's back-off after a message to it was accepted; its next back-off starts at the first step.
  func end(_ device: DeviceID) {
    // Skip the lock if no device was ever busy. The table may keep entries whose wait is over, so `isAny` does not
    // suffice.
    guard last.load(ordering: .relaxed) != .min else { return }
    table.withLock { $0.end(device) }
  }
}

/// The table behind `DeviceBackoffs`, without its lock.
struct DeviceBackoffTable {
  private struct Entry {
    var until: Instant
    var step: Int
  }

  private var entries: [DeviceID: Entry] = [:]

  var count: Int { entries.count }

  mutating func slow(_ device: DeviceID, at now: Instant, asked: Int?, jitter: Double) -> Duration {
    var entry = entries[device] ?? Entry(until: now, step: 0)
    // Several reports for messages that were in flight together count as one.
    if entry.until > now, asked == nil { return entry.until - now }
    if entry.until <= now { entry.step += 1 }
    let wait = max(Self.seconds(step: entry.step, jitter: jitter), min(Int64(asked ?? 0), Limits.longestWaitSeconds))
    entry.until = max(entry.until, now + .seconds(wait))
    if entries.count >= Limits.backOffDevices { prune(at: now) }
    entries[device] = entry
    return entry.until - now
  }

  func wait(_ device: DeviceID, at now: Instant) -> Duration {
    guard let entry = entries[device], entry.until > now else { return .zero }
    return entry.until - now
  }

  mutating func end(_ device: DeviceID) {
    entries[device] = nil
  }

  /// Returns the wait in seconds: 2, 4, 8 … up to 15 minutes, plus up to 25 % of jitter.
  /// - Parameters:
  ///   - step: number of the report, from 1.
  ///   - jitter: random number in 0…1.
  static func seconds(step: Int, jitter: Double) -> Int64 {
    let base = min(Limits.backOffSeconds << Int64(min(max(step, 1) - 1, 20)), Limits.longestBackOffSeconds)
    return base + Int64(Double(base) * 0.25 * min(max(jitter, 0), 1))
  }

  /// Removes entries whose wait is over. If that does not make room, removes all: busy devices will be reported again.
  private mutating func prune(at now: Instant) {
    entries = entries.filter { $0.value.until > now }
    if entries.count >= Limits.backOffDevices { entries.removeAll() }
  }
}

internal import Domain
internal import Reactor
internal import Synchronization

/// Back-off per device that its network called busy. Shared by the threads that submit. In memory, because waits are
/// short, and another node learns of them as this one did.
final class DeviceBackoffs: Sendable {
  private let table = Mutex(DeviceBackoffTable())
  /// End of the longest wait, in nanoseconds of the monotonic clock: spares the lock until the first complaint.
  private let last = Atomic<Int64>(.min)

  /// False if no device must wait: the usual case, and cheap to check.
  func isAny(at now: Instant) -> Bool { now.nanoseconds < last.load(ordering: .relaxed) }

  /// Records that a device was called busy. Returns how long everything for it must wait.
  /// - Parameters:
  ///   - asked: delay that the network asked for, in seconds.
  ///   - jitter: 0…1.
  func slow(_ device: DeviceID, at now: Instant, asked: Int?, jitter: Double) -> Duration {
    let wait = table.withLock { $0.slow(device, at: now, asked: asked, jitter: jitter) }
    last.max((now + wait).nanoseconds, ordering: .relaxed)
    return wait
  }

  /// How long the device must still be left alone; zero if it need not.
  func wait(_ device: DeviceID, at now: Instant) -> Duration {
    isAny(at: now) ? table.withLock { $0.wait(device, at: now) } : .zero
  }

  /// A device has accepted a message: its next complaint starts from the first step again.
  func end(_ device: DeviceID) {
    // Nothing to end before the first complaint. Entries outlive their waits until a success or a prune removes them.
    guard last.load(ordering: .relaxed) != .min else { return }
    table.withLock { $0.end(device) }
  }
}

/// The table behind `DeviceBackoffs`. Pure.
struct DeviceBackoffTable {
  private struct Entry {
    var until: Instant
    var step: Int
  }

  private var entries: [DeviceID: Entry] = [:]

  var count: Int { entries.count }

  mutating func slow(_ device: DeviceID, at now: Instant, asked: Int?, jitter: Double) -> Duration {
    var entry = entries[device] ?? Entry(until: now, step: 0)
    // Complaints about messages that were in flight together count as one.
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

  /// 2, 4, 8 … seconds up to a quarter of an hour, plus up to 25 % of jitter.
  static func seconds(step: Int, jitter: Double) -> Int64 {
    let base = min(Limits.backOffSeconds << Int64(min(max(step, 1) - 1, 20)), Limits.longestBackOffSeconds)
    return base + Int64(Double(base) * 0.25 * min(max(jitter, 0), 1))
  }

  /// Removes entries whose wait is over; if that is not enough, all of them: busy devices will complain again.
  private mutating func prune(at now: Instant) {
    entries = entries.filter { $0.value.until > now }
    if entries.count >= Limits.backOffDevices { entries.removeAll() }
  }
}

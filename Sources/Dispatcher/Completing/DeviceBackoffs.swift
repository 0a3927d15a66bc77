internal import Domain
internal import Reactor
internal import Synchronization

/// Devices that their network wants to be left alone for a while. Shared by the threads that submit; in memory, for the
/// waits are short, and another node learns of them as we did.
final class DeviceBackoffs: Sendable {
  private let table = Mutex(DeviceBackoffTable())
  /// When the last of them is over, on the monotonic clock in nanoseconds: until the first complaint there is no lock to
  /// take.
  private let last = Atomic<Int64>(.min)

  /// False when nobody has to wait: the usual case, and cheap to ask.
  func isAny(at now: Instant) -> Bool { now.nanoseconds < last.load(ordering: .relaxed) }

  /// A device was called busy. Answers how long to wait with everything for it.
  /// - Parameters:
  ///   - asked: what the network asked for, in seconds.
  ///   - jitter: 0…1.
  func slow(_ device: DeviceID, at now: Instant, asked: Int?, jitter: Double) -> Duration {
    let wait = table.withLock { $0.slow(device, at: now, asked: asked, jitter: jitter) }
    last.max((now + wait).nanoseconds, ordering: .relaxed)
    return wait
  }

  /// How long a device has still to be left alone; zero when it need not be.
  func wait(_ device: DeviceID, at now: Instant) -> Duration {
    isAny(at: now) ? table.withLock { $0.wait(device, at: now) } : .zero
  }

  /// A device has taken a message: the next complaint is a first one again.
  func end(_ device: DeviceID) {
    // Remembered a little longer than the waits last; who is never heard of again is forgotten when room is needed.
    guard last.load(ordering: .relaxed) != .min else { return }
    table.withLock { $0.end(device) }
  }
}

/// The same, pure.
struct DeviceBackoffTable {
  private struct Entry {
    var until: Instant
    var step: Int
  }

  private var entries: [DeviceID: Entry] = [:]

  var count: Int { entries.count }

  mutating func slow(_ device: DeviceID, at now: Instant, asked: Int?, jitter: Double) -> Duration {
    var entry = entries[device] ?? Entry(until: now, step: 0)
    // Several messages were under way together: that is one complaint, not several.
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

  /// 2, 4, 8 … seconds up to a quarter of an hour, and up to a quarter more by chance.
  static func seconds(step: Int, jitter: Double) -> Int64 {
    let base = min(Limits.backOffSeconds << Int64(min(max(step, 1) - 1, 20)), Limits.longestBackOffSeconds)
    return base + Int64(Double(base) * 0.25 * min(max(jitter, 0), 1))
  }

  /// Forgets those whose wait is over; when that is not enough, everyone: they will complain again.
  private mutating func prune(at now: Instant) {
    entries = entries.filter { $0.value.until > now }
    if entries.count >= Limits.backOffDevices { entries.removeAll() }
  }
}

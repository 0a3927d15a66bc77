internal import Domain
internal import Postgres
internal import Reactor
internal import Synchronization

/// What the dispatcher's threads share: only inboxes, wake-ups and a few numbers.
final class Shared: Sendable {
  let configuration: Dispatcher.Configuration
  let clock = SystemClock()
  let completer: Inbox<CompleterInput>
  let planWakeup: Wakeup
  let claimWakeup: Wakeup
  let controlWakeup: Wakeup
  let stopRequested = Atomic(false)
  /// Until when (monotonic, nanoseconds) this node may trust its lease.
  let leaseUntil = Atomic<Int64>(0)
  /// Devices under way.
  let underWay = Atomic<Int>(0)
  /// Claims of this node that nobody here knows, found by the completer, given up by the janitor.
  let stranded = Mutex<Set<Int64>>([])
  /// Numbers of batches, unique within this process.
  private let lastBatch = Atomic<Int64>(0)

  init(_ configuration: Dispatcher.Configuration, completer: Inbox<CompleterInput>) throws(SystemError) {
    self.configuration = configuration
    self.completer = completer
    planWakeup = try Wakeup()
    claimWakeup = try Wakeup()
    controlWakeup = try Wakeup()
  }

  var isStopping: Bool { stopRequested.load(ordering: .relaxed) }
  var holdsLease: Bool { clock.now.nanoseconds < leaseUntil.load(ordering: .relaxed) }
  /// Each lane leaves room in the window for those before it, so that bulk never fills what urgent needs.
  func hasRoom(for lane: Lane) -> Bool {
    underWay.load(ordering: .relaxed) < Dispatcher.Limits.windowDevices(for: lane)
  }

  func nextBatch() -> Int64 { lastBatch.add(1, ordering: .relaxed).newValue }

  func take(_ devices: Int) {
    underWay.add(devices, ordering: .relaxed)
  }

  /// Devices have ended: there is room for more.
  func give(_ devices: Int) {
    let before = underWay.subtract(devices, ordering: .relaxed).oldValue
    if before >= Dispatcher.Limits.windowDevices / 2 { claimWakeup.signal() }
  }
}

/// What `complete` is told, in this order for each batch.
enum CompleterInput: Sendable {
  /// Recipients have been claimed and are being submitted now.
  case started(Flight)
  /// Recipients have been claimed and must be submitted once their bindings are read: due ones, and those in doubt.
  case waiting(claim: Int64, DispatchMessage, [WaitingTarget])
  /// Recipients have been claimed and are decided without being submitted.
  case decided(claim: Int64, DispatchMessage, [WaitingTarget], OutcomeStatus, reason: String)
  case results([PushResult])
  /// These messages were paused or cancelled: look at once at what of them waits for its next try.
  case recall(Set<Int64>)
  /// The claims that the database says are ours.
  case audit([Int64])
}

/// A batch under way.
struct Flight: Sendable {
  let batch: PushBatch
  let claim: Int64
  let message: DispatchMessage
  /// For each target, tries so far, this one not counted.
  let attempts: [Int16]
  /// The recipients are known to the completer already: they come back from waiting.
  var isRepeat = false
}

/// A recipient that waits for its next try.
struct WaitingTarget: Sendable {
  let device: DeviceID
  let userKey: UserKey
  var attempts: Int16
  /// True when the next submission may be a second one for the network and has not been counted as such yet.
  var countsAsResent = false
}

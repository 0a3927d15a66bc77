internal import Domain
internal import Postgres
internal import Reactor
internal import Store
internal import Synchronization

/// The state that the dispatcher's threads share: configuration, inboxes, wake-ups, atomic numbers, and sets that their
/// own locks protect.
final class Shared: Sendable {
  let configuration: DispatcherConfiguration
  let clock: DatabaseClock
  let laneWorkers: [LaneWorkers]
  let badgeResults: Inbox<PushResult>
  let controlWakeup: Wakeup
  let stopping: StopSignal
  /// Bit set of lanes that hold the maximum number of open messages, as counted about once a second.
  let fullLanes = Atomic<UInt8>(0)
  /// Bit set, by number, of the `LaneWorkers` whose deliveries keep becoming stale before submission.
  let circles = Atomic<UInt8>(0)
  /// The end of the time for which this node may rely on its lease, in nanoseconds of the monotonic clock; 0 if it has
  /// no lease.
  let leaseUntil = Atomic<Int64>(0)
  /// Number of devices in the in-flight window: claimed by this node, and neither finally answered nor deferred yet.
  /// Devices that wait in memory for a retry are included.
  let underWay = Atomic<Int>(0)
  /// Claims of this node whose commit succeeded although its confirmation was lost; nothing of them was submitted.
  /// Keyed by `LaneWorkers` number; added by the completer, launched by the claimer.
  let unlaunched = Mutex<[Int: Set<Claims.Hold>]>([:])
  /// Claims of this node in the database that no thread here will finish. A completer adds them; the janitor releases
  /// them, so that a node adopts them.
  let stranded = Mutex<Set<Claims.Hold>>([])
  /// Back-offs of busy devices.
  let backOffs = DeviceBackoffs()
  let pausedApps = Mutex(PausedApps())
  /// Cancels the query that thread `history` is running. Also cancels writes, because nothing depends on their result.
  let historyCanceller = Canceller(sparesWrites: false)
  /// The same for thread `fold`: whatever a fold has not committed, another node folds.
  let foldCanceller = Canceller(sparesWrites: false)
  /// The last batch number issued, unique within this process; 0 before the first.
  private let lastBatch = Atomic<Int64>(0)

  init(_ configuration: DispatcherConfiguration, results: ResultInbox) throws(SystemError) {
    self.configuration = configuration
    clock = configuration.clock
    var laneWorkers: [LaneWorkers] = []
    for (number, inbox) in results.laneWorkers.enumerated() {
      laneWorkers.append(try LaneWorkers(number: number, completer: inbox, firstWriter: configuration.firstWriter))
    }
    self.laneWorkers = laneWorkers
    badgeResults = results.badges
    controlWakeup = try Wakeup()
    stopping = try StopSignal()
  }

  func workers(of lane: Lane) -> LaneWorkers { laneWorkers[LaneWorkers.number(of: lane)] }

  var isStopping: Bool { stopping.isRaised }
  /// True if this node may claim and submit: its lease has not ended, and the database's time is known well enough
  /// (`DatabaseClock.isTrusted`).
  var holdsLease: Bool { clock.now.nanoseconds < leaseUntil.load(ordering: .relaxed) && clock.isTrusted }
  /// Returns true if the lane may add in-flight devices. Each lane leaves space in the window for the more urgent ones.
  func hasRoom(for lane: Lane) -> Bool { underWay.load(ordering: .relaxed) < Limits.windowDevices(for: lane) }

  /// True if single sends may be admitted, which is possible even while campaigns fill the window.
  var hasRoomForSends: Bool {
    underWay.load(ordering: .relaxed) < Limits.windowDevices + Limits.sendDevices
  }

  /// Returns true if less than half of the window is taken, so that deliveries of a network that is away may wait in
  /// it.
  /// - Parameter leaving: number of devices to leave out, because they are about to leave the window.
  func isHalfEmpty(besides leaving: Int) -> Bool {
    underWay.load(ordering: .relaxed) - leaving < Limits.windowDevices / 2
  }

  func isFull(_ lane: Lane) -> Bool { fullLanes.load(ordering: .relaxed) & lane.bit != 0 }

  /// Returns the address of the next batch, to which its results are sent.
  /// - Parameter inbox: index of the inbox for the results: a `LaneWorkers` number, or `ResultInbox.badgePlace`.
  func nextBatch(for inbox: Int) -> BatchAddress {
    BatchAddress(lastBatch.add(1, ordering: .relaxed).newValue, inbox: inbox)
  }

  /// Adds devices to the in-flight window, without checking for room.
  func admit(_ devices: Int) {
    underWay.add(devices, ordering: .relaxed)
  }

  /// Removes devices from the in-flight window. Wakes the claimers if the window was at least half full.
  func release(_ devices: Int) {
    let before = underWay.subtract(devices, ordering: .relaxed).oldValue
    if before >= Limits.windowDevices / 2 { for workers in laneWorkers { workers.claimWakeup.signal() } }
  }
}

extension Lane {
  var bit: UInt8 { 1 << UInt8(rawValue) }
}

/// The paused apps as known to this node: as of the last heartbeat, plus those this node has paused since. A decision
/// that must be exact reads the database instead.
struct PausedApps {
  private var apps: Set<App.Number> = []
  /// Number of calls of `insert`, that is, of pauses that this node has made itself.
  private(set) var changes = 0

  func contains(_ app: App.Number) -> Bool { apps.contains(app) }

  mutating func insert(_ app: App.Number) {
    apps.insert(app)
    changes += 1
  }

  /// Replaces the set with the apps that the database reports as paused.
  /// - Parameters:
  ///   - present: the paused apps according to the query.
  ///   - before: value of `changes` before the query. If it has changed since, the result may lack new pauses, so it is
  ///     added to the set instead.
  mutating func renew(_ present: Set<App.Number>, changes before: Int) {
    if before == changes { apps = present } else { apps.formUnion(present) }
  }
}

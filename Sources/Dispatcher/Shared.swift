internal import Domain
internal import Postgres
internal import Reactor
internal import Store
internal import Synchronization

/// What the dispatcher's threads share: only inboxes, wake-ups and a few numbers.
final class Shared: Sendable {
  let configuration: DispatcherConfiguration
  let clock: DatabaseClock
  let laneWorkers: [LaneWorkers]
  let badgeResults: Inbox<PushResult>
  let controlWakeup: Wakeup
  let stopping: StopSignal
  /// Lanes that hold the maximum number of open messages, a bit each, as counted within the last second.
  let fullLanes = Atomic<UInt8>(0)
  /// `LaneWorkers` whose deliveries keep going stale between reading and submission, a bit each.
  let circles = Atomic<UInt8>(0)
  /// Until when this node may trust its lease, in nanoseconds of the monotonic clock.
  let leaseUntil = Atomic<Int64>(0)
  /// Devices in flight.
  let underWay = Atomic<Int>(0)
  /// Claims that this node made without learning of their commit; nothing of them was submitted. By `LaneWorkers`
  /// number; found by its completer, picked up by its claimer.
  let unlaunched = Mutex<[Int: Set<Claims.Hold>]>([:])
  /// Claims of this node that no thread here knows; found by a completer, given up by the janitor.
  let stranded = Mutex<Set<Claims.Hold>>([])
  /// Back-off of busy devices.
  let backOffs = DeviceBackoffs()
  let pausedApps = Mutex(PausedApps())
  /// Cancels what thread `history` is waiting for. No caller was promised its result, so writes are cancelled too.
  let historyCanceller = Canceller(sparesWrites: false)
  /// Last batch number; unique within this process.
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

  var isStopping: Bool { stopping.isGiven }
  /// Required to begin anything. False also while the database's time is not known well enough.
  var holdsLease: Bool { clock.now.nanoseconds < leaseUntil.load(ordering: .relaxed) && clock.isTrusted }
  /// Each lane leaves room in the window for those before it, so that bulk never fills what urgent needs.
  func hasRoom(for lane: Lane) -> Bool { underWay.load(ordering: .relaxed) < Limits.windowDevices(for: lane) }

  /// Single sends are admitted even when campaigns fill the window.
  var hasRoomForSends: Bool {
    underWay.load(ordering: .relaxed) < Limits.windowDevices + Limits.sendDevices
  }

  func isFull(_ lane: Lane) -> Bool { fullLanes.load(ordering: .relaxed) & lane.bit != 0 }

  /// - Parameter inbox: where the results go: a `LaneWorkers` number, or `ResultInbox.badgePlace`.
  func nextBatch(for inbox: Int) -> BatchAddress {
    BatchAddress(lastBatch.add(1, ordering: .relaxed).newValue, inbox: inbox)
  }

  func take(_ devices: Int) {
    underWay.add(devices, ordering: .relaxed)
  }

  /// Releases room in the window for devices that have ended.
  func give(_ devices: Int) {
    let before = underWay.subtract(devices, ordering: .relaxed).oldValue
    if before >= Limits.windowDevices / 2 { for workers in laneWorkers { workers.claimWakeup.signal() } }
  }
}

extension Lane {
  var bit: UInt8 { 1 << UInt8(rawValue) }
}

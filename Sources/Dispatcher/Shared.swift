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
  /// Lanes in which as many messages wait as there may be, a bit each, as the database said a second ago.
  let fullLanes = Atomic<UInt8>(0)
  /// Crews whose deliveries go in a circle, a bit each: read, too old when they arrive, and read again.
  let circles = Atomic<UInt8>(0)
  /// Until when (monotonic, nanoseconds) this node may trust its lease.
  let leaseUntil = Atomic<Int64>(0)
  /// Devices under way.
  let underWay = Atomic<Int>(0)
  /// Claims that this node has made and never heard of: nothing of them was submitted. By crew, found by its completer,
  /// taken up by its claimer.
  let unlaunched = Mutex<[Int: Set<Claims.Hold>]>([:])
  /// Claims of this node that nobody here knows, found by a completer, given up by the janitor.
  let stranded = Mutex<Set<Claims.Hold>>([])
  /// Devices that must be left alone for a while.
  let backOffs = DeviceBackoffs()
  let pausedApps = Mutex(PausedApps())
  /// Ends what the thread `history` waits for. Nobody was told anything of it, so its writes too.
  let historyCanceller = Canceller(sparesWrites: false)
  /// Numbers of batches, unique within this process.
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
  /// Nothing is begun without it. Not held either while the database's time is not known well enough.
  var holdsLease: Bool { clock.now.nanoseconds < leaseUntil.load(ordering: .relaxed) && clock.isTrusted }
  /// Each lane leaves room in the window for those before it, so that bulk never fills what urgent needs.
  func hasRoom(for lane: Lane) -> Bool { underWay.load(ordering: .relaxed) < Limits.windowDevices(for: lane) }

  /// Single sends are let in when campaigns fill the window already.
  var hasRoomForSends: Bool {
    underWay.load(ordering: .relaxed) < Limits.windowDevices + Limits.sendDevices
  }

  func isFull(_ lane: Lane) -> Bool { fullLanes.load(ordering: .relaxed) & lane.bit != 0 }

  /// - Parameter inbox: the place of whoever waits for the results: a crew's number, or `ResultInbox.badgePlace`.
  func nextBatch(for inbox: Int) -> BatchAddress {
    BatchAddress(lastBatch.add(1, ordering: .relaxed).newValue, inbox: inbox)
  }

  func take(_ devices: Int) {
    underWay.add(devices, ordering: .relaxed)
  }

  /// Devices have ended: there is room for more.
  func give(_ devices: Int) {
    let before = underWay.subtract(devices, ordering: .relaxed).oldValue
    if before >= Limits.windowDevices / 2 { for workers in laneWorkers { workers.claimWakeup.signal() } }
  }
}

extension Lane {
  var bit: UInt8 { 1 << UInt8(rawValue) }
}

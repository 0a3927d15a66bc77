package import Domain
package import Reactor
internal import Synchronization

/// Admission control: decides at `offer`, on any thread, whether a route accepts another batch. Bounds the targets that
/// one lane of one route holds in memory, so that no app crowds out another, and no campaign crowds out
/// an urgent message of its own app.
package final class RouteAdmission: Sendable {
  package struct Place {
    let route: PushRoute
    let lane: Lane

    package init(route: PushRoute, lane: Lane) {
      self.route = route
      self.lane = lane
    }
  }

  private struct RouteState {
    /// The number of targets, by lane, that are admitted and have no result yet.
    var targets = Lane.allCases.map { _ in 0 }
    var isShut = false
    /// The lanes that refuse batches although the route is open.
    var resting: Set<Lane> = []
    /// Maximum number of targets in each lane that are admitted and have no result yet.
    var bound = PushTransport.Limits.queuedTargets
  }

  private let routes = Mutex<[PushRoute: RouteState]>([:])
  private let isOpen: Atomic<Bool>
  private let credentialsReadAt = Atomic<Int64>(0)

  /// When the credentials were last read, in nanoseconds of the monotonic clock; 0 before the first time.
  package var credentialsReadAtNanoseconds: Int64 { credentialsReadAt.load(ordering: .acquiring) }

  /// Creates the admission control.
  /// - Parameter isOpen: if false, everything is refused until `open(credentialsReadAt:)` is called.
  package init(isOpen: Bool = true) {
    self.isOpen = Atomic(isOpen)
  }

  /// Opens the admission control. Called after each reading of the credentials, once the sender has been given them.
  /// - Parameter time: when the reading began.
  package func open(credentialsReadAt time: Instant) {
    credentialsReadAt.store(time.nanoseconds, ordering: .releasing)
    isOpen.store(true, ordering: .releasing)
  }

  /// Admits and counts `targets`. Returns false, counting nothing, if the lane's bound would be exceeded, the lane
  /// rests, the route is shut, or everything is still refused (`isOpen`). An empty lane admits a batch of any size.
  package func enter(_ place: Place, _ targets: Int) -> Bool {
    guard isOpen.load(ordering: .acquiring) else { return false }
    return routes.withLock { routes in
      var state = routes[place.route] ?? RouteState()
      let taken = state.targets[Int(place.lane.rawValue)]
      // A batch larger than the bound is admitted to an empty lane; otherwise it never would be.
      guard !state.isShut, !state.resting.contains(place.lane), taken == 0 || taken + targets <= state.bound else {
        return false
      }
      state.targets[Int(place.lane.rawValue)] += targets
      routes[place.route] = state
      return true
    }
  }

  package func leave(_ place: Place, _ targets: Int) {
    routes.withLock { $0[place.route, default: RouteState()].targets[Int(place.lane.rawValue)] -= targets }
  }

  /// Refuses all batches of this route until `open` is called for it. Targets already admitted are not affected.
  func shut(_ route: PushRoute) {
    routes.withLock { $0[route, default: RouteState()].isShut = true }
  }

  /// Sets the maximum number of targets in each lane of a route, at most `queuedTargets`. A route that sends slowly
  /// needs a lower one, because more targets would be stale before they are sent.
  package func bound(_ route: PushRoute, to targets: Int) {
    routes.withLock { $0[route, default: RouteState()].bound = min(targets, PushTransport.Limits.queuedTargets) }
  }

  func open(_ route: PushRoute) {
    routes.withLock { $0[route, default: RouteState()].isShut = false }
  }

  /// Replaces the set of lanes of this route that refuse batches.
  func rest(_ route: PushRoute, _ lanes: Set<Lane>) {
    routes.withLock { $0[route, default: RouteState()].resting = lanes }
  }
}

/// A sender's input queue, usable from any thread. Batches pass admission control, commands do not; both share one
/// inbox, so that they are processed in order of arrival.
package struct SenderInbox<Command: Sendable>: Sendable {
  package let gate: RouteAdmission
  package let inbox: Inbox<Command>

  package init(_ configuration: WireConfiguration) throws(SystemError) {
    gate = RouteAdmission(isOpen: !configuration.awaitsCredentials)
    inbox = try Inbox(capacity: PushTransport.Limits.inboxBatches + PushTransport.Limits.inboxCommands)
  }

  /// Offers a batch. Returns false, taking nothing, if the inbox has no room for batches or is closed, the route's lane
  /// is full or resting, the route's pool is pausing or cannot connect, or the credentials are still awaited. The
  /// caller can offer the batch again later.
  /// - Parameter command: the item to queue for the batch.
  package func offer(_ batch: PushBatch, as command: Command) -> Bool {
    // Part of the capacity is reserved for urgent batches, and the rest for commands, which must never be lost.
    let room = batch.message.lane == .urgent ? 2 * PushTransport.Limits.inboxBatches : PushTransport.Limits.inboxBatches
    let place = RouteAdmission.Place(route: batch.route, lane: batch.message.lane)
    guard inbox.count < room, gate.enter(place, batch.targets.count) else { return false }
    guard inbox.offer(command) else {
      gate.leave(place, batch.targets.count)
      return false
    }
    return true
  }

  package func command(_ command: Command) {
    // Fails only after `stop`: the capacity for commands far exceeds what a running loop leaves unprocessed.
    _ = inbox.offer(command)
  }
}

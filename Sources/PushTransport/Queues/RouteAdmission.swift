package import Domain
internal import Synchronization

/// Decides at `offer`, on any thread, whether a route takes more. It bounds what one lane of one route holds in memory,
/// so that no app can crowd out another, and no campaign an urgent message of the same app.
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
    /// Targets admitted and without result, by lane.
    var targets = Lane.allCases.map { _ in 0 }
    var isShut = false
    /// Lanes that are refused although the route is open.
    var resting: Set<Lane> = []
    /// Maximum targets in one lane.
    var bound = PushTransport.Limits.queuedTargets
  }

  private let routes = Mutex<[PushRoute: RouteState]>([:])
  private let isOpen: Atomic<Bool>

  /// - Parameter isOpen: if false, nothing is admitted before `open()`.
  package init(isOpen: Bool = true) {
    self.isOpen = Atomic(isOpen)
  }

  package func open() {
    isOpen.store(true, ordering: .releasing)
  }

  /// Admits and counts `targets`; returns false if they do not fit.
  package func enter(_ place: Place, _ targets: Int) -> Bool {
    guard isOpen.load(ordering: .acquiring) else { return false }
    return routes.withLock { routes in
      var state = routes[place.route] ?? RouteState()
      let taken = state.targets[Int(place.lane.rawValue)]
      // A batch larger than the bound may enter an empty lane, or it never could.
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

  /// Refuses everything for this route until `open`.
  func shut(_ route: PushRoute) {
    routes.withLock { $0[route, default: RouteState()].isShut = true }
  }

  /// Lowers the bound of a route that sends slowly; more would be stale before it leaves.
  package func bound(_ route: PushRoute, to targets: Int) {
    routes.withLock { $0[route, default: RouteState()].bound = min(targets, PushTransport.Limits.queuedTargets) }
  }

  func open(_ route: PushRoute) {
    routes.withLock { $0[route, default: RouteState()].isShut = false }
  }

  /// Refuses exactly these lanes of the route, until the next call.
  func rest(_ route: PushRoute, _ lanes: Set<Lane>) {
    routes.withLock { $0[route, default: RouteState()].resting = lanes }
  }
}

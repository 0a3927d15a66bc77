package import Domain
internal import Synchronization

/// Decides at `offer`, on any thread, whether a route takes more: bounds what one lane of one route holds in memory, so
/// that no app can crowd out another, and no campaign an urgent message of the same app.
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
    /// Targets taken and without result, by lane.
    var targets = Lane.allCases.map { _ in 0 }
    var isShut = false
    /// Lanes that may not enter although the route is open.
    var resting: Set<Lane> = []
    /// Targets that one lane may hold.
    var bound = PushTransport.Limits.queuedTargets
  }

  private let routes = Mutex<[PushRoute: RouteState]>([:])
  private let isOpen: Atomic<Bool>

  /// - Parameter isOpen: false: nothing enters before `open()`.
  package init(isOpen: Bool = true) {
    self.isOpen = Atomic(isOpen)
  }

  package func open() {
    isOpen.store(true, ordering: .releasing)
  }

  /// Counts `targets` in; false when they do not fit.
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

  /// A route that sends slowly holds less, or what it holds would be stale before it leaves.
  package func bound(_ route: PushRoute, to targets: Int) {
    routes.withLock { $0[route, default: RouteState()].bound = min(targets, PushTransport.Limits.queuedTargets) }
  }

  func open(_ route: PushRoute) {
    routes.withLock { $0[route, default: RouteState()].isShut = false }
  }

  /// Refuses these lanes of the route, and no others, until told otherwise.
  func rest(_ route: PushRoute, _ lanes: Set<Lane>) {
    routes.withLock { $0[route, default: RouteState()].resting = lanes }
  }
}

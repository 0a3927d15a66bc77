internal import Domain
internal import Synchronization

/// Decides at `offer`, on any thread, whether a route takes more: bounds what one lane of one route holds in memory, so
/// that no app can crowd out another, and no campaign an urgent message of the same app.
final class Gate: Sendable {
  struct Place {
    let route: PushRoute
    let lane: Lane
  }

  private struct RouteState {
    /// Targets taken and without result, by lane.
    var targets = Lane.allCases.map { _ in 0 }
    var isShut = false
  }

  private let routes = Mutex<[PushRoute: RouteState]>([:])

  /// Counts `targets` in; false when they do not fit.
  func enter(_ place: Place, _ targets: Int) -> Bool {
    routes.withLock { routes in
      var state = routes[place.route] ?? RouteState()
      let taken = state.targets[Int(place.lane.rawValue)]
      // A batch larger than the bound may enter an empty lane, or it never could.
      guard !state.isShut, taken == 0 || taken + targets <= APNs.Limits.queuedTargets else { return false }
      state.targets[Int(place.lane.rawValue)] += targets
      routes[place.route] = state
      return true
    }
  }

  func leave(_ place: Place, _ targets: Int) {
    routes.withLock { $0[place.route, default: RouteState()].targets[Int(place.lane.rawValue)] -= targets }
  }

  /// Refuses everything for this route until `open`.
  func shut(_ route: PushRoute) {
    routes.withLock { $0[route, default: RouteState()].isShut = true }
  }

  func open(_ route: PushRoute) {
    routes.withLock { $0[route, default: RouteState()].isShut = false }
  }
}

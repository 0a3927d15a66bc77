internal import Domain
internal import Synchronization

/// Decides at `offer`, on any thread, whether a route takes more: bounds what one route holds in memory, so that no app
/// can crowd out another.
final class Gate: Sendable {
  private struct RouteState {
    /// Targets taken and without result.
    var targets = 0
    var isShut = false
  }

  private let routes = Mutex<[PushRoute: RouteState]>([:])

  /// Counts `targets` in; false when they do not fit.
  func enter(_ route: PushRoute, _ targets: Int) -> Bool {
    routes.withLock { routes in
      var state = routes[route] ?? RouteState()
      // A batch larger than the bound may enter an empty route, or it never could.
      guard !state.isShut, state.targets == 0 || state.targets + targets <= APNs.Limits.queuedTargets else {
        return false
      }
      state.targets += targets
      routes[route] = state
      return true
    }
  }

  func leave(_ route: PushRoute, _ targets: Int) {
    routes.withLock { $0[route, default: RouteState()].targets -= targets }
  }

  /// Refuses everything for this route until `open`.
  func shut(_ route: PushRoute) {
    routes.withLock { $0[route, default: RouteState()].isShut = true }
  }

  func open(_ route: PushRoute) {
    routes.withLock { $0[route, default: RouteState()].isShut = false }
  }

  /// Targets taken and without result.
  func waiting(_ route: PushRoute) -> Int {
    routes.withLock { $0[route]?.targets ?? 0 }
  }
}

package import Domain
package import Postgres
package import Store

/// Reports the state of the database and of the nodes, for operators and administrators of all apps.
package enum ServerStateService {
  /// Returns the state of the database and of its nodes: running ones first, and at most 100. `walBytes` is nil if the
  /// database user may not read it.
  /// - Throws: `.forbidden` for a caller without `.manageQuarantine` or limited to one app.
  package static func database(by caller: Caller, on connection: Connection) throws(Problem) -> DatabaseState {
    try caller.require(.manageQuarantine)
    guard caller.app == nil else {
      throw Problem(.forbidden, "Only a caller that reaches every app may see the server's state.")
    }
    var state = try connection.answer(DatabaseState.read())
    if try connection.answer(DatabaseState.mayReadWAL()) {
      state.walBytes = try connection.answer(DatabaseState.walBytes())
    }
    state.nodes = try connection.answer(DatabaseState.nodes())
    return state
  }
}

internal import Domain
internal import Postgres
internal import Store

/// Looks up the app named by a request.
extension Connection {
  /// Returns the app with this id.
  /// - Parameter catalog: searched first, if not nil; an app that is not in it, such as a new one, is read from the
  ///   database.
  /// - Throws: `.unknownApp`.
  func app(_ appID: String, catalog: Catalog? = nil) throws(Problem) -> App {
    if let app = catalog?.app(id: appID) { return app }
    guard let record = try answer(Apps.find(appID: appID)) else {
      throw Problem(.unknownApp, "There is no app \(appID). Make it with `upmc app create \(appID) --name …`.")
    }
    return record.app
  }

  /// Returns the app if the caller has `permission` for it. Checks the role before the lookup.
  /// - Throws: `.forbidden`, `.unknownApp`, or `.conflict` if the call would change an app that is being deleted.
  func app(_ appID: String, allowing caller: Caller, to permission: Permission) throws(Problem) -> App {
    try caller.require(permission)
    let app = try app(appID)
    try caller.require(permission, in: app)
    return app
  }
}

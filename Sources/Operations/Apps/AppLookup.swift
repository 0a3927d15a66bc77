internal import Domain
internal import Postgres
internal import Store

/// Finding the app that a request names.
extension Connection {
  /// - Parameter catalog: looked at first, if there is one; an app made a moment ago is only in the database.
  /// - Throws: `.unknownApp`.
  func app(_ appID: String, catalog: Catalog? = nil) throws(Problem) -> App {
    if let app = catalog?.app(id: appID) { return app }
    guard let record = try answer(Apps.find(appID: appID)) else {
      throw Problem(.unknownApp, "There is no app \(appID). Make it with `upmc app create \(appID) --name …`.")
    }
    return record.app
  }

  /// The app, if the caller may do this at all, which is asked before anything is looked up, and may do it in this app.
  /// - Throws: `.forbidden`, `.unknownApp`.
  func app(_ appID: String, allowing caller: Caller, to permission: Permission) throws(Problem) -> App {
    try caller.require(permission)
    let app = try app(appID)
    try caller.require(permission, in: app)
    return app
  }
}

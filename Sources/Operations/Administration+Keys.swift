package import Domain
package import JSON
package import Postgres
internal import Store

/// API keys of back-office systems and operators.
extension Administration {
  package struct KeyCreated: JSONAnswer {
    /// Shown this once: only its hash is kept.
    package let apiKey: String
    package let role: Role

    package func write(to writer: inout JSONWriter) {
      writer.member("apiKey", apiKey)
      writer.member("role", role.rawValue)
    }
  }

  /// - Parameters:
  ///   - appID: the only app it is for; nil: all.
  ///   - name: whose it is, for lists; may be empty.
  package static func createKey(
    _ role: Role, appID: String?, name: String = "", by caller: Caller, on connection: Connection
  ) throws(Problem) -> KeyCreated {
    try caller.require(.manageApps)
    var number: App.Number?
    if let appID {
      let app = try connection.app(appID)
      try caller.require(.manageApps, in: app)
      number = app.number
    } else if caller.app != nil {
      throw Problem(.forbidden, "A key for one app cannot make a key for all.")
    }
    if !name.isEmpty { try check(name: name) }
    // The prefix lets people and secret scanners see what it is.
    let apiKey = "upmc_" + RandomToken.make()
    try connection.answer(
      Secrets.createAPIKey(
        sha256: Authorization.hash(apiKey), role: role.rawValue, app: number, name: name))
    return KeyCreated(apiKey: apiKey, role: role)
  }
}

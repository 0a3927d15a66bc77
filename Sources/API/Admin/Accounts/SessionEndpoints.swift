internal import Domain
internal import HTTPServer
internal import JSON
internal import Logging
internal import Operations
internal import Reactor

/// Signing in to the console, and out.
extension AdminCall {
  /// `POST /v1/admin/session`: `{"login","password"}`, or `{"link","replace"?}` with the token of a sign-in link. Open to all; that it
  /// must be JSON keeps other sites' forms out.
  func signIn() throws(Problem) -> Response {
    var (login, password, link): (String?, String?, String?)
    var replaces = false
    try readObject { (reader, key) throws(JSONError) in
      switch key {
      case "login": login = try reader.readText(upTo: Domain.Limits.clientUIDBytes)
      case "password": password = try reader.readText(upTo: Domain.Limits.clientUIDBytes)
      case "link": link = try reader.readText(upTo: Domain.Limits.clientUIDBytes)
      case "replace": replaces = try reader.readBool()
      default: throw .unknownField
      }
    }
    let proof: SigningIn.Proof
    switch (login, password, link) {
    case (let login?, let password?, nil): proof = .password(login: login, password)
    case (nil, nil, let link?): proof = .link(link)
    default: throw Problem(.invalidField, "Give login and password, or link.")
    }
    let session: SigningIn.Session
    do throws(Problem) {
      session = try SigningIn.signIn(
        proof, former: self.session, replaces: replaces, origin: caller.origin, requestID: caller.requestID,
        on: connection, now: resources.clock.wallMicroseconds)
      resources.signedIn(nil)
    } catch {
      resources.signedIn(error.code)
      resources.log.notice(
        "a sign-in was refused",
        metadata: ["origin": "\(caller.origin)", "requestId": "\(caller.requestID)", "code": "\(error.code.rawValue)"])
      throw error
    }
    var response = Response.json(.created, session)
    response.headers.append(SessionCookie.set(session.token, isSecure: resources.isSecure))
    return response
  }

  /// `GET /v1/admin/session`: who is asking, and the CSRF token of a console session.
  func showSession() throws(Problem) -> Response {
    guard let session else { return .json(.ok, KeyHolder(caller: caller)) }
    return .json(
      .ok, try SigningIn.session(session, on: connection, now: resources.clock.wallMicroseconds))
  }

  /// `DELETE /v1/admin/session`.
  func signOut() throws(Problem) -> Response {
    guard let session else { throw Problem(.conflict, "An API key is not signed in; revoke it to end it.") }
    try SigningIn.signOut(session, by: caller, on: connection)
    resources.known.forget(.session(session))
    var response = Response.done
    response.headers.append(SessionCookie.clear(isSecure: resources.isSecure))
    return response
  }

  /// `PUT /v1/admin/session/password`: `{"new","current"?}`. Signs out everywhere.
  func choosePassword() throws(Problem) -> Response {
    var (new, current): (String?, String?)
    try readObject { (reader, key) throws(JSONError) in
      switch key {
      case "new": new = try reader.readString()
      case "current": current = try reader.readString()
      default: throw .unknownField
      }
    }
    try SigningIn.choosePassword(
      try Problem.need(new, "new"), current: current, session: session, by: caller, on: connection)
    var response = Response.done
    response.headers.append(SessionCookie.clear(isSecure: resources.isSecure))
    return response
  }
}

/// Who asks with an API key.
private struct KeyHolder: JSONAnswer {
  let caller: Caller

  func write(to writer: inout JSONWriter) {
    writer.member("by", "api-key")
    writer.member("name", caller.name)
    writer.member("role", caller.role.rawValue)
  }
}

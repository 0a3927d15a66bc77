internal import HTTPServer
internal import Operations

/// Cookies of the console. Scripts cannot read them, and browsers do not send them with requests from other sites.
enum SessionCookie: String {
  case session = "upmc_session"
  /// Contains the state of a sign-in at the identity provider until the sign-in is completed.
  case openID = "upmc_openid"

  /// Returns the cookie's name. Over HTTPS it begins with `__Host-`: browsers accept such a cookie only over HTTPS and
  /// only from this host (RFC 6265bis §4.1.3.2).
  private func name(_ isSecure: Bool) -> String { (isSecure ? "__Host-" : "") + rawValue }

  /// Returns the value of the first cookie of this kind in a request; nil if there is none, or only empty ones. If
  /// `isSecure`, only the `__Host-` cookie is considered, which no other host can have set.
  func value(in headers: [(name: String, value: String)], isSecure: Bool) -> String? {
    Cookies.value(of: name(isSecure), in: headers)
  }

  func set(_ value: String, isSecure: Bool) -> (String, String) {
    let seconds =
      switch self {
      case .session: Operations.Limits.sessionSeconds
      case .openID: Operations.Limits.openIDSeconds
      }
    return header(value, maxAge: seconds, isSecure)
  }

  func clear(isSecure: Bool) -> (String, String) {
    header("", maxAge: 0, isSecure)
  }

  private func header(_ value: String, maxAge: Int64, _ isSecure: Bool) -> (String, String) {
    (
      "Set-Cookie",
      "\(name(isSecure))=\(value); Path=/; Max-Age=\(maxAge); HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
    )
  }
}

/// Parses the cookies of a request (RFC 6265 §4.2.1).
enum Cookies {
  /// Returns the value of the first cookie with this name whose value is not empty; nil if there is none.
  /// - Parameter headers: with names in lower case.
  static func value(of name: String, in headers: [(name: String, value: String)]) -> String? {
    for field in headers where field.name == "cookie" {
      for pair in field.value.split(separator: ";") {
        let parts = pair.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { continue }
        if parts[0].drop(while: { $0 == " " }) == name { return String(parts[1]) }
      }
    }
    return nil
  }
}

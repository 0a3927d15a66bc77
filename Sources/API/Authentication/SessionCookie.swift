internal import HTTPServer
internal import Operations

/// The cookie of a console session. Scripts cannot read it, and browsers do not send it with requests from other sites.
enum SessionCookie {
  /// Over HTTPS the name begins with `__Host-`: browsers accept such a cookie only over HTTPS and only from this host
  /// (RFC 6265bis, section 4.1.3.2).
  private static func name(_ isSecure: Bool) -> String { isSecure ? "__Host-upmc_session" : "upmc_session" }

  /// Returns the session token in a request, or the first if there are several. Over HTTPS only the `__Host-` cookie is
  /// read, because no other host can have set it.
  static func token(in headers: [(name: String, value: String)], isSecure: Bool) -> String? {
    for field in headers where field.name == "cookie" {
      for pair in field.value.split(separator: ";") {
        let parts = pair.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { continue }
        if parts[0].drop(while: { $0 == " " }) == name(isSecure) { return String(parts[1]) }
      }
    }
    return nil
  }

  static func set(_ token: String, isSecure: Bool) -> (String, String) {
    header(token, maxAge: Operations.Limits.sessionSeconds, isSecure)
  }

  static func clear(isSecure: Bool) -> (String, String) {
    header("", maxAge: 0, isSecure)
  }

  private static func header(_ value: String, maxAge: Int64, _ isSecure: Bool) -> (String, String) {
    (
      "Set-Cookie",
      "\(name(isSecure))=\(value); Path=/; Max-Age=\(maxAge); HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
    )
  }
}

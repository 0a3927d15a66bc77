internal import Domain
internal import Postgres

/// A person's data from the claims of a verified ID token, as far as an account needs them.
struct ProvidedPerson {
  /// Hash of issuer and subject: the only key by which the account is found again.
  let subject: [UInt8]
  let login: String
  let name: String
  /// Role in the console; nil if none of the person's groups has one.
  let role: Role?
  /// The app that the person may access; all apps if the claim contains `*` or the settings name no claim for this; nil
  /// if the claim is missing or empty.
  let app: Reach?

  enum Reach: Equatable {
    case all
    case only(String)
  }

  init(_ claims: TokenClaims, _ settings: OpenIDSettings) throws(OpenIDFault) {
    guard let subject = claims.text("sub"), !subject.isEmpty, subject.utf8.count <= 255 else {
      throw OpenIDFault("subject", "does not say who the person is (sub)")
    }
    self.subject = Authorization.hash("openid \(settings.issuer) \(subject)")
    let login = ConsoleAccounts.normalize(claims.text(settings.loginClaim) ?? "")
    guard ConsoleAccounts.isLogin(login) else {
      throw OpenIDFault("login-claim", "holds no usable name to sign in with (\(settings.loginClaim))")
    }
    // Some providers write the flag as a string.
    let isVerified = claims["email_verified"] != .flag(false) && claims.text("email_verified")?.lowercased() != "false"
    if settings.loginClaim == "email", !isVerified {
      throw OpenIDFault("login-claim", "holds an e-mail address that is not verified")
    }
    self.login = login
    name = Self.displayName(claims.text("name"), else: login)
    let groups = Set(claims.texts(settings.roleClaim))
    // Of several roles, the strongest counts.
    role = Self.strength.first { role in settings.roles.contains { $0.value == role && groups.contains($0.key) } }
    app = try Self.reach(claims, settings)
  }

  private static let strength: [Role] = [.admin, .operator, .sender, .viewer]

  private static func reach(_ claims: TokenClaims, _ settings: OpenIDSettings) throws(OpenIDFault) -> Reach? {
    guard let name = settings.appClaim else { return .all }
    let apps = claims.texts(name)
    if apps.contains("*") { return .all }
    guard apps.count <= 1 else {
      throw OpenIDFault("app-claim", "names several apps (\(name)): an account reaches one, or all with *")
    }
    return apps.first.map(Reach.only)
  }

  private static func displayName(_ name: String?, else login: String) -> String {
    guard let name, !name.isEmpty, name.utf8.count <= Operations.Limits.nameBytes,
      (try? Administration.check(name: name)) != nil
    else { return login }
    return name
  }
}

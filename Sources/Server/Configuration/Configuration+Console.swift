internal import HTTPClient
internal import Operations

/// The variables of console sign-in: permitted addresses, second factors, and the identity provider.
extension Configuration {
  static let consoleVariables = [
    Variable(
      name: "UPMC_CONSOLE_ADDRESSES", standard: "",
      meaning:
        "networks (CIDR blocks, with commas) from which people may sign in to the console and use it; absent: from "
        + "everywhere. API keys are not affected",
      korean: "콘솔에 로그인하고 사용할 수 있는 네트워크(CIDR, 쉼표로 구분). 없으면 제한하지 않습니다. API 키에는 적용되지 않습니다"),
    Variable(
      name: "UPMC_SECOND_FACTOR", standard: "",
      meaning:
        "roles that need a second factor in the console, with commas, or all; an account without one sets it up before "
        + "anything else",
      korean: "콘솔에서 2단계 인증이 필수인 역할(쉼표로 구분) 또는 `all`. 아직 등록하지 않은 계정은 등록부터 해야 합니다"),
    Variable(
      name: "UPMC_CONSOLE_PASSWORDS", standard: "on",
      meaning:
        "off: people sign in at the identity provider only; links still open accounts, for emergencies",
      korean: "`off`이면 통합 로그인(OIDC)으로만 로그인합니다. 비상시에는 로그인 링크를 쓸 수 있습니다"),
  ]

  static let openIDVariables = [
    Variable(
      name: "UPMC_OIDC_ISSUER", standard: "",
      meaning:
        "issuer of the OpenID Connect provider at which people sign in to the console, for example "
        + "https://login.example.com/realms/staff; absent: there is none",
      korean: "콘솔 로그인에 쓰는 OpenID Connect 제공자의 issuer(예: `https://login.example.com/realms/staff`). 없으면 쓰지 않습니다"),
    Variable(
      name: "UPMC_OIDC_CLIENT_ID", standard: "", meaning: "the client that the provider knows this console as",
      korean: "제공자에 등록한 클라이언트 ID"),
    Variable(
      name: "UPMC_OIDC_CLIENT_SECRET_FILE", standard: "",
      meaning: "file that holds the client's secret; absent: a public client, with PKCE alone",
      korean: "클라이언트 시크릿이 든 파일. 없으면 PKCE만 쓰는 public 클라이언트입니다"),
    Variable(
      name: "UPMC_OIDC_REDIRECT_URL", standard: "",
      meaning:
        "the console's address, as registered with the provider, for example https://push.example.com/; absent: "
        + "UPMC_PUBLIC_URL with a slash",
      korean: "제공자에 등록한 콘솔 주소(예: `https://push.example.com/`). 없으면 `UPMC_PUBLIC_URL` 뒤에 `/`를 붙인 주소"),
    Variable(
      name: "UPMC_OIDC_ROLES", standard: "",
      meaning:
        "the role that each of the provider's groups gives, for example push-admins=admin,push-staff=operator; of several "
        + "the strongest",
      korean: "제공자의 그룹별 역할(예: `push-admins=admin,push-staff=operator`). 여러 개가 해당하면 가장 강한 역할을 씁니다"),
    Variable(
      name: "UPMC_OIDC_ROLE_CLAIM", standard: "groups", meaning: "claim of the ID token that holds these groups",
      korean: "그룹이 들어 있는 ID 토큰의 클레임"),
    Variable(
      name: "UPMC_OIDC_APP_CLAIM", standard: "",
      meaning:
        "claim that holds the id of the only app a person reaches, or * for all; absent: everybody who signs in there "
        + "reaches all apps",
      korean: "접근할 수 있는 앱 ID가 든 클레임(`*`는 모든 앱). 없으면 모든 앱에 접근합니다"),
    Variable(
      name: "UPMC_OIDC_LOGIN_CLAIM", standard: "email", meaning: "claim that becomes the account's login",
      korean: "계정의 로그인 이름으로 쓰는 클레임"),
    Variable(
      name: "UPMC_OIDC_SCOPE", standard: "openid profile email", meaning: "what the console asks the provider for",
      korean: "제공자에 요청하는 scope"),
    Variable(
      name: "UPMC_OIDC_NAME", standard: "", meaning: "what the sign-in page calls the provider; absent: its host",
      korean: "로그인 화면에 표시할 제공자 이름. 없으면 호스트 이름"),
  ]

  /// The values of the identity provider's variables: roles parsed, the others as given. `readOpenID` makes settings of
  /// them.
  struct OpenIDVariables: Sendable {
    var issuer: String?
    var clientID: String?
    var secretFile: String?
    var redirectURL: String?
    var roles: [String: Role] = [:]
    var roleClaim: String?
    var appClaim: String?
    var loginClaim: String?
    var scope: String?
    var name: String?

    var isEmpty: Bool {
      roles.isEmpty
        && [issuer, clientID, secretFile, redirectURL, roleClaim, appClaim, loginClaim, scope, name].allSatisfy {
          $0 == nil
        }
    }
  }

  /// Stores the value of a console variable. Returns false if the variable is not one of these.
  /// - Throws: `Mistake` if the value is invalid.
  mutating func setConsole(_ name: String, _ value: String) throws(Mistake) -> Bool {
    let given = value.isEmpty ? nil : value
    switch name {
    case "UPMC_CONSOLE_ADDRESSES": console.addresses = try Listening.blocks(name, value)
    case "UPMC_SECOND_FACTOR": console.secondFactor = try Self.roles(name, value)
    case "UPMC_CONSOLE_PASSWORDS":
      guard value == "on" || value == "off" || value.isEmpty else {
        throw Mistake(description: "\(name)=\(value) is neither on nor off.")
      }
      console.takesPasswords = value != "off"
    case "UPMC_OIDC_ISSUER": openIDVariables.issuer = given
    case "UPMC_OIDC_CLIENT_ID": openIDVariables.clientID = given
    case "UPMC_OIDC_CLIENT_SECRET_FILE": openIDVariables.secretFile = given
    case "UPMC_OIDC_REDIRECT_URL": openIDVariables.redirectURL = given
    case "UPMC_OIDC_ROLES": openIDVariables.roles = try Self.groupRoles(name, value)
    case "UPMC_OIDC_ROLE_CLAIM": openIDVariables.roleClaim = given
    case "UPMC_OIDC_APP_CLAIM": openIDVariables.appClaim = given
    case "UPMC_OIDC_LOGIN_CLAIM": openIDVariables.loginClaim = given
    case "UPMC_OIDC_SCOPE": openIDVariables.scope = given
    case "UPMC_OIDC_NAME": openIDVariables.name = given
    default: return false
    }
    return true
  }

  private static func roles(_ name: String, _ value: String) throws(Mistake) -> Set<Role> {
    if value == "all" { return Set(Role.allCases) }
    var roles: Set<Role> = []
    for word in value.split(separator: ",") { roles.insert(try role(name, value, word)) }
    return roles
  }

  private static func groupRoles(_ name: String, _ value: String) throws(Mistake) -> [String: Role] {
    var roles: [String: Role] = [:]
    for pair in value.split(separator: ",") {
      guard let mark = pair.lastIndex(of: "="), mark != pair.startIndex else {
        throw Mistake(
          description: "\(name)=\(value): \(pair) is no pair. Write group=role, for example push-admins=admin.")
      }
      roles[String(pair[..<mark])] = try role(name, value, pair[pair.index(after: mark)...])
    }
    return roles
  }

  private static func role(_ name: String, _ value: String, _ word: Substring) throws(Mistake) -> Role {
    guard let role = Role(rawValue: word.filter { $0 != " " }) else {
      let known = Role.allCases.map(\.rawValue).joined(separator: ", ")
      throw Mistake(description: "\(name)=\(value): \(word) is no role. Roles are \(known).")
    }
    return role
  }

  // MARK: The provider

  /// Returns the settings that these variables describe; nil when no provider is named. Error messages never contain
  /// the secret.
  func readOpenID() throws(Mistake) -> OpenIDSettings? {
    let words = openIDVariables
    guard let issuer = words.issuer else {
      guard words.isEmpty else { throw Self.missing("UPMC_OIDC_ISSUER") }
      guard console.takesPasswords else {
        throw Mistake(description: "UPMC_CONSOLE_PASSWORDS=off needs UPMC_OIDC_ISSUER: nobody could sign in.")
      }
      return nil
    }
    guard let url = HTTPURL(issuer), url.isSecure || Self.isOwnMachine(url.host), !issuer.contains("?") else {
      throw Mistake(description: "UPMC_OIDC_ISSUER=\(issuer) is no issuer. Write https://host/path.")
    }
    guard let clientID = words.clientID else { throw Self.missing("UPMC_OIDC_CLIENT_ID") }
    guard !words.roles.isEmpty else { throw Self.missing("UPMC_OIDC_ROLES") }
    var settings = OpenIDSettings(
      issuer: issuer, clientID: clientID, clientSecret: try readSecret(words.secretFile),
      redirectURL: try readRedirectURL(words.redirectURL), roles: words.roles, label: words.name ?? url.host)
    settings.roleClaim = words.roleClaim ?? settings.roleClaim
    settings.loginClaim = words.loginClaim ?? settings.loginClaim
    settings.scope = words.scope ?? settings.scope
    settings.appClaim = words.appClaim
    return settings
  }

  private func readSecret(_ file: String?) throws(Mistake) -> String? {
    guard let file else { return nil }
    let name = "UPMC_OIDC_CLIENT_SECRET_FILE"
    var text = try SecretFile.read(file, name: name, holding: "the client's secret")
    while text.last?.isWhitespace == true { text.removeLast() }
    guard !text.isEmpty else { throw Mistake(description: "\(name): \(file) is empty.") }
    return text
  }

  private func readRedirectURL(_ given: String?) throws(Mistake) -> String {
    guard let text = given ?? publicURL.map({ $0 + "/" }) else { throw Self.missing("UPMC_OIDC_REDIRECT_URL") }
    guard let url = HTTPURL(text), url.isSecure || Self.isOwnMachine(url.host), !text.contains("#"), !text.contains("?")
    else {
      throw Mistake(
        description: "UPMC_OIDC_REDIRECT_URL=\(text) is no address of the console. Write https://push.example.com/.")
    }
    return text
  }

  private static func isOwnMachine(_ host: String) -> Bool { ["127.0.0.1", "::1", "localhost"].contains(host) }

  private static func missing(_ name: String) -> Mistake {
    Mistake(description: "\(name) is missing: signing in at an identity provider needs it.")
  }
}

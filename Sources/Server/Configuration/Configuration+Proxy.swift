internal import HTTPClient

/// The variables of the outbound proxy.
extension Configuration {
  static let proxyVariables = [
    Variable(
      name: "UPMC_PROXY_URL", standard: "",
      meaning: "proxy for all that this server calls: http://host:port or http://user:password@host:port, by CONNECT",
      korean: "서버가 외부를 호출할 때 거치는 프록시(CONNECT 방식): `http://host:port` 또는 `http://user:password@host:port`"),
    Variable(
      name: "UPMC_PROXY_URL_FILE", standard: "",
      meaning: "file that holds UPMC_PROXY_URL, where it has a password",
      korean: "비밀번호가 있을 때 `UPMC_PROXY_URL` 값을 담은 파일"),
    Variable(
      name: "UPMC_NO_PROXY", standard: "",
      meaning: "called without the proxy: hosts, .domains, addresses and networks (CIDR blocks), with commas",
      korean: "프록시를 거치지 않는 대상: 호스트, `.도메인`, 주소, 네트워크(CIDR). 쉼표로 구분"),
    Variable(
      name: "UPMC_PROXY_RESOLVES", standard: "off",
      meaning:
        "on: there is no DNS here, and the proxy looks up webhooks' names; it must refuse private addresses itself",
      korean: "`on`이면 이 서버에 DNS가 없고 프록시가 웹훅의 이름을 찾습니다. 그때는 프록시가 사설 주소를 거부해야 합니다"),
  ]

  /// The values of the proxy variables: URL and file as given, the others parsed.
  struct ProxyVariables: Sendable {
    var url: String?
    var file: String?
    var exceptions = ProxyExceptions()
    var resolvesNames = false
  }

  /// Stores the value of a proxy variable. Returns false when the variable is not one of these.
  mutating func setProxy(_ name: String, _ value: String) throws(Mistake) -> Bool {
    let given = value.isEmpty ? nil : value
    switch name {
    case "UPMC_PROXY_URL": proxyVariables.url = given
    case "UPMC_PROXY_URL_FILE": proxyVariables.file = given
    case "UPMC_NO_PROXY":
      do throws(ProxyFault) {
        proxyVariables.exceptions = try ProxyExceptions(value)
      } catch {
        throw Mistake(description: "\(name)=\(value): \(error.reason).")
      }
    case "UPMC_PROXY_RESOLVES":
      guard value == "on" || value == "off" || value.isEmpty else {
        throw Mistake(description: "\(name)=\(value) is neither on nor off.")
      }
      proxyVariables.resolvesNames = value == "on"
    default: return false
    }
    return true
  }

  /// Returns the proxy that these variables describe; nil when no URL is given. Error messages never contain the URL,
  /// because it may include a password.
  func readProxy() throws(Mistake) -> OutboundProxy? {
    var (name, text) = ("UPMC_PROXY_URL", proxyVariables.url)
    if let file = proxyVariables.file {
      guard text == nil else {
        throw Mistake(description: "UPMC_PROXY_URL and UPMC_PROXY_URL_FILE are both set. Keep one.")
      }
      name = "What UPMC_PROXY_URL_FILE names, \(file),"
      text = try SecretFile.read(file, name: "UPMC_PROXY_URL_FILE", holding: "the proxy's address")
      while text?.last?.isWhitespace == true { text?.removeLast() }
    }
    guard let text else { return nil }
    do throws(ProxyFault) {
      return try OutboundProxy(text, without: proxyVariables.exceptions, resolvesNames: proxyVariables.resolvesNames)
    } catch {
      throw Mistake(description: "\(name) \(error.reason).")
    }
  }
}

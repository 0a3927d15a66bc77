internal import HTTPClient

/// The variables of the outbound proxy.
extension Configuration {
  static let proxyVariables = [
    Variable(
      name: "UPMC_PROXY_URL", standard: "",
      meaning: "proxy for all that this server calls: http://host:port or http://user:password@host:port, by CONNECT"),
    Variable(
      name: "UPMC_PROXY_URL_FILE", standard: "", meaning: "file that holds UPMC_PROXY_URL, where it has a password"),
    Variable(
      name: "UPMC_NO_PROXY", standard: "",
      meaning: "what is called without it: hosts, .domains, addresses and networks (CIDR blocks), with commas"),
    Variable(
      name: "UPMC_PROXY_RESOLVES", standard: "off",
      meaning:
        "on: there is no DNS here, and the proxy looks up webhooks' names; it must refuse private addresses itself"),
  ]

  /// Values of the proxy variables, from which one proxy is made.
  struct ProxyWords: Sendable {
    var url: String?
    var file: String?
    var exceptions = ProxyExceptions()
    var resolvesNames = false
  }

  /// Returns false when the variable is not one of these.
  mutating func setProxy(_ name: String, _ value: String) throws(Mistake) -> Bool {
    let given = value.isEmpty ? nil : value
    switch name {
    case "UPMC_PROXY_URL": proxyWords.url = given
    case "UPMC_PROXY_URL_FILE": proxyWords.file = given
    case "UPMC_NO_PROXY":
      do throws(ProxyFault) {
        proxyWords.exceptions = try ProxyExceptions(value)
      } catch {
        throw Mistake(description: "\(name)=\(value): \(error.reason).")
      }
    case "UPMC_PROXY_RESOLVES":
      guard value == "on" || value == "off" || value.isEmpty else {
        throw Mistake(description: "\(name)=\(value) is neither on nor off.")
      }
      proxyWords.resolvesNames = value == "on"
    default: return false
    }
    return true
  }

  /// The proxy that these variables describe; nil when none is named. No mistake shows its URL, which may hold a
  /// password.
  func readProxy() throws(Mistake) -> OutboundProxy? {
    var (name, text) = ("UPMC_PROXY_URL", proxyWords.url)
    if let file = proxyWords.file {
      guard text == nil else {
        throw Mistake(description: "UPMC_PROXY_URL and UPMC_PROXY_URL_FILE are both set. Keep one.")
      }
      name = "What UPMC_PROXY_URL_FILE names, \(file),"
      text = try SecretFile.read(file, name: "UPMC_PROXY_URL_FILE", holding: "the proxy's address")
      while text?.last?.isWhitespace == true { text?.removeLast() }
    }
    guard let text else { return nil }
    do throws(ProxyFault) {
      return try OutboundProxy(text, without: proxyWords.exceptions, resolvesNames: proxyWords.resolvesNames)
    } catch {
      throw Mistake(description: "\(name) \(error.reason).")
    }
  }
}

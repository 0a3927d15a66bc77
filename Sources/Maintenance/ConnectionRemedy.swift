internal import Server

/// What to do when a host of a push network cannot be reached.
struct ConnectionRemedy {
  private let configuration: Configuration

  init(_ configuration: Configuration) { self.configuration = configuration }

  /// - Parameter host: with its port.
  func text(for host: String) -> String {
    guard let proxy = configuration.proxy else {
      return "Let this machine out to \(host) (DNS, firewall; a proxy that inspects TLS needs UPMC_CA_FILE)."
    }
    return "Have the proxy \(proxy) let this machine out to \(host); one that inspects TLS needs UPMC_CA_FILE."
  }
}

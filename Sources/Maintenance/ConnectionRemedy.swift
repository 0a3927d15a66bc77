internal import Server

/// Builds the remedy for a push network's host that cannot be reached.
struct ConnectionRemedy {
  private let configuration: Configuration

  init(_ configuration: Configuration) { self.configuration = configuration }

  /// Returns the remedy, for people to read.
  /// - Parameter host: host name and port.
  func text(for host: String) -> String {
    guard let proxy = configuration.proxy else {
      return "Let this machine out to \(host) (DNS, firewall; a proxy that inspects TLS needs UPMC_CA_FILE)."
    }
    return "Have the proxy \(proxy) let this machine out to \(host); one that inspects TLS needs UPMC_CA_FILE."
  }
}

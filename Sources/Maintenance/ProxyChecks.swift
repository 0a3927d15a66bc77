internal import Domain
internal import HTTPClient
internal import Server

/// The checks of `upmc doctor` for the outbound proxy: whether it connects this server to the push networks.
struct ProxyChecks {
  private let configuration: Configuration

  init(_ configuration: Configuration) {
    self.configuration = configuration
  }

  func findings() -> [Finding] {
    guard let proxy = configuration.proxy else { return [] }
    return ways(proxy) + (proxy.resolvesNames ? itself(proxy) : [])
  }

  private func ways(_ proxy: OutboundProxy) -> [Finding] {
    let tunnels = places.compactMap { proxy.tunnel(to: $0.host, port: $0.port) }
    guard !tunnels.isEmpty else {
      return [.ok(Self.subject, "\(proxy)", "UPMC_NO_PROXY has both push networks: only webhooks go through it")]
    }
    let objections = tunnels.map(Self.objection)
    let open = zip(tunnels, objections).filter { $0.1 == nil }.map(\.0.authority)
    var findings = zip(tunnels, objections).compactMap { tunnel, objection in
      objection.map { finding(tunnel, $0, othersOpen: !open.isEmpty) }
    }
    if !open.isEmpty {
      findings.insert(.ok(Self.subject, "\(proxy)", "opens tunnels to \(open.joined(separator: ", "))"), at: 0)
    }
    return findings
  }

  /// Checks whether tenants' webhooks could reach the proxy's own machine. Needed only if the proxy resolves names,
  /// because otherwise this server checks the addresses. A tunnel that is not refused explicitly counts as open, even
  /// if nothing responds.
  private func itself(_ proxy: OutboundProxy) -> [Finding] {
    var (open, unknown): ([String], [String]) = ([], [])
    for tunnel in proxy.tunnelsToItself {
      let fault = TunnelTrial.fault(of: tunnel)
      switch fault?.status {
      case 403: break
      case nil where fault == nil: open.append(tunnel.authority)
      case 502, 503, 504: open.append(tunnel.authority)
      default: unknown.append(fault?.reason ?? tunnel.authority)
      }
    }
    let remedy = """
      Have it refuse private addresses (403), its own among them, or give this server DNS and set UPMC_PROXY_RESOLVES=off.
      """
    if !open.isEmpty {
      return [
        .failure(
          Self.subject, "\(proxy)",
          """
          it lets this server into its own machine (\(open.joined(separator: ", "))), and UPMC_PROXY_RESOLVES is on: webhooks \
          of tenants can reach private addresses
          """, remedy: remedy)
      ]
    }
    guard let reason = unknown.first else { return [] }
    return [
      .warning(
        Self.subject, "\(proxy)",
        "UPMC_PROXY_RESOLVES is on, and whether it refuses private addresses is not known: \(reason)", remedy: remedy)
    ]
  }

  private static func objection(_ tunnel: ProxyTunnel) -> String? { TunnelTrial.fault(of: tunnel)?.reason }

  private static let subject = "proxy"

  /// Hosts that pushes and access tokens require, without duplicates.
  private var places: [(host: String, port: UInt16)] {
    var found: [(host: String, port: UInt16)] = []
    var all = [configuration.apnsProduction, configuration.fcm].map { (host: $0.host, port: $0.port) }
    if let url = HTTPURL(configuration.tokenAddress.url) { all.append((url.host, url.port)) }
    for place in all where !found.contains(where: { $0 == place }) { found.append(place) }
    return found
  }

  /// Returns the finding about a host that the proxy refuses. If the proxy allows other hosts, it is only a warning,
  /// because this one may be unused.
  private func finding(_ tunnel: ProxyTunnel, _ objection: String, othersOpen: Bool) -> Finding {
    let remedy = """
      Have the proxy let this server CONNECT to \(tunnel.authority); check host, port, user and password of UPMC_PROXY_URL. \
      What needs no proxy stands in UPMC_NO_PROXY.
      """
    return othersOpen
      ? .warning(Self.subject, "\(tunnel.proxy)", objection, remedy: remedy)
      : .failure(Self.subject, "\(tunnel.proxy)", objection, remedy: remedy)
  }
}

internal import HTTPClient
internal import PushTransport
internal import Reactor

/// The route of a webhook's connections, directly or through the proxy, determined after resolving names. Performs no
/// I/O.
///
/// ```
///                                                   resolved here            connected to      the proxy is given
///   no proxy, or UPMC_NO_PROXY has the host:         the webhook's name       its address       –
///   a proxy:                                         that, and the proxy's    the proxy         the checked address
///   a proxy that resolves names (no DNS here):       the proxy's name         the proxy         the name
/// ```
struct WebhookRoute: Equatable {
  /// The address to connect to: the webhook's or the proxy's.
  let hop: SocketAddress
  /// The webhook's own address; nil if the proxy resolves its name.
  let address: SocketAddress?
  let tunnel: ProxyTunnel?

  /// Results of resolving the names of a webhook's host and the proxy.
  struct Names: Sendable {
    /// Addresses of the webhook's host; nil if the proxy resolves its name.
    var host: [SocketAddress]?
    /// Addresses of the proxy; nil if none is used, or its name could not be resolved.
    var proxy: [SocketAddress]?
    /// Why the proxy's name could not be resolved, as the end of a sentence; nil if it was.
    var proxyFault: String?
  }

  /// Why a webhook cannot be called.
  struct Refusal: Error, Equatable {
    let reason: String
    /// True if the reason concerns the operator's proxy, so that tenants must not see it.
    var isAboutProxy = false

    var error: HTTPClientError {
      isAboutProxy ? .noTunnel(TunnelFault(reason: reason)) : .unreachable(reason)
    }
  }

  /// Chooses the route from the resolved addresses.
  /// - Throws: a `Refusal` if there is no allowed address.
  /// - Parameters:
  ///   - present: the current route, whose addresses are kept if they are still valid.
  ///   - isFailing: true if the current route has not worked lately. Another address of the webhook, and of the proxy
  ///     if there is one, is then selected, if the name has another.
  init(
    to place: HTTPURL, _ names: Names, _ rule: AddressRule, _ proxy: OutboundProxy?, present: WebhookRoute?,
    isFailing: Bool
  ) throws(Refusal) {
    if let addresses = names.host {
      let good = addresses.filter { $0.ip.map { rule.allows($0, isSecure: place.isSecure) } == true }
      guard let first = good.first else {
        throw addresses.isEmpty
          ? Refusal(reason: "\(place.host) has no address") : Self.notPublic(place)
      }
      var address = present?.address.flatMap { good.contains($0) ? $0 : nil } ?? first
      // One of several addresses may be out of service, or out of the proxy's reach: a name keeps it all the same.
      if isFailing, let other = good.filter({ $0 != present?.address }).randomElement() { address = other }
      self.address = address
      tunnel = proxy?.tunnel(to: address, of: place.host)
    } else {
      if let proxy, !rule.allows(name: place.host, isSecure: place.isSecure, through: proxy) {
        throw Self.notPublicName(place)
      }
      address = nil
      tunnel = proxy?.tunnel(to: place.host, port: place.port)
    }
    guard let tunnel else {
      guard let address else { throw Refusal(reason: "\(place.host) has no address") }
      hop = address
      return
    }
    let hops = names.proxy ?? []
    let known = present?.tunnel == nil ? nil : present?.hop
    // If the proxy's name could not be resolved, keep using its current address.
    if let known, hops.isEmpty || hops.contains(known) && !isFailing {
      hop = known
    } else {
      let others = hops.filter { $0 != present?.hop }
      guard let other = others.randomElement() ?? hops.first else {
        throw Refusal(
          reason: tunnel.naming(names.proxyFault ?? "its name leads to no address"), isAboutProxy: true)
      }
      hop = other
    }
  }

  private static func notPublic(_ place: HTTPURL) -> Refusal {
    Refusal(
      reason: place.isSecure
        ? "the address of \(place.host) is not public; allow its network with UPMC_WEBHOOK_PRIVATE"
        : "plain http goes only to networks that UPMC_WEBHOOK_PRIVATE allows; use https")
  }

  private static func notPublicName(_ place: HTTPURL) -> Refusal {
    Refusal(
      reason: place.isSecure
        ? "\(place.host) is not public: webhooks go to hosts with a public name, and to addresses that are public"
        : "plain http goes only to addresses in networks that UPMC_WEBHOOK_PRIVATE allows; use https")
  }

  // MARK: Name resolution

  /// Creates the look-up of the names that a route needs. A resolver thread resolves the first name, and then the
  /// proxy's.
  /// - Parameter answer: called on a resolver thread; a failure is the end of a sentence.
  static func question(
    _ place: HTTPURL, _ proxy: OutboundProxy?, asker: String,
    answer: @escaping @Sendable (Result<Names, Refusal>) -> Void
  ) -> Resolver.Question {
    let host = Endpoint(host: place.host, port: place.port)
    // Resolve the host even with a proxy: its address may be in UPMC_NO_PROXY, which is known only then.
    guard let proxy, let tunnel = proxy.tunnel(to: place.host, port: place.port) else {
      return Resolver.Question(endpoint: host, asker: asker) { result in
        answer(result.map { Names(host: $0) }.mapError { Refusal(reason: $0.description) })
      }
    }
    let hop = Endpoint(host: proxy.host, port: proxy.port)
    if proxy.resolvesNames {
      return Resolver.Question(endpoint: hop, asker: asker) { result in
        answer(
          result.map { Names(proxy: $0) }.mapError { Refusal(reason: tunnel.naming($0), isAboutProxy: true) })
      }
    }
    return Resolver.Question(endpoint: host, asker: asker) { result in
      answer(result.map { names($0, hop) }.mapError { Refusal(reason: $0.description) })
    }
  }

  /// Adds the proxy's addresses, or why there are none, to the host's; a host exempt from the proxy does not need them.
  private static func names(_ host: [SocketAddress], _ hop: Endpoint) -> Names {
    do throws(SystemError) {
      return Names(host: host, proxy: try Resolver.system(hop))
    } catch {
      return Names(host: host, proxyFault: error.description)
    }
  }
}

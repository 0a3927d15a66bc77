internal import HTTPClient
internal import PushTransport
internal import Reactor

/// Where a webhook's connections go once its name is resolved, and what has to be resolved for that. Pure.
///
/// ```
///                                                   resolved here            connected to      the proxy is given
///   no proxy, or UPMC_NO_PROXY has the host:         the webhook's name       its address       –
///   a proxy:                                         that, and the proxy's    the proxy         the checked address
///   a proxy that resolves names (no DNS here):       the proxy's name         the proxy         the name
/// ```
struct Way: Equatable {
  /// The address to connect to: the webhook's, or the proxy's.
  let hop: SocketAddress
  /// The webhook's own address; nil where the proxy resolves its name.
  let address: SocketAddress?
  let tunnel: ProxyTunnel?

  /// Results of name resolution.
  struct Names: Sendable {
    /// Addresses of the webhook's host; nil where the proxy resolves it.
    var host: [SocketAddress]?
    /// Addresses of the proxy; nil where none is used, and where its name could not be resolved.
    var proxy: [SocketAddress]?
    /// Why the proxy's name could not be resolved: the end of a sentence.
    var proxyFault: String?
  }

  /// Why a webhook cannot be called.
  struct Refusal: Error, Equatable {
    let reason: String
    /// It concerns the operator's proxy, so tenants must not read it.
    var isAboutProxy = false

    var error: HTTPClientError {
      isAboutProxy ? .noTunnel(TunnelFault(reason: reason)) : .unreachable(reason)
    }
  }

  /// - Parameters:
  ///   - present: the current way; its addresses are kept while they are valid.
  ///   - isFailing: the current way has not worked lately: through a proxy, another address of the proxy and of the
  ///     webhook is tried, where there is one.
  init(
    to place: HTTPURL, _ names: Names, _ rule: AddressRule, _ proxy: OutboundProxy?, present: Way?, isFailing: Bool
  ) throws(Refusal) {
    if let addresses = names.host {
      let good = addresses.filter { $0.ip.map { rule.allows($0, isSecure: place.isSecure) } == true }
      guard let first = good.first else {
        throw addresses.isEmpty
          ? Refusal(reason: "\(place.host) has no address") : Self.notPublic(place)
      }
      var address = present?.address.flatMap { good.contains($0) ? $0 : nil } ?? first
      // The proxy may lack a route to one of them, such as IPv6, which is invisible from here.
      if isFailing, proxy?.tunnel(to: address, of: place.host) != nil,
        let other = good.filter({ $0 != present?.address }).randomElement()
      {
        address = other
      }
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
    // Without a result for the proxy's name the current way is as good as before.
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

  // MARK: Looking up

  /// The resolver's question for the way to a place. A resolver thread resolves the first name in its turn, and the
  /// proxy's name after it.
  /// - Parameter answer: called on a resolver's thread; a failure is the end of a sentence.
  static func question(
    _ place: HTTPURL, _ proxy: OutboundProxy?, asker: String,
    answer: @escaping @Sendable (Result<Names, Refusal>) -> Void
  ) -> Resolver.Question {
    let host = Endpoint(host: place.host, port: place.port)
    // An address in UPMC_NO_PROXY may still go direct, which shows only after resolution.
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

  /// Adds the proxy's addresses, or why there are none: a host that turns out to be exempt needs no proxy.
  private static func names(_ host: [SocketAddress], _ hop: Endpoint) -> Names {
    do throws(SystemError) {
      return Names(host: host, proxy: try Resolver.system(hop))
    } catch {
      return Names(host: host, proxyFault: error.description)
    }
  }
}

internal import HTTPClient
internal import PushTransport
internal import Reactor

/// Where the connections of a webhook go, after its name has been looked up; and what has to be looked up for that. Pure.
///
/// ```
///                                                   looked up here           connected to      the proxy is told
///   no proxy, or UPMC_NO_PROXY has the host:         the webhook's name       its address       –
///   a proxy:                                         that, and the proxy's    the proxy         the address, checked
///   a proxy that looks names up (no DNS here):       the proxy's name         the proxy         the name
/// ```
struct Way: Equatable {
  /// Connected to: the webhook's address, or the proxy's.
  let hop: SocketAddress
  /// The webhook's own address; nil where the proxy looks its name up.
  let address: SocketAddress?
  let tunnel: ProxyTunnel?

  /// What has been looked up.
  struct Names: Sendable {
    /// Of the webhook's host; nil where the proxy looks it up.
    var host: [SocketAddress]?
    /// Of the proxy; nil where nothing goes through it, and where its name could not be looked up.
    var proxy: [SocketAddress]?
    /// Why the proxy's name could not be looked up: a sentence's end.
    var proxyFault: String?
  }

  /// Why a webhook is not called.
  struct Refusal: Error, Equatable {
    let reason: String
    /// It is about the operator's proxy, and nothing that a tenant should read.
    var isAboutProxy = false

    var error: HTTPClientError {
      isAboutProxy ? .noTunnel(TunnelFault(reason: reason)) : .unreachable(reason)
    }
  }

  /// - Parameters:
  ///   - present: the way until now; its addresses are kept while they are good.
  ///   - isFailing: the way until now has not led anywhere lately: through a proxy another address is tried, of the proxy and of
  ///     the webhook, where there is one.
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
      // The proxy may have no way to one of them, of IPv6 say, which nobody here can see.
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
    // Without an answer about the proxy's name the way that stands is as good as it was.
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

  /// Looks up what is needed for the way to a place: the first question by a resolver's thread in its turn, and the proxy's
  /// name on the same thread after it.
  /// - Parameter answer: called on a resolver's thread; a failure is a sentence's end.
  static func question(
    _ place: HTTPURL, _ proxy: OutboundProxy?, asker: String,
    answer: @escaping @Sendable (Result<Names, Refusal>) -> Void
  ) -> Resolver.Question {
    let host = Endpoint(host: place.host, port: place.port)
    // An address that the exceptions name may still take the straight way: that shows when it is known.
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

  /// With the proxy's addresses, or why there are none: whose host turns out to be an exception needs no proxy.
  private static func names(_ host: [SocketAddress], _ hop: Endpoint) -> Names {
    do throws(SystemError) {
      return Names(host: host, proxy: try Resolver.system(hop))
    } catch {
      return Names(host: host, proxyFault: error.description)
    }
  }
}

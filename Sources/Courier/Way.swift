internal import HTTPClient
internal import PushWire
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
    /// Of the proxy; nil where nothing goes through it.
    var proxy: [SocketAddress]?
  }

  /// Why a webhook is not called.
  struct Refusal: Error, Equatable {
    let reason: String
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
      guard rule.allows(name: place.host, isSecure: place.isSecure) else { throw Self.notPublic(place) }
      address = nil
      tunnel = proxy?.tunnel(to: place.host, port: place.port)
    }
    guard let tunnel else {
      guard let address else { throw Refusal(reason: "\(place.host) has no address") }
      hop = address
      return
    }
    let hops = names.proxy ?? []
    if let known = present?.hop, hops.contains(known), !isFailing {
      hop = known
    } else {
      let others = hops.filter { $0 != present?.hop }
      guard let other = others.randomElement() ?? hops.first else {
        throw Refusal(reason: tunnel.naming("its name leads to no address"))
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
        answer(result.map { Names(proxy: $0) }.mapError { Refusal(reason: tunnel.naming($0)) })
      }
    }
    return Resolver.Question(endpoint: host, asker: asker) { result in
      // Whose host turns out to be an exception needs no proxy.
      let hops = (try? Resolver.system(hop)) ?? []
      answer(result.map { Names(host: $0, proxy: hops) }.mapError { Refusal(reason: $0.description) })
    }
  }
}

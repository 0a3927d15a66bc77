internal import Domain
internal import Operations
internal import Reactor

/// The party on whose account shared resources are taken: threads, places in a queue, streams.
///
/// A caller is an API key, or a console account with all its sessions. An app's callers are one tenant: more keys of
/// the same app get no more. A caller that reaches all apps is a tenant of its own. An unauthenticated client counts by
/// its address, and all of these together are one tenant: made-up keys get what one tenant gets, however many there
/// are.
struct QuotaHolder: Hashable, Sendable {
  enum Member: Hashable, Sendable {
    case apiKey(Int32)
    case account(Int32)
    /// A server trusted by its address.
    case trusted(IPAddress?)
    case stranger(IPAddress?)
  }

  enum Tenant: Hashable, Sendable {
    case app(App.Number)
    case member(Member)
    case strangers
  }

  let member: Member
  let tenant: Tenant

  /// - Parameters:
  ///   - caller: nil if not authenticated yet.
  ///   - address: the client's, as far as the proxies in between are trusted; nil for a Unix socket.
  init(_ caller: Caller?, address: IPAddress?) {
    let network = address?.network
    guard let caller else {
      (member, tenant) = (.stranger(network), .strangers)
      return
    }
    member =
      if let key = caller.apiKey {
        .apiKey(key)
      } else if let account = caller.account {
        .account(account)
      } else {
        .trusted(network)
      }
    tenant = caller.app.map(Tenant.app) ?? .member(member)
  }
}

extension QuotaHolder.Member: CustomStringConvertible {
  /// As refusals name it.
  var description: String {
    switch self {
    case .apiKey: "this API key"
    case .account: "this account"
    case .trusted, .stranger: "this address"
    }
  }
}

internal import Domain
internal import Operations
internal import Reactor

/// The party whose quotas (of threads, places in a queue, and streams) a request uses: a caller (`member`) and its
/// tenant.
///
/// A caller is an API key, or a console account with all of its sessions. All callers of an app form one tenant, so
/// creating more keys gains nothing. A caller with access to all apps is a tenant of its own. An unauthenticated client
/// is identified by its address (IPv6: by its /64 network). All unauthenticated clients form one tenant, so that
/// clients with made-up keys never get more than one tenant's quota.
struct QuotaHolder: Hashable, Sendable {
  enum Member: Hashable, Sendable {
    case apiKey(Int32)
    case account(Int32)
    /// A server that is trusted because of its address.
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

  /// Creates the party of a request.
  /// - Parameters:
  ///   - caller: nil if the caller is not authenticated yet.
  ///   - address: the client's address; nil for a Unix socket. Not used if `caller` has an API key or account.
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

extension QuotaHolder.Member {
  /// The caller as named in refusals.
  var name: Sentence {
    switch self {
    case .apiKey: "this API key"
    case .account: "this account"
    case .trusted, .stranger: "this address"
    }
  }
}

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Where the server is: `https://push.example.com`, with a port and a path in front if need be.
public struct ServerAddress: Sendable, Hashable, Codable, CustomStringConvertible {
  /// Scheme, host, port and path, without a slash at its end.
  public let base: String

  /// Why a text is no address of a server.
  public struct Invalid: Error, CustomStringConvertible {
    /// What is wrong with it.
    public let description: String
  }

  /// - Parameter allowsPlainHTTP: `http` to other machines too: for a test system in a closed network. Pushkeys and keys of
  ///   devices travel in the clear then.
  public init(_ text: String, allowsPlainHTTP: Bool = false) throws(Invalid) {
    guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
      let scheme = parts.scheme?.lowercased(), scheme == "https" || scheme == "http"
    else { throw Invalid(description: "the server is https://host[:port][/path]") }
    guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil else {
      throw Invalid(description: "the server's address holds neither user, query nor fragment")
    }
    guard scheme == "https" || allowsPlainHTTP || Self.isThisMachine(host) else {
      throw Invalid(description: "the server must be https: http is for this machine alone")
    }
    var base = text
    while base.hasSuffix("/") { base.removeLast() }
    guard base.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw Invalid(description: "the server's address is ASCII without spaces")
    }
    self.base = base
  }

  /// The address as it was given, without a slash at its end.
  public var description: String { base }

  /// Whether an address from a payload lies on this server.
  func holds(_ url: String) -> Bool { url.hasPrefix(base + "/") }

  private static func isThisMachine(_ host: String) -> Bool {
    ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host.lowercased())
  }
}

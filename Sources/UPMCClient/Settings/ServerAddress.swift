#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The base URL of a server: `https://push.example.com`, optionally with a port and a path.
public struct ServerAddress: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The scheme, host, port and path, without a trailing slash.
  public let base: String

  /// The error thrown if a text is not a valid server address.
  public struct Invalid: Error, CustomStringConvertible {
    /// A sentence that says what is wrong with the text.
    public let description: String
  }

  /// Parses the address of a server, and removes trailing slashes.
  /// - Parameter allowsPlainHTTP: true to accept `http` to other machines, for test systems in closed networks. Keys of
  ///   devices are then sent unencrypted. If false, `http` is accepted only for this machine.
  /// - Throws: if the text is not an http or https URL in ASCII with a host, or contains a user, password, query or
  ///   fragment; and for `http` that is not accepted.
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

  /// The base URL, without a trailing slash.
  public var description: String { base }

  /// Returns true if a URL from a payload begins with this address and a slash.
  func holds(_ url: String) -> Bool { url.hasPrefix(base + "/") }

  private static func isThisMachine(_ host: String) -> Bool {
    ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host.lowercased())
  }
}

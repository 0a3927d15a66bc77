internal import Reactor

/// A parsed URL of the form `http://host[:port][/path][?query]`, or `https`. Nothing is resolved.
package struct HTTPURL: Hashable, Sendable {
  /// True if the scheme is `https`.
  package let isSecure: Bool
  /// The host name or numeric address; IPv6 without brackets.
  package let host: String
  package let port: UInt16
  /// The path and query without the fragment; at least `/`.
  package let target: String

  /// Parses a URL; nil if the text is not such a URL, contains user information, or contains characters that must be
  /// percent-encoded.
  package init?(_ text: String) {
    let lowercased = text.prefix(8).lowercased()
    guard lowercased.hasPrefix("http://") || lowercased == "https://" else { return nil }
    isSecure = lowercased == "https://"
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else { return nil }
    let rest = text.dropFirst(isSecure ? 8 : 7).prefix { $0 != "#" }
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let tail = rest[authority.endIndex...]
    target = tail.first == "/" ? String(tail) : "/" + tail
    guard !authority.contains("@"), let (host, port) = Self.split(authority) else { return nil }
    self.host = host
    switch port {
    case nil, "": self.port = isSecure ? 443 : 80
    case .some(let digits):
      guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt16(digits), number > 0 else {
        return nil
      }
      self.port = number
    }
  }

  private static func split(_ authority: Substring) -> (host: String, port: Substring?)? {
    if authority.first == "[" {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      let host = authority[authority.index(after: authority.startIndex)..<end]
      let rest = authority[authority.index(after: end)...]
      guard IPAddress(String(host)) != nil, host.contains(":"), rest.isEmpty || rest.first == ":" else { return nil }
      return (String(host), rest.isEmpty ? nil : rest.dropFirst())
    }
    let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let host = parts.first, !host.isEmpty, !host.contains("["), !host.contains("]") else { return nil }
    return (String(host), parts.count == 2 ? parts[1] : nil)
  }
}

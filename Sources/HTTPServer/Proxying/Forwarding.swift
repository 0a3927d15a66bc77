internal import Reactor

/// Finds the client behind proxies, each of which appends the address it was called from to a request header.
///
/// The header is trusted as far as its writers are: from the last entry backwards, while the entry was written by a
/// trusted proxy. The first untrusted address is the client's; the client may have invented everything before it.
/// Decision 097.
package enum Forwarding {
  /// Which header the proxies maintain. Only one is read: proxies pass the other on as the client sent it.
  package enum Header: String, Sendable, CaseIterable {
    case xForwardedFor = "x-forwarded-for"
    /// RFC 7239.
    case forwarded
  }

  /// - Parameters:
  ///   - peer: the address that opened the connection.
  ///   - lines: the values of all header lines of this name, in the order sent.
  ///   - isTrusted: whether an address is one of our proxies.
  static func client(
    of peer: IPAddress, _ header: Header, lines: [String], isTrusted: (IPAddress) -> Bool
  ) -> IPAddress {
    var client = peer
    guard isTrusted(peer) else { return client }
    for hop in lines.flatMap({ elements($0) }).reversed() {
      // Obfuscated or unknown: the last known proxy counts as the client.
      guard let address = address(header == .forwarded ? forParameter(hop) : hop) else { return client }
      client = address
      if !isTrusted(address) { return client }
    }
    return client
  }

  /// Splits at commas outside of quotes.
  private static func elements(_ line: String) -> [Substring] {
    split(line[...], at: ",")
  }

  private static func split(_ text: Substring, at separator: Character) -> [Substring] {
    var isQuoted = false
    return text.split(omittingEmptySubsequences: true) { character in
      if character == "\"" { isQuoted.toggle() }
      return character == separator && !isQuoted
    }
  }

  /// The value of `for=` in one element of Forwarded (RFC 7239 §5.2), without its quotes.
  private static func forParameter(_ element: Substring) -> Substring {
    for pair in split(element, at: ";") {
      let pair = trimmed(pair)
      guard pair.prefix(4).lowercased() == "for=" else { continue }
      let value = pair.dropFirst(4)
      return value.first == "\"" && value.last == "\"" && value.count >= 2 ? value.dropFirst().dropLast() : value
    }
    return ""
  }

  /// `192.0.2.7`, `192.0.2.7:4711`, `2001:db8::1` or `[2001:db8::1]:4711`.
  static func address(_ text: Substring) -> IPAddress? {
    let text = trimmed(text)
    if text.first == "[", let end = text.firstIndex(of: "]") {
      return IPAddress(text[text.index(after: text.startIndex)..<end])
    }
    if let whole = IPAddress(text) { return whole }
    guard let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") else { return nil }
    return IPAddress(text[..<colon])
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var rest = text
    while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return rest
  }
}

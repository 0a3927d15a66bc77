internal import Reactor

/// Determines the client's address behind proxies, each of which appends the address of its own peer to a request
/// header.
///
/// Reads the entries from last to first, as long as each was written by a trusted proxy. The first untrusted address
/// found in this order is the client's; all entries before it may be forged. Decision 097.
package enum Forwarding {
  /// The header that the proxies maintain. Only the configured header is read, because proxies pass the other one on as
  /// the client sent it.
  package enum Header: String, Sendable, CaseIterable {
    case xForwardedFor = "x-forwarded-for"
    /// The header `Forwarded` of RFC 7239.
    case forwarded
  }

  /// Returns the client's address: `peer` if that is not trusted or there are no entries, otherwise the last untrusted
  /// address in the entries. If all entries are trusted, returns the first one. A malformed entry ends the search: the
  /// result is the address that follows it in the list, or `peer` if it is the last.
  /// - Parameters:
  ///   - peer: the address that opened the connection.
  ///   - lines: values of all header lines with this name, in the order sent.
  ///   - isTrusted: returns whether an address belongs to a trusted proxy.
  static func client(
    of peer: IPAddress, _ header: Header, lines: [String], isTrusted: (IPAddress) -> Bool
  ) -> IPAddress {
    var client = peer
    guard isTrusted(peer) else { return client }
    for hop in lines.flatMap({ elements($0) }).reversed() {
      // If the entry is obfuscated or unknown, the last known address counts as the client's.
      guard let address = address(header == .forwarded ? forParameter(hop) : hop) else { return client }
      client = address
      if !isTrusted(address) { return client }
    }
    return client
  }

  /// Splits a header value at commas outside quotes. Empty parts are left out.
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

  /// Returns the value of the first `for=` in one element of Forwarded (RFC 7239 §5.2), without its quotes; empty if
  /// there is none.
  private static func forParameter(_ element: Substring) -> Substring {
    for pair in split(element, at: ";") {
      let pair = trimmed(pair)
      guard pair.prefix(4).lowercased() == "for=" else { continue }
      let value = pair.dropFirst(4)
      return value.first == "\"" && value.last == "\"" && value.count >= 2 ? value.dropFirst().dropLast() : value
    }
    return ""
  }

  /// Parses `192.0.2.7`, `192.0.2.7:4711`, `2001:db8::1` or `[2001:db8::1]:4711`. The port is not checked. Returns nil
  /// if the address is malformed.
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

internal import JSON

/// What ending a message requires from its stored request, readable even when the rest is not.
package struct RequestGist: Equatable, Sendable {
  /// It may have changed its users' badge counts.
  package private(set) var movesBadge = false

  package init(stored: [UInt8]) {
    var movesBadge = false
    var reader = JSONReader(stored, ignoresUnknownFields: true)
    // Whatever was read before an error in the text still counts.
    try? reader.readObject { (reader, key) throws(JSONError) in
      if key == "badge" { movesBadge = try reader.peek() != .null }
      try reader.skip()
    }
    self.movesBadge = movesBadge
  }
}

extension MessageRequest {
  /// Substitutes for a stored request that cannot be read, for a message that is not sent any more.
  package init?(ending stored: [UInt8]) {
    guard var request = try? MessageRequest(json: Array(#"{"appId":"-","audience":{"all":true},"alert":"-"}"#.utf8))
    else { return nil }
    if RequestGist(stored: stored).movesBadge { request.badge = .increment(1) }
    self = request
  }
}

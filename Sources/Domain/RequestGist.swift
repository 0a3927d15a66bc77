internal import JSON

/// What the end of a message needs to know of its stored request, also when the rest of it cannot be read.
package struct RequestGist: Equatable, Sendable {
  /// True when it may have moved the counts of its users.
  package private(set) var movesBadge = false

  package init(stored: [UInt8]) {
    var movesBadge = false
    var reader = JSONReader(stored, ignoresUnknownFields: true)
    // What was read before an error in the text still counts.
    try? reader.readObject { (reader, key) throws(JSONError) in
      if key == "badge" { movesBadge = try reader.peek() != .null }
      try reader.skip()
    }
    self.movesBadge = movesBadge
  }
}

extension MessageRequest {
  /// In place of a stored request that cannot be read, for a message of which nothing is sent any more.
  package init?(ending stored: [UInt8]) {
    guard var request = try? MessageRequest(json: Array(#"{"appId":"-","audience":{"all":true},"alert":"-"}"#.utf8))
    else { return nil }
    if RequestGist(stored: stored).movesBadge { request.badge = .increment(1) }
    self = request
  }
}

internal import JSON

/// The part of a stored request that is needed to end a message whose request this release cannot parse completely.
package struct PartialRequest: Equatable, Sendable {
  /// True if the message may have changed its users' badge counts, because it has a `badge`; false also if the request
  /// is damaged before that member.
  package private(set) var movesBadge = false

  package init(stored: [UInt8]) {
    var movesBadge = false
    var reader = JSONReader(stored, ignoresUnknownFields: true)
    // Keep what was read before an error in the text.
    try? reader.readObject { (reader, key) throws(JSONError) in
      if key == "badge" { movesBadge = try reader.peek() != .null }
      try reader.skip()
    }
    self.movesBadge = movesBadge
  }
}

extension MessageRequest {
  /// Creates a substitute for a stored request that cannot be parsed, for a message that is not sent any more. Takes
  /// nothing from the stored request except whether badge counts are changed (then as an increment of 1). Nil if the
  /// substitute itself cannot be parsed, which would be a defect of this release.
  package init?(ending stored: [UInt8]) {
    guard var request = try? MessageRequest(json: Array(#"{"appId":"-","audience":{"all":true},"alert":"-"}"#.utf8))
    else { return nil }
    if PartialRequest(stored: stored).movesBadge { request.badge = .increment(1) }
    self = request
  }
}

internal import JSON

/// The parts of a payload that the SDK needs to confirm it (`mps.seqno` and `mps.pushkey`), and those that decide
/// whether the SDK's code runs.
struct PushPayload: Equatable {
  let seqno: String
  let pushkey: String
  /// True if the push is visible to the user.
  let isShown: Bool
  /// True if an alert has `mutable-content`, so that iOS starts the app's extension.
  let startsExtension: Bool

  /// Recreates the payload of a push that was shown in an earlier run, from its outbox entry.
  init(seqno: String, pushkey: String) {
    (self.seqno, self.pushkey, isShown, startsExtension) = (seqno, pushkey, true, true)
  }

  /// Parses a payload. Returns nil if it is not JSON or has no seqno or pushkey.
  init?(_ json: [UInt8]) {
    var seqno: String?
    var pushkey: String?
    var (isShown, isMutable) = (false, false)
    var reader = JSONReader(json)
    do {
      try reader.readObject { (reader, name) throws(JSONError) in
        if name == "aps" {
          return try reader.readObject { (reader, name) throws(JSONError) in
            switch name {
            case "alert":
              isShown = true
              try reader.skip()
            case "mutable-content": isMutable = try reader.readInteger() == 1
            default: try reader.skip()
            }
          }
        }
        guard name == "mps" else { return try reader.skip() }
        try reader.readObject { (reader, name) throws(JSONError) in
          switch name {
          case "seqno": seqno = try reader.readString()
          case "pushkey": pushkey = try reader.readString()
          default: try reader.skip()
          }
        }
      }
      try reader.finish()
    } catch {
      return nil
    }
    guard let seqno, let pushkey else { return nil }
    self.seqno = seqno
    self.pushkey = pushkey
    self.isShown = isShown
    startsExtension = isShown && isMutable
  }
}

internal import JSON

/// The part of a payload that an SDK needs to confirm it: `mps.seqno` and `mps.pushkey`.
struct PushPayload: Equatable {
  let seqno: String
  let pushkey: String

  /// Nil when the payload is not JSON or carries no pushkey.
  init?(_ json: [UInt8]) {
    var seqno: String?
    var pushkey: String?
    var reader = JSONReader(json)
    do {
      try reader.readObject { (reader, name) throws(JSONError) in
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
  }
}

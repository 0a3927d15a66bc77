/// The part of a payload that an SDK needs to confirm it: `mps.seqno` and `mps.pushkey`.
struct PushPayload: Equatable {
  let seqno: String
  let pushkey: String

  /// Nil when the payload is not JSON or carries no pushkey.
  init?(_ json: [UInt8]) {
    let text = json.span
    var mps: JSONText.Value?
    guard
      JSONText.members(of: text, { key, value in if ASCII.equal(text.extracting(key), "mps") { mps = value } }),
      let mps, mps.kind == .object
    else { return nil }
    var seqno: String?
    var pushkey: String?
    _ = JSONText.members(of: text, in: mps.range) { key, value in
      guard let inner = JSONText.plainString(text, value) else { return }
      if ASCII.equal(text.extracting(key), "seqno") { seqno = ASCII.string(text.extracting(inner)) }
      if ASCII.equal(text.extracting(key), "pushkey") { pushkey = ASCII.string(text.extracting(inner)) }
    }
    guard let seqno, let pushkey else { return nil }
    self.seqno = seqno
    self.pushkey = pushkey
  }
}

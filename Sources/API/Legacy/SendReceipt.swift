internal import Domain
internal import JSON
internal import Operations

/// What a send answers: its number, how many devices it is for, and who is not registered.
struct SendReceipt {
  private let accepted: SendAnswer.Accepted
  private let send: SendForm

  init(_ accepted: SendAnswer.Accepted, _ send: SendForm) {
    self.accepted = accepted
    self.send = send
  }

  /// The message has a number also when it is for nobody. A reserved one may still find somebody when it is due.
  var answer: LegacyAnswer {
    var answer = LegacyAnswer { writer in writer.object(self.write) }
    if accepted.targeted == 0, accepted.dueAt == nil {
      answer.code = .targetNotRegistered
      answer.text = "Nobody whom the message is for is registered."
    }
    return answer
  }

  private func write(to writer: inout JSONWriter) {
    writer.member(accepted.dueAt == nil ? "SENDMSG_SEQNO" : "RESERVE_SEQNO", String(accepted.seqno))
    // Null where there are too many to count before an answer.
    writer.member("REG_SUCCESS_CNT", accepted.targeted)
    writer.member("REG_FAIL_CNT", send.audience.unknownUsers ?? Self.count(accepted.unknown))
    if !send.audience.wantsTotalsOnly { writer.member("NOTEXISTCUIDS", raw: accepted.unknown) }
    for network in PushNetwork.allCases where !accepted.networks.isEmpty || accepted.targeted == 0 {
      writer.member(network.pnsID, accepted.networks[network] ?? 0)
    }
    Self.write(send.reference, to: &writer)
  }

  /// The sender's own names and values, as it gave them.
  static func write(_ reference: SenderReference, to writer: inout JSONWriter) {
    if let key = reference.key { writer.member("CUST_KEY", key) }
    for (index, value) in reference.values.enumerated() { writer.member("CUST_VAR\(index + 1)", value) }
  }

  /// Entries of a JSON array that we wrote.
  private static func count(_ array: [UInt8]) -> Int {
    var reader = JSONReader(array)
    var entries = 0
    try? reader.readArray { (reader, _) throws(JSONError) in
      try reader.skip()
      entries += 1
    }
    return entries
  }
}

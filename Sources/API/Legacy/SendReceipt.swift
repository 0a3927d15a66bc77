internal import Domain
internal import JSON
internal import Operations

/// The answer to a send: the message's number, its number of devices (in total and by push network), how many and which
/// of the named users are not registered, and the sender's own reference.
struct SendReceipt {
  private let accepted: SendAnswer.Accepted
  private let send: SendForm

  init(_ accepted: SendAnswer.Accepted, _ send: SendForm) {
    self.accepted = accepted
    self.send = send
  }

  /// The answer in this protocol. Its code is 4400 if the message targets no device, unless it is reserved: a reserved
  /// message may find devices when it is due. The message has a number in each case.
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
    // Null if there are too many devices to count before answering.
    writer.member("REG_SUCCESS_CNT", accepted.targeted)
    writer.member("REG_FAIL_CNT", send.audience.unknownUsers ?? Self.count(accepted.unknown))
    if !send.audience.wantsTotalsOnly { writer.member("NOTEXISTCUIDS", raw: accepted.unknown) }
    for network in PushNetwork.allCases where !accepted.networks.isEmpty || accepted.targeted == 0 {
      writer.member(network.pnsID, accepted.networks[network] ?? 0)
    }
    Self.write(send.reference, to: &writer)
  }

  /// Writes the sender's own reference key and values, as the send gave them: CUST_KEY, and CUST_VAR1 to 3. Omits
  /// absent ones.
  static func write(_ reference: SenderReference, to writer: inout JSONWriter) {
    if let key = reference.key { writer.member("CUST_KEY", key) }
    for (index, value) in reference.values.enumerated() { writer.member("CUST_VAR\(index + 1)", value) }
  }

  /// Returns the number of elements in a JSON array. The array must be valid, as those that this server writes are.
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

internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// `POST /v1/receipts` and `POST /v1/reads`: no credential but the pushkey of each message, because a Notification
/// Service Extension has little more than the payload.
extension DeviceDoor {
  func receive(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    try confirm(request, responder, list: "receipts", isRead: false)
  }

  func read(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    try confirm(request, responder, list: "reads", isRead: true)
  }

  private func confirm(_ request: Request, _ responder: Responder, list: String, isRead: Bool) throws(Problem) {
    var reader = try Self.reader(request)
    var confirmations: [Operation.Confirmation] = []
    do {
      try reader.readObject { (reader, key) throws(JSONError) in
        guard key == list else { throw .unknownField }
        try reader.readArray { (reader, index) throws(JSONError) in
          guard index < Domain.Limits.confirmationsPerCall else {
            throw JSONError("is one more than the \(Domain.Limits.confirmationsPerCall) that a call may confirm")
          }
          confirmations.append(try readConfirmation(&reader, isRead: isRead))
        }
      }
      try reader.finish()
    } catch {
      throw Problem(confirming: error)
    }
    guard !confirmations.isEmpty else { throw Problem(at: "/\(list)", "must have at least one entry") }
    perform(.confirm(confirmations), request, responder) { answer, responder in
      guard case .confirmed(let results) = answer else { return }
      responder.send { writer in
        writer.member(
          "results",
          array: { writer in
            for result in results { Self.write(result, to: &writer) }
          })
      }
    }
  }

  private static func write(_ result: OperationAnswer.Confirmed, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("seqno", String(result.seqno))
      writer.member("status", result.status.rawValue)
      if let badge = result.badge { writer.member("badge", badge) }
    }
  }

  private func readConfirmation(
    _ reader: inout JSONReader, isRead: Bool
  ) throws(JSONError) -> Operation.Confirmation {
    var seqno: Int64?
    var psid: String?
    var pushkey: String?
    var option: String?
    var badge: Int16?
    var at: Int64?
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "seqno": seqno = try reader.readSeqno()
      case "psid": psid = try reader.readText(upTo: Domain.Limits.psidBytes)
      case "pushkey": pushkey = try reader.readString()
      case "at": at = try reader.readMoment()
      case "badgeOption" where isRead: option = try reader.readString()
      case "badge" where isRead: badge = try reader.readBadge()
      default: throw .unknownField
      }
    }
    guard let seqno else { throw JSONError("is needed").inside("seqno") }
    guard let psid else { throw JSONError("is needed").inside("psid") }
    guard let pushkey else { throw JSONError("is needed").inside("pushkey") }
    let token = PushNetwork.apns.normalize(psid: psid) ?? psid
    return Operation.Confirmation(
      seqno: seqno, psid: token, read: isRead ? try Self.badgeOption(option, badge) : nil,
      isGenuine: keys.pushkeys.isValid(pushkey, seqno: String(seqno), psid: token), at: at)
  }

  /// `update` and `force` need a badge, the others take none.
  private static func badgeOption(_ name: String?, _ badge: Int16?) throws(JSONError) -> BadgeOption {
    switch (name, badge) {
    case (nil, nil), ("keep", nil): return .keep
    case ("reset", nil): return .reset
    case ("update", let badge?): return .update(badge)
    case ("force", let badge?): return .force(badge)
    case ("update", nil), ("force", nil): throw JSONError(Problem.badgeRange).inside("badge")
    case (nil, _?), ("keep", _?), ("reset", _?): throw JSONError("is only for update and force").inside("badge")
    default: throw JSONError("must be keep, reset, update or force").inside("badgeOption")
    }
  }
}

extension Problem {
  /// A badge out of range has a code of its own: it is what clients get wrong most.
  init(confirming error: JSONError) {
    if error.reason == Problem.badgeRange {
      self.init(.badgeOutOfRange, at: error.pointer, error.reason)
    } else {
      self.init(error)
    }
  }
}

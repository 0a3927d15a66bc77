internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Reactor
internal import Time

/// Endpoints for receipts and reads.
extension Endpoint {
  static let confirmations: [Endpoint] = [
    Endpoint(
      .post, "/v1/receipts", id: "confirmReceipts", in: .confirmations, "Confirm that messages arrived",
      """
      One or up to 100, in any order, as often as you like: the app and its Notification Service Extension may both do it. \
      Each entry has its own result; a wrong pushkey does not hold up the others. An entry that is malformed refuses the \
      whole call, and `errors` points to it: leave it out, and send the others again. One that comes when the history of \
      its message is not kept any more is answered `unknown-message`: do not send it again.
      """, by: .open,
      body: Body(
        schema: "Receipts",
        examples: [
          (
            "one",
            """
            {"receipts":[{"seqno":"104","psid":"00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0",\
            "pushkey":"2a4dc34b21e6f075f9de2d1403bea7ff8144f810","at":"2026-11-21T09:30:00Z"}]}
            """
          )
        ], bytes: Operations.Limits.confirmationBytes),
      answers: [
        Answer(
          200, "What became of each, in order.", "ReceiptResults",
          example: #"{"results":[{"seqno":"104","status":"recorded"}]}"#)
      ], handler: .device(DeviceHandler.receive)),
    Endpoint(
      .post, "/v1/reads", id: "confirmReads", in: .confirmations, "Confirm that messages were read",
      """
      A read implies its receipt, and moves the badge count in the same commit: `keep` (the default) takes one off, \
      `reset` makes it 0, `update` and `force` set it to `badge`. All but `force` act once per user and message.
      """, by: .open,
      body: Body(
        schema: "Reads",
        examples: [
          (
            "keep",
            """
            {"reads":[{"seqno":"104","psid":"00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0",\
            "pushkey":"2a4dc34b21e6f075f9de2d1403bea7ff8144f810"}]}
            """
          ),
          (
            "update",
            """
            {"reads":[{"seqno":"104","psid":"00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0",\
            "pushkey":"2a4dc34b21e6f075f9de2d1403bea7ff8144f810","badgeOption":"update","badge":5}]}
            """
          ),
        ], bytes: Operations.Limits.confirmationBytes),
      answers: [
        Answer(
          200, "What became of each, in order.", "ReadResults",
          example: #"{"results":[{"seqno":"104","status":"recorded","badge":2}]}"#)
      ], problems: [.badgeOutOfRange], handler: .device(DeviceHandler.read)),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order. Unlike
  /// most schemas, these are not derived from a `JSONObject`: the two calls have a parser of their own, because they
  /// are the most frequent ones.
  static let confirmationSchemas: [JSONTree.Member] = [
    ("Receipts", confirmationList("receipts", of: "Receipt")),
    ("Reads", confirmationList("reads", of: "Read")),
    ("Receipt", JSONSchema.object(isClosed: true, confirmation)),
    (
      "Read",
      JSONSchema.oneOf([JSONSchema.reference("PlainRead"), JSONSchema.reference("SettingRead")])
    ),
    (
      "PlainRead",
      JSONSchema.object(
        "Takes one off the badge count, or makes it 0.", isClosed: true,
        confirmation + [
          .optional("badgeOption", JSONSchema.words(["keep", "reset"]), "`keep` by default.")
        ])
    ),
    (
      "SettingRead",
      JSONSchema.object(
        "Sets the badge count.", isClosed: true,
        confirmation + [
          .required(
            "badgeOption", JSONSchema.words(["update", "force"]),
            "`update` acts once per user and message, `force` each time."),
          .required("badge", JSONSchema.badge, "The new count."),
        ])
    ),
    ("ReceiptResults", confirmationResults([])),
    (
      "ReadResults",
      confirmationResults([
        .optional("badge", JSONSchema.badgeCount, "The user's new count, when the message is known.")
      ])
    ),
  ]

  private static func confirmationList(_ name: String, of element: String) -> JSONTree {
    JSONSchema.object(
      isClosed: true,
      [.required(name, JSONSchema.list(of: JSONSchema.reference(element), 1...Domain.Limits.confirmationsPerCall))])
  }

  private static let confirmation: [JSONSchema.Property] = [
    .required("seqno", JSONSchema.sequence, "SEQNO, from the payload."),
    .required("psid", JSONSchema.text(upTo: Domain.Limits.psidBytes), "PSID that the message was sent to."),
    .required("pushkey", JSONSchema.givenText, "From the payload: proves that the message was sent to this PSID."),
    .optional(
      "at", JSONSchema.moment,
      "When it happened, by the device's clock: kept, but no earlier than the send and no later than now."),
  ]

  private static func confirmationResults(_ more: [JSONSchema.Property]) -> JSONTree {
    let result = JSONSchema.object(
      [
        .required("seqno", JSONSchema.sequence),
        .required("status", JSONSchema.words(["recorded", "invalid-pushkey", "unknown-message"])),
      ] + more)
    return JSONSchema.object([.required("results", JSONSchema.list(of: result), "One for each entry, in order.")])
  }
}

/// Stores receipts and reads. They need no credential except each message's pushkey, because a Notification Service
/// Extension knows little more than the payload. A wrong pushkey fails its own entry only, not the call.
extension DeviceHandler {
  func receive(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    if request.isPlainJSON {
      var receipts: [Operation.Confirmation]?
      request.readBody { receipts = plainReceipts($0) }
      if let receipts { return confirm(receipts, request, responder) }
    }
    confirm(try confirmations(request, list: "receipts", isRead: false), request, responder)
  }

  func read(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    confirm(try confirmations(request, list: "reads", isRead: true), request, responder)
  }

  private func confirm(_ confirmations: [Operation.Confirmation], _ request: Request, _ responder: Responder) {
    // To save time, this uses one closure instead of `perform`, and does not look up the language of a rare refusal.
    let number = request.number
    committer.submit(.confirm(confirmations), trace: responder.span) { outcome in
      switch outcome {
      case .success(.confirmed(let results)):
        responder.send(status: .ok, contentType: "application/json") { Self.write(results, to: &$0) }
      case .success: break
      case .failure(let problem): responder.send(problem, requestID: Request.id(of: number), in: .english)
      }
    }
  }

  /// Returns the receipts of a body in the form of `PlainReceipts`; nil for any other body, which `JSONReader` must
  /// parse or refuse.
  private func plainReceipts(_ body: Span<UInt8>) -> [Operation.Confirmation]? {
    PlainReceipts.read(body) { confirmation($0, body) }
  }

  /// Returns the confirmation of a receipt, marked as not genuine if its pushkey is wrong. Nil if another value is
  /// invalid, or if the token contains capital hexadecimal digits and so may have to be normalized; `JSONReader` must
  /// parse the body then.
  private func confirmation(_ entry: PlainReceipts.Entry, _ body: Span<UInt8>) -> Operation.Confirmation? {
    let psid = body.extracting(entry.psid)
    guard let seqno = SequenceNumber.parse(body.extracting(entry.seqno)).map(Seqno.init), !psid.isEmpty,
      psid.count <= Domain.Limits.psidBytes, !psid.hasCapitalHexDigit
    else { return nil }
    var at: Timestamp?
    if let range = entry.at {
      at = Timestamp(String(copying: body.extracting(range)))
      if at == nil { return nil }
    }
    let proof = keys.pushkeys.proof(body.extracting(entry.pushkey), seqno: body.extracting(entry.seqno), psid: psid)
    let place = proof?.coordinates
    // The token is needed only if the pushkey does not locate the delivery, or an SMS fallback waits for the receipt.
    let token = Operation.Confirmation.isLocated(place) ? "" : String(copying: psid)
    return Operation.Confirmation(
      seqno: seqno, psid: token, read: nil, isGenuine: proof != nil, place: place, at: at)
  }

  private func confirmations(
    _ request: Request, list: String, isRead: Bool
  ) throws(Problem) -> [Operation.Confirmation] {
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
    return confirmations
  }

  /// Writes the answer as JSON directly into the server's buffer, because these answers are the most frequent ones.
  /// Nothing in them needs escaping.
  private static func write(_ results: [OperationAnswer.Confirmed], to body: inout ByteBuffer) {
    body.append(#"{"results":["# as StaticString)
    for (index, result) in results.enumerated() {
      if index > 0 { body.append(UInt8(ascii: ",")) }
      body.append(#"{"seqno":""# as StaticString)
      body.append(decimal: Int(result.seqno.number))
      body.append(#"","status":""# as StaticString)
      body.append(result.status.rawValue)
      body.append(UInt8(ascii: "\""))
      if let badge = result.badge {
        body.append(#","badge":"# as StaticString)
        body.append(decimal: Int(badge))
      }
      body.append(UInt8(ascii: "}"))
    }
    body.append("]}" as StaticString)
  }

  private func readConfirmation(
    _ reader: inout JSONReader, isRead: Bool
  ) throws(JSONError) -> Operation.Confirmation {
    var seqno: Seqno?
    var psid: String?
    var pushkey: String?
    var option: String?
    var badge: Int16?
    var at: Timestamp?
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
    let proof = keys.pushkeys.proof(pushkey, seqno: String(seqno), psid: token)
    return Operation.Confirmation(
      seqno: seqno, psid: token, read: isRead ? try Self.badgeOption(option, badge) : nil, isGenuine: proof != nil,
      place: proof?.coordinates, at: at)
  }

  /// Returns the badge option of a read; `keep` if it has none. Throws if the name is unknown, if `update` or `force`
  /// lacks a badge, or if another option has one.
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
  /// Creates the problem for a malformed confirmation or badge change. If the only error is a badge out of range, the
  /// code is `.badgeOutOfRange`, because this is the most frequent mistake of clients.
  init(confirming error: JSONError) {
    if error.sentence == Problem.badgeRange, error.further.isEmpty {
      self.init(.badgeOutOfRange, at: error.pointer, error.sentence)
    } else {
      self.init(error)
    }
  }
}

/// Parses receipts without copying them, if they are in exactly the form in which the client libraries write them:
///
/// ```
/// {"receipts":[{"seqno":"104","psid":"00fc13ad…","pushkey":"2a4dc34b…","at":"2026-11-21T09:30:00Z"},…]}
/// ```
/// Bodies with white space, escapes, another order or errors are left to `JSONReader`, which parses or refuses them.
/// For a body that both accept, the receipts have the same effect either way.
struct PlainReceipts {
  /// The byte ranges of a receipt's values in the body, without their quotation marks; `at` is nil if absent.
  struct Entry {
    let seqno: Range<Int>
    let psid: Range<Int>
    let pushkey: Range<Int>
    let at: Range<Int>?
  }

  private var position = 0

  /// Returns the receipts of a body, at least one. Nil if `JSONReader` must parse the body: it is in another form, has
  /// more than `Domain.Limits.confirmationsPerCall` receipts, or `confirmation` has returned nil for one of them.
  /// - Parameter confirmation: checks the values of a receipt and creates its confirmation.
  static func read(
    _ body: Span<UInt8>, _ confirmation: (Entry) -> Operation.Confirmation?
  ) -> [Operation.Confirmation]? {
    var reader = PlainReceipts()
    guard reader.take(#"{"receipts":["#, body) else { return nil }
    var confirmations: [Operation.Confirmation] = []
    repeat {
      guard confirmations.count < Domain.Limits.confirmationsPerCall, let entry = reader.readEntry(body),
        let confirmation = confirmation(entry)
      else { return nil }
      // Nearly all bodies have one receipt; appending to an empty array would allocate room for more.
      if confirmations.isEmpty { confirmations = [confirmation] } else { confirmations.append(confirmation) }
    } while reader.take(",", body)
    return reader.take("]}", body) && reader.position == body.count ? confirmations : nil
  }

  private mutating func readEntry(_ body: Span<UInt8>) -> Entry? {
    guard take(#"{"seqno":"#, body), let seqno = readText(body), take(#","psid":"#, body), let psid = readText(body),
      take(#","pushkey":"#, body), let pushkey = readText(body)
    else { return nil }
    var at: Range<Int>?
    if take(#","at":"#, body) {
      at = readText(body)
      if at == nil { return nil }
    }
    return take("}", body) ? Entry(seqno: seqno, psid: psid, pushkey: pushkey, at: at) : nil
  }

  /// Reads a JSON string of plain ASCII without escapes, moves behind it, and returns its range without the quotation
  /// marks. Nil if there is anything else at the current position.
  private mutating func readText(_ body: Span<UInt8>) -> Range<Int>? {
    guard take("\"", body) else { return nil }
    let start = position
    let end = body.endOfPlainText(from: start)
    guard end < body.count, body[end] == UInt8(ascii: "\"") else { return nil }
    position = end + 1
    return start..<end
  }

  @inline(__always)
  private mutating func take(_ text: StaticString, _ body: Span<UInt8>) -> Bool {
    guard body.hasText(text, at: position) else { return false }
    position += text.utf8CodeUnitCount
    return true
  }
}

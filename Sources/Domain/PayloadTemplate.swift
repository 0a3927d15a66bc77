internal import JSON

/// A message's payload with holes for what differs between recipients. Made once per message; filled by copying bytes,
/// because writing JSON a million times over would cost more than sending it.
///
/// The holes: `%CUID%` and `%CNAME%` wherever a text was written, the badge count, and the pushkey.
package struct PayloadTemplate: Sendable {
  enum Piece: Equatable, Sendable {
    case bytes([UInt8])
    case clientUID
    case clientName
    case badge
    case pushkey
  }

  /// What one recipient puts into the holes.
  package struct Recipient: Sendable {
    package let clientUID: String
    package let clientName: String
    package let badge: Int16
    package let psid: String

    package init(clientUID: String, clientName: String, badge: Int16, psid: String) {
      self.clientUID = clientUID
      self.clientName = clientName
      self.badge = badge
      self.psid = psid
    }
  }

  private let seqno: String
  private let pieces: [Piece]
  /// True when `%CNAME%` occurs, so that names must be read.
  package var needsClientName: Bool { pieces.contains(.clientName) }

  /// - Parameters:
  ///   - seqno: the message's number.
  ///   - sendDate: `yyyyMMddHH` in the app's time zone.
  package init(_ request: MessageRequest, seqno: Int64, sendDate: String) {
    self.seqno = String(seqno)
    pieces = Self.split(Self.write(request, seqno: self.seqno, sendDate: sendDate))
  }

  private init(seqno: String, pieces: [Piece]) {
    self.seqno = seqno
    self.pieces = pieces
  }

  /// Nothing but the count: `{"aps":{"badge":n}}`.
  package static let badgeOnly: PayloadTemplate = {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("aps", object: { $0.member("badge", raw: [badgeMark]) })
    }
    return PayloadTemplate(seqno: "", pieces: split(writer.bytes))
  }()

  /// Appends the payload for one recipient.
  package func append(for recipient: Recipient, keys: PushKeyring, to bytes: inout [UInt8]) {
    for piece in pieces {
      switch piece {
      case .bytes(let run): bytes.append(contentsOf: run)
      case .clientUID: JSONWriter.escape(recipient.clientUID.utf8, into: &bytes)
      case .clientName: JSONWriter.escape(recipient.clientName.utf8, into: &bytes)
      case .badge: bytes.append(contentsOf: String(recipient.badge).utf8)
      case .pushkey: keys.append(seqno: seqno, psid: recipient.psid, to: &bytes)
      }
    }
  }

  /// Bytes that no recipient exceeds: every hole filled with the longest value allowed.
  package func largestBytes(clientUIDBytes: Int, clientNameBytes: Int) -> Int {
    pieces.reduce(0) { sum, piece in
      switch piece {
      case .bytes(let run): sum + run.count
      case .clientUID: sum + clientUIDBytes
      case .clientName: sum + clientNameBytes
      case .badge: sum + 4
      case .pushkey: sum + 40
      }
    }
  }

  // MARK: Making

  // Holes are written as marks that no text of a user can contain: JSON strings escape control characters.
  private static let badgeMark: UInt8 = 0x01
  private static let pushkeyMark: UInt8 = 0x02

  private static func write(_ request: MessageRequest, seqno: String, sendDate: String) -> [UInt8] {
    var writer = JSONWriter(capacity: 1024)
    writer.object { writer in
      writer.member("aps", object: { writer in writeAPS(request, &writer) })
      writer.member("mps", object: { writer in writeMPS(request, seqno, sendDate, &writer) })
      for member in request.data { writer.member(member.name, raw: member.json) }
    }
    return writer.bytes
  }

  private static func writeAPS(_ request: MessageRequest, _ writer: inout JSONWriter) {
    switch request.alert {
    case .text(let text): writer.member("alert", text)
    case .titled(let title, let body):
      writer.member(
        "alert",
        object: { writer in
          if let title { writer.member("title", title) }
          writer.member("body", body)
        })
    case nil: break
    }
    if request.mutableContent { writer.member("mutable-content", 1) }
    if request.contentAvailable { writer.member("content-available", 1) }
    switch request.badge {
    case .none: break
    case .increment: writer.member("badge", raw: [badgeMark])
    case .set(let value): writer.member("badge", value)
    case .clear: writer.member("badge", 0)
    }
    // A push without an alert stays silent: a sound alone would be heard and not explained.
    if case .named(let sound) = request.sound, request.alert != nil { writer.member("sound", sound) }
    if let category = request.category { writer.member("category", category) }
  }

  private static func writeMPS(
    _ request: MessageRequest, _ seqno: String, _ sendDate: String, _ writer: inout JSONWriter
  ) {
    writer.member("appid", request.appID)
    writer.member("seqno", seqno)
    writer.member("sender", request.sender)
    writer.member("senddate", sendDate)
    writer.member("db_in", request.dbIn ? "Y" : "N")
    if request.sms { writer.member("sms", "Y") }
    if let ext = request.ext { writer.member("ext", ext) }
    writer.member("pushkey", raw: [UInt8(ascii: "\""), pushkeyMark, UInt8(ascii: "\"")])
  }

  /// Cuts the text at its holes.
  private static func split(_ text: [UInt8]) -> [Piece] {
    var pieces: [Piece] = []
    var run: [UInt8] = []
    func cut(_ hole: Piece) {
      if !run.isEmpty { pieces.append(.bytes(run)) }
      run.removeAll()
      pieces.append(hole)
    }
    var index = 0
    while index < text.count {
      let rest = text[index...]
      if text[index] == badgeMark {
        cut(.badge)
        index += 1
      } else if text[index] == pushkeyMark {
        cut(.pushkey)
        index += 1
      } else if rest.starts(with: "%CUID%".utf8) {
        cut(.clientUID)
        index += 6
      } else if rest.starts(with: "%CNAME%".utf8) {
        cut(.clientName)
        index += 7
      } else {
        run.append(text[index])
        index += 1
      }
    }
    if !run.isEmpty { pieces.append(.bytes(run)) }
    return pieces
  }
}

internal import JSON

/// Writes a message's payload as JSON, with marks for the badge count and the pushkey, which differ between recipients.
/// Variables in texts stay as they are. `PayloadSplitter` finds both.
///
/// The marks are control characters, which cannot occur in the JSON otherwise, because strings escape them.
enum PayloadWriter {
  static let badgeMark: UInt8 = 0x01
  static let pushkeyMark: UInt8 = 0x02

  static func write(_ request: MessageRequest, alert: Alert?, seqno: String, sendDate: String) -> [UInt8] {
    let content = request.content
    var writer = JSONWriter(capacity: 1024)
    writer.object { writer in
      if content.pushType.carriesAPS {
        writer.member("aps", object: { writer in writeAPS(request, alert, &writer) })
      }
      if content.pushType.carriesMPS {
        writer.member("mps", object: { writer in writeMPS(request, seqno, sendDate, &writer) })
      }
      if let mdm = content.mdm { writer.member("mdm", mdm) }
      if case .url(let url)? = content.media { writer.member(ContentRules.mediaKey, url) }
      for member in content.data { writer.member(member.name, raw: member.json) }
    }
    return writer.bytes
  }

  private static func writeAPS(_ request: MessageRequest, _ alert: Alert?, _ writer: inout JSONWriter) {
    let content = request.content
    switch content.pushType {
    case .controls, .widgets: writer.member("content-changed", true)
    case .liveactivity: writeActivity(content, alert, &writer)
    case .alert, .background, .voip, .complication, .fileprovider, .mdm, .location, .pushtotalk:
      alert?.write(to: &writer)
      if content.startsExtension { writer.member("mutable-content", 1) }
      if content.contentAvailable { writer.member("content-available", 1) }
      switch request.badge {
      case .none: break
      case .increment: writer.member("badge", raw: [badgeMark])
      case .set(let value): writer.member("badge", value)
      case .clear: writer.member("badge", 0)
      }
      // A push without an alert has no sound, which would be unexplained without text.
      if alert != nil, content.pushType == .alert { (content.sound ?? .named("default")).write(to: &writer) }
      writeGrouping(content, &writer)
    }
  }

  private static func writeGrouping(_ content: MessageContent, _ writer: inout JSONWriter) {
    if let category = content.category { writer.member("category", category) }
    if let thread = content.threadID { writer.member("thread-id", thread) }
    if let target = content.targetContentID { writer.member("target-content-id", target) }
    if let level = content.interruptionLevel { writer.member("interruption-level", level.rawValue) }
    if let score = content.relevanceScore { writer.member("relevance-score", raw: score.text) }
    if let criteria = content.filterCriteria { writer.member("filter-criteria", criteria) }
  }

  private static func writeActivity(_ content: MessageContent, _ alert: Alert?, _ writer: inout JSONWriter) {
    content.liveActivity?.write(to: &writer)
    if let score = content.relevanceScore { writer.member("relevance-score", raw: score.text) }
    alert?.writeForActivity(to: &writer, sound: content.sound)
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
    if let ext = request.content.ext { writer.member("ext", ext) }
    writer.member("pushkey", raw: [UInt8(ascii: "\""), pushkeyMark, UInt8(ascii: "\"")])
  }
}

/// Splits a written payload at its marks and variables. Variables with the same value for all recipients are replaced.
struct PayloadSplitter {
  /// Values of `%VAR1%` … by number that are the same for all recipients.
  let constants: [Int: String]
  /// Values of `%VAR1%` … by number for recipients without one of their own.
  let otherwise: [Int: String]
  var fillsVariables = true

  func split(_ text: [UInt8]) -> [PayloadTemplate.Piece] {
    var pieces: [PayloadTemplate.Piece] = []
    var run: [UInt8] = []
    // What stands before it is in the run, or in the pieces.
    var copied = 0
    var index = 0
    while index < text.count {
      guard let (piece, length) = piece(at: index, of: text) else {
        index += 1
        continue
      }
      run += text[copied..<index]
      index += length
      copied = index
      if case .bytes(let constant) = piece {
        run += constant
      } else {
        if !run.isEmpty { pieces.append(.bytes(run)) }
        run = []
        pieces.append(piece)
      }
    }
    run += text[copied...]
    if !run.isEmpty { pieces.append(.bytes(run)) }
    return pieces
  }

  /// Returns what replaces the mark or variable at an index, and its length in the text; nil if there is none.
  private func piece(at index: Int, of text: [UInt8]) -> (PayloadTemplate.Piece, length: Int)? {
    switch text[index] {
    case PayloadWriter.badgeMark: return (.badge, 1)
    case PayloadWriter.pushkeyMark: return (.pushkey, 1)
    case UInt8(ascii: "%") where fillsVariables:
      guard let (variable, length) = Variable.at(index, of: text) else { return nil }
      switch variable {
      case .clientUID: return (.clientUID, length)
      case .clientName: return (.clientName, length)
      case .number(let number):
        if let constant = constants[number] { return (.bytes(Self.escaped(constant)), length) }
        return (.variable(number - 1, otherwise: Self.escaped(otherwise[number] ?? "")), length)
      }
    default: return nil
    }
  }

  private static func escaped(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    JSONWriter.escape(text, into: &bytes)
    return bytes
  }
}

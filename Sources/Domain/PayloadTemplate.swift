internal import JSON

/// A message's payload with placeholders for values that differ between recipients. Created once per message and filled
/// by copying bytes, because encoding the JSON a million times would take longer than sending it.
///
/// The placeholders are variables in texts, the badge count and the pushkey. A message in several languages has a
/// sequence of pieces for each; the recipient's language selects one.
package struct PayloadTemplate: Sendable {
  enum Piece: Equatable, Sendable {
    case bytes([UInt8])
    case clientUID
    case clientName
    /// A variable by index, 0 for `%VAR1%`; `otherwise` is the JSON-escaped text for a recipient without a value, which
    /// may be empty.
    case variable(Int, otherwise: [UInt8])
    case badge
    case pushkey
  }

  /// The values of one recipient.
  package struct Recipient: Sendable {
    package let userKey: UserKey
    /// The user's name; may be empty if the template does not need it (`needsClientName`).
    package let clientName: String
    /// The user's badge count; ignored if the payload has no badge, or the same one for all recipients.
    package let badge: Int16
    package let psid: String
    /// Index of the recipient's text in the message's `LanguageTable`.
    package let language: Int
    /// Values of `%VAR1%` … from a file. For an empty or missing one, the message's own value is used, or nothing if it
    /// has none.
    package let variables: [String]
    /// Block and position of the delivery; nil if it is in no block, so that its receipt is found by the token.
    package let place: DeliveryCoordinates?

    package init(
      userKey: UserKey, clientName: String, badge: Int16, psid: String, language: Int = 0, variables: [String] = [],
      place: DeliveryCoordinates? = nil
    ) {
      self.userKey = userKey
      self.clientName = clientName
      self.badge = badge
      self.psid = psid
      self.language = language
      self.variables = variables
      self.place = place
    }
  }

  private let seqno: String
  /// Pieces by index in the `LanguageTable`; the first is the text without a language.
  private let texts: [[Piece]]
  package let languages: LanguageTable
  /// The variables that occur in any language and differ between recipients.
  package let variables: Set<Variable>
  /// Maximum payload size of the push type, in bytes.
  package let limitBytes: Int

  /// True if `%CNAME%` occurs, so that names must be read.
  package var needsClientName: Bool { variables.contains(.clientName) }

  /// Prepares the payload of a message, without the recipients' values.
  /// - Parameters:
  ///   - request: the message, with hosted links already in place of the content that they replace.
  ///   - seqno: the message's SEQNO.
  ///   - sendDate: send date in the payload, `yyyyMMddHH` in the app's time zone.
  package init(_ request: MessageRequest, seqno: Seqno, sendDate: String) {
    let number = String(seqno)
    self.seqno = number
    let content = request.content
    let alerts = [content.alert] + content.translations.map(\.alert)
    let defaults = request.csv != nil ? [:] : content.variables
    let splitter = PayloadSplitter(
      constants: defaults, otherwise: content.variables, fillsVariables: content.fillsVariables)
    texts = alerts.map { alert in
      splitter.split(PayloadWriter.write(request, alert: alert, seqno: number, sendDate: sendDate))
    }
    languages = content.languages
    limitBytes = content.pushType.payloadBytes
    variables = Set(texts.joined().compactMap(\.fill))
  }

  /// A payload with only the badge count: `{"aps":{"badge":n}}`.
  package static let badgeOnly = PayloadTemplate(
    badgeIn: [.bytes(Array(#"{"aps":{"badge":"#.utf8)), .badge, .bytes(Array("}}".utf8))])

  /// Creates a template without placeholders, for an update that all followers of a broadcast channel receive.
  init(broadcast payload: [UInt8]) {
    seqno = ""
    texts = [[.bytes(payload)]]
    languages = LanguageTable([])
    variables = []
    limitBytes = Domain.Limits.broadcastPayloadBytes
  }

  private init(badgeIn pieces: [Piece]) {
    seqno = ""
    texts = [pieces]
    languages = LanguageTable([])
    variables = []
    limitBytes = PushType.alert.payloadBytes
  }

  /// Appends the payload for one recipient, in the recipient's language, which must be an index of `languages`. Does
  /// not check its size.
  package func append(for recipient: Recipient, keys: PushKeyring, to bytes: inout [UInt8]) {
    for piece in texts[recipient.language] {
      switch piece {
      case .bytes(let run): bytes.append(contentsOf: run)
      case .clientUID: JSONWriter.escape(recipient.userKey.description, into: &bytes)
      case .clientName: JSONWriter.escape(recipient.clientName, into: &bytes)
      case .variable(let index, let otherwise):
        if index < recipient.variables.count, !recipient.variables[index].isEmpty {
          JSONWriter.escape(recipient.variables[index], into: &bytes)
        } else {
          bytes.append(contentsOf: otherwise)
        }
      case .badge: bytes.append(contentsOf: String(recipient.badge).utf8)
      case .pushkey: keys.append(seqno: seqno, psid: recipient.psid, at: recipient.place, to: &bytes)
      }
    }
  }

  // MARK: Size

  /// The size of a payload in one language.
  package struct Measure: Sendable {
    /// Size in bytes without the values of variables, with a badge of four digits.
    package fileprivate(set) var bytes = 0
    /// Number of occurrences of each variable.
    package fileprivate(set) var uses: [Variable: Int] = [:]
  }

  /// Sizes by index in the `LanguageTable`, from which the longest payload can be computed before sending.
  package var measures: [Measure] {
    texts.map { pieces in
      pieces.reduce(into: Measure()) { measure, piece in
        switch piece {
        case .bytes(let run): measure.bytes += run.count
        case .badge: measure.bytes += 4
        case .pushkey: measure.bytes += 40
        case .clientUID, .clientName, .variable: break
        }
        if let variable = piece.fill { measure.uses[variable, default: 0] += 1 }
      }
    }
  }
}

extension PayloadTemplate.Piece {
  /// The variable that fills this placeholder; nil for other pieces.
  var fill: Variable? {
    switch self {
    case .clientUID: .clientUID
    case .clientName: .clientName
    case .variable(let index, _): .number(index + 1)
    case .bytes, .badge, .pushkey: nil
    }
  }
}

internal import JSON

/// A message's payload with holes for what differs between recipients. Made once per message; filled by copying bytes,
/// because writing JSON a million times over would cost more than sending it.
///
/// The holes: variables wherever a text was written, the badge count, and the pushkey. A message in several languages has
/// one such row of pieces for each; a recipient says which one it gets.
package struct PayloadTemplate: Sendable {
  enum Piece: Equatable, Sendable {
    case bytes([UInt8])
    case clientUID
    case clientName
    /// `%VAR1%` is 0; what stands there for a recipient without a value, as JSON writes it.
    case variable(Int, otherwise: [UInt8])
    case badge
    case pushkey
  }

  /// What one recipient puts into the holes.
  package struct Recipient: Sendable {
    package let userKey: UserKey
    /// Empty unless the template needs it.
    package let clientName: String
    /// The user's count to show; unused when the message has no badge.
    package let badge: Int16
    package let psid: String
    /// Place of its text in the message's `LanguageTable`.
    package let language: Int
    /// For `%VAR1%` …, as many as it has and the template needs; an empty one is none.
    package let variables: [String]
    /// Where its delivery stands; nil where that is found by its token.
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
  /// By place in the `LanguageTable`; the first is the text without a language.
  private let texts: [[Piece]]
  package let languages: LanguageTable
  /// Variables that occur and differ between recipients.
  package let variables: Set<Variable>
  /// Largest body that its push type allows.
  package let limitBytes: Int

  /// True when `%CNAME%` occurs, so that names must be read.
  package var needsClientName: Bool { variables.contains(.clientName) }

  /// - Parameters:
  ///   - seqno: the message's number.
  ///   - sendDate: `yyyyMMddHH` in the app's time zone.
  package init(_ request: MessageRequest, seqno: Int64, sendDate: String) {
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

  /// Nothing but the count: `{"aps":{"badge":n}}`.
  package static let badgeOnly = PayloadTemplate(
    badgeIn: [.bytes(Array(#"{"aps":{"badge":"#.utf8)), .badge, .bytes(Array("}}".utf8))])

  /// The same bytes for everybody who follows a channel.
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

  /// Appends the payload for one recipient.
  package func append(for recipient: Recipient, keys: PushKeyring, to bytes: inout [UInt8]) {
    for piece in texts[recipient.language] {
      switch piece {
      case .bytes(let run): bytes.append(contentsOf: run)
      case .clientUID: JSONWriter.escape(recipient.userKey.description.utf8, into: &bytes)
      case .clientName: JSONWriter.escape(recipient.clientName.utf8, into: &bytes)
      case .variable(let index, let otherwise):
        if index < recipient.variables.count, !recipient.variables[index].isEmpty {
          JSONWriter.escape(recipient.variables[index].utf8, into: &bytes)
        } else {
          bytes.append(contentsOf: otherwise)
        }
      case .badge: bytes.append(contentsOf: String(recipient.badge).utf8)
      case .pushkey: keys.append(seqno: seqno, psid: recipient.psid, at: recipient.place, to: &bytes)
      }
    }
  }

  // MARK: Size

  /// What a payload of one language measures.
  package struct Measure: Sendable {
    /// Bytes beside the variables; the badge with the most digits.
    package fileprivate(set) var bytes = 0
    /// How often each variable occurs.
    package fileprivate(set) var uses: [Variable: Int] = [:]
  }

  /// By place in the `LanguageTable`.
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
  /// The variable that fills this hole.
  var fill: Variable? {
    switch self {
    case .clientUID: .clientUID
    case .clientName: .clientName
    case .variable(let index, _): .number(index + 1)
    case .bytes, .badge, .pushkey: nil
    }
  }
}

internal import JSON

/// What happens when a push is not confirmed: the customer's own gateway is asked for a short message, once for each
/// person.
package struct Fallback: Equatable, Sendable {
  /// What must have come in time. Raw values are stored.
  package enum Condition: Int16, CaseIterable, Sendable {
    /// A receipt, or a read.
    case received = 1
    case read = 2

    package var name: String { self == .received ? "received" : "read" }

    /// - Parameter isRead: false for a receipt alone.
    package func isMet(byRead isRead: Bool) -> Bool { self == .received || isRead }
  }

  /// From when the message was taken up for the person.
  package var afterSeconds: Int64 = Domain.Limits.defaultFallbackSeconds
  package var unless = Condition.received

  package init() {}

  /// Reads `{"after":"PT3M","unless":"received"|"read"}`; both may be left out.
  static func read(_ reader: inout JSONReader) throws(JSONError) -> Fallback {
    var fallback = Fallback()
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "after":
        guard let seconds = ISODuration.seconds(try reader.readString()),
          Domain.Limits.fallbackSeconds.contains(seconds)
        else { throw JSONError("must be an ISO 8601 duration from one second to a day, for example PT3M") }
        fallback.afterSeconds = seconds
      case "unless":
        let word = try reader.readString()
        guard let condition = Condition.allCases.first(where: { $0.name == word }) else {
          throw JSONError("must be received or read")
        }
        fallback.unless = condition
      default: throw .unknownField
      }
    }
    return fallback
  }
}

/// A text with what differs between recipients filled in, as it stands in the payload.
package struct FilledText: Sendable {
  private let clientUID: String
  private let clientName: String
  private let variables: [Int: String]
  private let fills: Bool

  /// - Parameter line: of the recipient, from a file; an empty value means the message's own.
  package init(_ content: MessageContent, clientUID: String, clientName: String, line: [String] = []) {
    self.clientUID = clientUID
    self.clientName = clientName
    fills = content.fillsVariables
    var variables = content.variables
    for (index, value) in line.enumerated() where !value.isEmpty { variables[index + 1] = value }
    self.variables = variables
  }

  package func callAsFunction(_ text: String) -> String {
    guard fills, text.utf8.contains(UInt8(ascii: "%")) else { return text }
    let bytes = Array(text.utf8)
    var filled: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if let (variable, length) = Variable.at(index, of: bytes) {
        filled += Array(value(of: variable).utf8)
        index += length
      } else {
        filled.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: filled, as: UTF8.self)
  }

  private func value(of variable: Variable) -> String {
    switch variable {
    case .clientUID: clientUID
    case .clientName: clientName
    case .number(let number): variables[number] ?? variable.name
    }
  }
}

extension Alert {
  /// The title, when it is written out.
  package var title: String? {
    if case .parts(let parts) = self, case .plain(let text)? = parts.title { text } else { nil }
  }
}

extension Domain.Limits {
  /// How long a push may take to be confirmed before a short message is asked for, in seconds.
  package static let fallbackSeconds: ClosedRange<Int64> = 1...86_400
  package static let defaultFallbackSeconds: Int64 = 180
}

package import JSON

/// SMS fallback: if a push is not confirmed in time, the customer's servers get the event `sms.requested`, once per
/// user, and send an SMS with their own gateway.
package struct Fallback: Equatable, Sendable {
  /// The confirmation that cancels the fallback. The raw values are stored in the database.
  package enum Condition: Int16, CaseIterable, Sendable {
    /// Any confirmation: a receipt or a read.
    case received = 1
    case read = 2

    package var name: String { self == .received ? "received" : "read" }

    /// Returns whether a confirmation meets the condition.
    /// - Parameter isRead: true for a read, false for a receipt.
    package func isMet(byRead isRead: Bool) -> Bool { self == .received || isRead }
  }

  /// Delay of the event in seconds after the message was first claimed for the user. If the push waits for permitted
  /// hours, the delay counts from their start, or from the later time at which the message's pace lets the push go.
  package var afterSeconds: Int64 = Domain.Limits.defaultFallbackSeconds
  package var unless = Condition.received

  package init() {}

  package static let object = JSONObject(
    "Fallback", about: "When a short message is asked for; needs `sms`.", from: Fallback(),
    [
      .given("after", .seconds(Domain.Limits.fallbackSeconds), \.afterSeconds, "Three minutes by default."),
      .given(
        "unless", condition, \.unless,
        """
        What must have come by then: a receipt or read (`received`, by default), or a read. Without `mutable-content`, or \
        where the app's extension does not report, use `read`: no receipt comes from an iPhone that rests.
        """),
    ])

  private static let condition = JSONForm<String>.words(Condition.allCases.map(\.name)).mapped(
    by: { word in Condition.allCases.first { $0.name == word } }, else: "is not known", written: \.name)
}

/// Fills a recipient's values into the texts of a message, for uses outside the payload. A `%VARn%` without a value
/// becomes empty. If the message does not fill variables (`fillsVariables`), all of them stay as they are.
package struct FilledText: Sendable {
  private let clientUID: String
  private let clientName: String
  private let variables: [Int: String]
  private let fills: Bool

  /// Creates the values of a recipient.
  /// - Parameter line: the recipient's values of `%VAR1%` … from a file; for an empty or missing one, the message's own
  ///   value is used.
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
    case .number(let number): variables[number] ?? ""
    }
  }
}

extension Alert {
  /// The literal title; nil if the alert has none or references it by key.
  package var title: String? {
    if case .parts(let parts) = self, case .plain(let text)? = parts.title { text } else { nil }
  }
}

extension Domain.Limits {
  /// Allowed delay in seconds before an SMS is requested for an unconfirmed push.
  package static let fallbackSeconds: ClosedRange<Int64> = 1...86_400
  static let defaultFallbackSeconds: Int64 = 180
}

/// An app's rules for advertising: night hours during which ads wait, the label with which they must begin, and the
/// opt-out notice. Many countries require such rules by law. A new app has Korea's label and hours (Network Act,
/// article 50) but no opt-out notice: Korean law demands one in every ad, but only the operator knows its wording.
/// `upmc app ads APP_ID --opt-out` sets it, and from then on an ad without it is refused. Decision 065.
package struct AdRules: Equatable, Sendable {
  /// The hours, in the device's local time, in which ads wait unless the user consented to ads at night: from `from`
  /// (inclusive) to `to` (exclusive). The night may span midnight.
  package struct Night: Equatable, Sendable {
    package let from: ClockTime
    package let to: ClockTime

    package init(from: ClockTime, to: ClockTime) {
      self.from = from
      self.to = to
    }

    /// Returns true if all hours of a send window are in the night.
    package func covers(_ window: SendWindow) -> Bool {
      Self.seconds(from: from, to: window.opens) + Self.seconds(from: window.opens, to: window.closes)
        <= Self.seconds(from: from, to: to)
    }

    /// Seconds until a clock that shows `start` shows `end` next.
    private static func seconds(from start: ClockTime, to end: ClockTime) -> Int64 {
      (end.seconds - start.seconds + 86_400) % 86_400
    }
  }

  /// Quiet hours for ads; nil to send them at any hour.
  package var night: Night?
  /// Text with which every ad must begin; empty if none is required.
  package var label: String
  /// Opt-out notice that every ad must contain, for example `무료수신거부: 설정 > 알림`; empty if none is required.
  package var optOut: String

  package init(night: Night?, label: String, optOut: String) {
    self.night = night
    self.label = label
    self.optOut = optOut
  }

  /// Checks an ad in every language: the first literal text must begin with the label, and at least one must contain
  /// the opt-out notice. Texts that the app localizes itself, referenced by key, are not checked, so a language with no
  /// other texts passes.
  /// - Throws: `.impossible`, listing every text that breaks a rule.
  package func check(_ content: MessageContent) throws(Problem) {
    var faults: [Problem.Field] = []
    if let alert = content.alert { check(alert, at: "/alert", &faults) }
    for translation in content.translations { check(translation.alert, at: translation.pointer, &faults) }
    guard let first = faults.first else { return }
    throw Problem(.impossible, first.whole, fields: faults)
  }

  private func check(_ alert: Alert, at pointer: String, _ faults: inout [Problem.Field]) {
    let lines = alert.plainLines(at: pointer)
    guard let first = lines.first, let last = lines.last else { return }
    if !label.isEmpty, !first.text.hasPrefix(label) {
      faults.append(Problem.Field(pointer: first.pointer, detail: "must begin with \(label), for it is an ad"))
    }
    if !optOut.isEmpty, !lines.contains(where: { $0.text.contains(optOut) }) {
      faults.append(
        Problem.Field(pointer: last.pointer, detail: "must have the opt-out wording \"\(optOut)\""))
    }
  }
}

extension Alert {
  /// Returns the literal texts with their JSON pointers, in the order in which they are shown.
  fileprivate func plainLines(at pointer: String) -> [(pointer: String, text: String)] {
    switch self {
    case .text(let text): [(pointer, text)]
    case .parts(let parts):
      [("title", parts.title), ("subtitle", parts.subtitle), ("body", parts.body)].compactMap { name, line in
        if case .plain(let text)? = line { ("\(pointer)/\(name)", text) } else { nil }
      }
    }
  }
}

extension Domain.Limits {
  /// Maximum length of an app's ad label in UTF-8 bytes.
  package static let adLabelBytes = 64
  /// Maximum length of an app's opt-out notice in UTF-8 bytes.
  package static let adOptOutBytes = 256
}

/// What advertising must keep to in an app: the hours at which it waits, the label it begins with, and how the person who
/// gets it refuses more. Law in many countries. A new app has the label and the hours of Korea (Network Act, article 50),
/// and no words about refusing: the law there wants them in every ad, but only the operator knows them. `upmc app ads
/// APP_ID --opt-out` sets them, and from then on an ad without them is refused.
package struct AdRules: Equatable, Sendable {
  /// Between these times of the device's clock an ad waits, unless the person agreed to ads at night. May span midnight.
  package struct Night: Equatable, Sendable {
    package let from: ClockTime
    package let to: ClockTime

    package init(from: ClockTime, to: ClockTime) {
      self.from = from
      self.to = to
    }
  }

  /// Nil: ads go at any hour.
  package var night: Night?
  /// Empty: none is asked for.
  package var label: String
  /// Words that every ad must have, for example `무료수신거부: 설정 > 알림`. Empty: none are asked for.
  package var optOut: String

  package init(night: Night?, label: String, optOut: String) {
    self.night = night
    self.label = label
    self.optOut = optOut
  }

  /// Checks what an ad says, in every language. Texts that stand inside the app, by their key, are the app's business.
  /// - Throws: `.impossible`, with every text at fault.
  package func check(_ content: MessageContent) throws(Problem) {
    var faults: [Problem.Field] = []
    if let alert = content.alert { check(alert, at: "/alert", &faults) }
    for translation in content.translations {
      check(translation.alert, at: "/translations/\(translation.language.tag)", &faults)
    }
    guard let first = faults.first else { return }
    throw Problem(.impossible, "\(first.pointer) \(first.detail).", fields: faults)
  }

  private func check(_ alert: Alert, at pointer: String, _ faults: inout [Problem.Field]) {
    let lines = alert.plainLines(at: pointer)
    guard let first = lines.first, let last = lines.last else { return }
    if !label.isEmpty, !first.text.hasPrefix(label) {
      faults.append(Problem.Field(pointer: first.pointer, detail: "must begin with \(label), for it is an ad"))
    }
    if !optOut.isEmpty, !lines.contains(where: { $0.text.contains(optOut) }) {
      faults.append(
        Problem.Field(pointer: last.pointer, detail: "must say how to refuse more ads, with the words \"\(optOut)\""))
    }
  }
}

extension Alert {
  /// The texts that are written out, as they are shown from the top.
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
  /// Longest label, and longest words about refusing, of an app's ads.
  package static let adLabelBytes = 64
  package static let adOptOutBytes = 256
}

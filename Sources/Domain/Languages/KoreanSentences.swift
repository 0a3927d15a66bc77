/// The server's sentences in Korean, by their English templates.
///
/// Each area is a text of pairs of lines: the template, and the Korean sentence after `= `. `{1}` is the first
/// argument. A particle is written in both forms, such as `을(를)`. `StyleTests` checks that each template in the sources
/// has a pair.
package enum KoreanSentences {
  /// The Korean sentences by template.
  package static let byTemplate: [String: String] = {
    var found: [String: String] = [:]
    for (template, korean) in pairs { found[template] = korean }
    return found
  }()

  /// All pairs, in the order of the texts.
  package static let pairs: [(template: String, korean: String)] = areas.flatMap { area in
    let lines = area.split(separator: "\n")
    return stride(from: 0, to: lines.count - 1, by: 2).map { index in
      (String(lines[index]), String(lines[index + 1].dropFirst(2)))
    }
  }

  private static let areas: [String] = [problems, fields, access, sending, apps]
}

package import API

/// Inserts the descriptions of the environment variables into the operator's page of the handbook.
extension Configuration {
  /// Returns the text for a placeholder in the handbook; nil for an unknown one. `variables` yields one table per
  /// topic.
  package static func insertion(_ name: String, _ language: HandbookLanguage) -> String? {
    guard name == "variables" else { return nil }
    // One value for all rows: each evaluation of a regex literal compiles it again.
    let code = #/UPMC_[A-Z_]+|/v1/[a-z]+|/metrics|X-Request-Id|https?:\/\/[^\s,]+\w/#
    return topics.map { topic in
      let isKorean = language == .korean
      let head = isKorean ? "| 변수 | 기본값 | 의미 |" : "| variable | when absent | meaning |"
      let rows = topic.variables.map { variable in
        let shown = variable.standard.isEmpty ? "–" : "`\(variable.standard)`"
        return "| `\(variable.name)` | \(shown) | \(isKorean ? variable.korean : marked(variable.meaning, code)) |"
      }
      return (["### \(isKorean ? topic.korean : topic.title)", "", head, "| --- | --- | --- |"] + rows)
        .joined(separator: "\n")
    }.joined(separator: "\n\n")
  }

  /// Formats as code the variable names and paths that `code` finds in a sentence.
  private static func marked(_ meaning: String, _ code: Regex<Substring>) -> String {
    meaning.replacing(code) { "`\($0.output)`" }.replacing("*", with: "\\*")
  }
}

/// Chooses Korean particles, which depend on the sound before them. The console has the same rule in `words.js`.
package enum KoreanParticles {
  /// Each particle as texts write it, with its form after a final consonant and after a vowel.
  private static let all: [(written: String, closed: String, open: String)] = [
    ("을(를)", "을", "를"), ("이(가)", "이", "가"), ("은(는)", "은", "는"), ("와(과)", "과", "와"), ("(으)로", "으로", "로"),
  ]
  private static let closing: Set<Character> = ["”", "’", "\"", "'", ")", "]"]

  private enum End { case open, rieul, closed }

  /// Final consonants of the digits as they are read: 영 일 이 삼 사 오 육 칠 팔 구.
  private static let digitEnds: [End] = [.closed, .rieul, .open, .closed, .open, .open, .closed, .rieul, .rieul, .open]

  /// Returns the text with each particle chosen by the syllable or digit before it, ignoring closing quotes and
  /// brackets. After any other letter both forms remain, because the spelling of a Latin name does not determine its
  /// pronunciation.
  package static func settled(_ text: String) -> String {
    guard text.contains("(") else { return text }
    var settled = ""
    var rest = text[...]
    while !rest.isEmpty {
      guard let particle = all.first(where: { rest.hasPrefix($0.written) }),
        let end = settled.last(where: { !closing.contains($0) }).flatMap(end)
      else {
        settled.append(rest.removeFirst())
        continue
      }
      let isOpen = end == .open || end == .rieul && particle.written == "(으)로"
      settled += isOpen ? particle.open : particle.closed
      rest = rest.dropFirst(particle.written.count)
    }
    return settled
  }

  private static func end(of character: Character) -> End? {
    if let digit = character.wholeNumberValue, character.isASCII { return digitEnds[digit] }
    guard let scalar = character.unicodeScalars.first, (0xAC00...0xD7A3).contains(scalar.value) else { return nil }
    return switch (scalar.value - 0xAC00) % 28 {
    case 0: .open
    case 8: .rieul
    default: .closed
    }
  }
}

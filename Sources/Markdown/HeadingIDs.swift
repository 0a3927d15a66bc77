/// Ids of headings, as GitHub makes them: small letters, digits, `-` and `_`; blanks become `-`, all else is left out.
/// A heading that occurs again gets `-1`, `-2` …
struct HeadingIDs {
  private var counts: [String: Int] = [:]

  mutating func next(for text: String) -> String {
    var id = ""
    for character in text.lowercased() {
      if character == " " {
        id.append("-")
      } else if character.isLetter || character.isNumber || character == "-" || character == "_" {
        id.append(character)
      }
    }
    let count = counts[id, default: 0]
    counts[id] = count + 1
    return count == 0 ? id : "\(id)-\(count)"
  }
}

/// Generates heading ids as GitHub does: lower-case letters, digits, `-` and `_`; spaces become `-`, everything else is
/// dropped. Repeated headings get `-1`, `-2` and so on.
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

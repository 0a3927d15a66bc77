internal import Domain

/// The rule for new passwords, after NIST SP 800-63B §5.1.1: length counts, and what everybody guesses first is refused.
/// No mixture of character classes is asked for, and no password expires.
enum PasswordRule {
  /// - Parameter login: the account's; a password made of it is refused.
  /// - Throws: `.invalidField` at `/new`, with the rule.
  static func check(_ password: String, login: String) throws(Problem) {
    let characters = password.unicodeScalars.count
    guard characters >= Operations.Limits.passwordCharacters, password.utf8.count <= Operations.Limits.passwordBytes
    else {
      throw Problem(
        at: "/new",
        "must have at least \(Operations.Limits.passwordCharacters) characters, and at most \(Operations.Limits.passwordBytes) bytes"
      )
    }
    let names = login.split { !$0.isLetter && !$0.isNumber }.map { letters(String($0)) }
    guard !isGuessedFirst(password, names) else {
      throw Problem(
        at: "/new", "is among the first that are guessed: choose something longer, such as several unrelated words")
    }
  }

  /// Whether little is left once repetitions, rows of keys, well-known words and the account's own name are taken out.
  private static func isGuessedFirst(_ password: String, _ names: [String]) -> Bool {
    var rest = letters(password)
    if Set(rest).count < Operations.Limits.differentCharacters { return true }
    for word in (names.filter { $0.count > 2 } + GuessedWords.all).sorted(by: { $0.count > $1.count }) {
      rest = rest.replacing(word, with: " ")
    }
    let left = rest.split(separator: " ").map { $0.filter { $0.isLetter } }.filter { !$0.isEmpty }
    return Set(left.joined()).count < Operations.Limits.lettersBesideGuessedWords
  }

  /// Lower case, with the usual stand-ins for letters read as those letters.
  private static func letters(_ text: String) -> String {
    String(text.lowercased().map { standIns[$0] ?? $0 }).filter { !$0.isWhitespace }
  }

  private static let standIns: [Character: Character] = [
    "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i",
  ]
}

extension Operations.Limits {
  /// Characters that a password needs.
  package static let passwordCharacters = 12
  /// Bytes that a password may have.
  package static let passwordBytes = 256
  /// Different characters that a password needs: fewer are repetitions.
  static let differentCharacters = 5
  /// Different letters that a password needs beside what everybody guesses first.
  static let lettersBesideGuessedWords = 4
}

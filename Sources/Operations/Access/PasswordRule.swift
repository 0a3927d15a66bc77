internal import Domain

/// The rule for new passwords, after NIST SP 800-63B §5.1.1: length counts, and easily guessed passwords are refused.
/// No mixture of character classes is required, and no password expires.
enum PasswordRule {
  /// Checks that a password is neither too short nor too long, and not easily guessed.
  /// - Parameter login: the account's login; a password that consists mainly of its parts is refused.
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

  /// Returns whether a password is easily guessed: it has fewer than `differentCharacters` different characters; or,
  /// without common words, keyboard rows and those parts of the login that have more than two letters, it has fewer
  /// than `lettersBesideGuessedWords` different letters. Digits and signs that stand for letters (`letters`) count as
  /// these.
  private static func isGuessedFirst(_ password: String, _ names: [String]) -> Bool {
    var rest = letters(password)
    if Set(rest).count < Operations.Limits.differentCharacters { return true }
    for word in (names.filter { $0.count > 2 } + GuessedWords.all).sorted(by: { $0.count > $1.count }) {
      rest = rest.replacing(word, with: " ")
    }
    let left = rest.split(separator: " ").map { $0.filter { $0.isLetter } }.filter { !$0.isEmpty }
    return Set(left.joined()).count < Operations.Limits.lettersBesideGuessedWords
  }

  /// Returns the text in lower case, with digits and signs replaced by the letters that they commonly stand for, and
  /// without blanks.
  private static func letters(_ text: String) -> String {
    String(text.lowercased().map { standIns[$0] ?? $0 }).filter { !$0.isWhitespace }
  }

  private static let standIns: [Character: Character] = [
    "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i",
  ]
}

extension Operations.Limits {
  /// Minimum number of characters (Unicode scalars) of a password.
  static let passwordCharacters = 12
  /// Maximum length of a password in bytes.
  static let passwordBytes = 256
  /// Minimum number of different characters of a password. One with fewer is mere repetition.
  static let differentCharacters = 5
  /// Minimum number of different letters that a password has besides `GuessedWords` and parts of the login.
  static let lettersBesideGuessedWords = 4
}

/// The statements of a migration file that runs without a transaction. Such files contain statements that PostgreSQL
/// does not allow in a transaction, above all `CREATE INDEX CONCURRENTLY IF NOT EXISTS`, which does not block writers.
///
/// If the process is killed half-way, the earlier statements stay done, and an index that was being built remains as an
/// *invalid* one: it slows down every write, is used by no query, and counts as existing. So before an index is built,
/// an invalid one of the same name is dropped.
extension Migration {
  struct Single: Equatable {
    /// The statement, preceded by as many blanks as the file has characters before it, so that the position of an error
    /// is a position in the file.
    let sql: String
    /// Name of the index that the statement builds concurrently; nil if it builds none.
    let index: String?
  }

  /// The file's statements in order. A semicolon at the end of a line ends a statement, except in lines that begin with
  /// `--`. What follows the last semicolon is a statement too, unless it consists of comments.
  var singles: [Single] {
    var found: [Single] = []
    var (blanks, text) = ("", "")
    var code: [Substring] = []
    func end() {
      guard !code.isEmpty else { return }
      found.append(Single(sql: blanks + text, index: Self.index(builtBy: code)))
      blanks += String(text.map { $0 == "\n" ? "\n" : " " })
      (text, code) = ("", [])
    }
    for line in sql.split(separator: "\n", omittingEmptySubsequences: false) {
      text += line + "\n"
      if line.hasPrefix("--") { continue }
      code += line.split(separator: " ")
      if line.hasSuffix(";") { end() }
    }
    end()
    return found
  }

  private static func index(builtBy words: [Substring]) -> String? {
    guard words.first == "CREATE", let place = words.prefix(3).firstIndex(of: "INDEX"),
      words.dropFirst(place + 1).first == "CONCURRENTLY"
    else { return nil }
    let rest = words.dropFirst(place + 2)
    return (rest.starts(with: ["IF", "NOT", "EXISTS"]) ? rest.dropFirst(3) : rest).first.map(String.init)
  }
}

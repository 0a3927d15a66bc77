internal import Crypto
internal import FoundationEssentials
internal import Reactor

/// One migration file.
package struct Migration: Sendable, Equatable {
  /// The file's number, from 1.
  package let version: Int
  /// The file name's words after the number, such as `create_messages`.
  package let name: String
  package let sql: String
  /// SHA-256 of the file's bytes.
  package let sha256: [UInt8]
  /// False for a file with `-- upmc:no-transaction` in its opening comment.
  package let runsInTransaction: Bool
  /// The oldest program that still works after this migration, identified by the newest migration that it knows; from
  /// `-- upmc:oldest-program 0009` in the opening comment. Nil means only programs that know this file.
  package let oldestProgram: Int?

  init(version: Int, name: String, bytes: [UInt8]) {
    self.version = version
    self.name = name
    sql = String(decoding: bytes, as: UTF8.self)
    sha256 = SHA256.hash(bytes)
    let opening = sql.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("--") }
    let marks = opening.map { $0.dropFirst(2).split(separator: " ") }
    runsInTransaction = !marks.contains(["upmc:no-transaction"])
    oldestProgram = marks.first { $0.count == 2 && $0[0] == "upmc:oldest-program" }.flatMap { Int($0[1]) }
  }

  /// The file's name, such as `0004_create_messages.sql`.
  package var fileName: String { "\(Self.digits(version))_\(name).sql" }

  static func digits(_ version: Int) -> String {
    let text = String(version)
    return String(repeating: "0", count: max(0, 4 - text.count)) + text
  }
}

/// Finds the directory of the migration files, and reads the files.
package enum MigratorFiles {
  /// Returns the directory with the migrations: the configured one, or the one shipped with the program.
  /// - Parameter configured: the value of `UPMC_MIGRATIONS_DIR`; nil to try the places at which the program's files can
  ///   be.
  /// - Throws: `.noDirectory` if none of the places is a directory.
  package static func locate(configured: String?) throws(MigratorError) -> String {
    let places = configured.map { [$0] } ?? ProgramFiles.places(of: "Migrations")
    if let found = places.first(where: ProgramFiles.isDirectory) { return found }
    throw .noDirectory(places, isConfigured: configured != nil)
  }

  /// Reads all `*.sql` files in order of their number, ignoring hidden and other files.
  /// - Throws: if the directory or a file cannot be read, a file has a wrong name, or the numbers are not 1, 2, 3 … up
  ///   to `newestKnown`.
  static func read(_ directory: String, newestKnown: Int) throws(MigratorError) -> [Migration] {
    guard ProgramFiles.isDirectory(directory),
      let names = try? FileManager.default.contentsOfDirectory(atPath: directory)
    else {
      throw .noDirectory([directory], isConfigured: true)
    }
    var migrations: [Migration] = []
    for fileName in names.filter({ $0.hasSuffix(".sql") && !$0.hasPrefix(".") }).sorted() {
      guard let (version, name) = parse(fileName) else { throw .badFileName(fileName) }
      guard let data = FileManager.default.contents(atPath: "\(directory)/\(fileName)") else {
        throw .unreadable("\(directory)/\(fileName)")
      }
      migrations.append(Migration(version: version, name: name, bytes: Array(data)))
    }
    try check(migrations, newestKnown: newestKnown)
    return migrations
  }

  /// Throws unless the numbers are exactly 1, 2, 3 … up to `newestKnown`.
  private static func check(_ migrations: [Migration], newestKnown: Int) throws(MigratorError) {
    for (index, migration) in migrations.enumerated() {
      if migration.version < index + 1 { throw .sameNumberTwice(migration.fileName) }
      if migration.version > index + 1 { throw .fileMissing(index + 1) }
      if migration.version > newestKnown { throw .fileNewerThanProgram(migration, known: newestKnown) }
    }
    if migrations.count < newestKnown { throw .fileMissing(migrations.count + 1) }
  }

  /// Parses a file name that ends in `.sql`: `0001_verb_phrase.sql` becomes (1, "verb_phrase"). Returns nil unless the
  /// name consists of four digits, not all 0, an underscore, and lower-case letters, digits and underscores.
  static func parse(_ fileName: String) -> (version: Int, name: String)? {
    let stem = fileName.dropLast(4)
    let digits = stem.prefix(4)
    let words = stem.dropFirst(5)
    guard digits.count == 4, digits.allSatisfy({ $0.isASCII && $0.isNumber }), let version = Int(digits), version > 0,
      stem.dropFirst(4).first == "_", !words.isEmpty,
      words.utf8.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "_") })
    else { return nil }
    return (version, String(words))
  }
}

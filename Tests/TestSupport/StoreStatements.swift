import FoundationEssentials
package import Postgres

/// Every statement of the store, as its text stands in the sources.
package enum StoreStatements {
  private static let newMessages = [
    "bigint[]", "integer[]", "smallint[]", "text[]", "bytea[]", "text[]", "integer[]", "bigint[]", "text[]",
    "timestamptz[]", "timestamptz[]", "timestamptz[]", "text[]", "bigint[]", "smallint[]", "text[]", "smallint[]",
    "text[]", "timestamptz[]", "bigint[]", "bytea[]", "integer[]", "boolean[]", "smallint[]", "bytea[]",
    "boolean[]",
  ]

  /// Types of parameters where neither the text nor the names of columns tell them.
  package static let declared: [String: [String]] = [
    "accounts-held": ["integer", "text", "timestamptz", "timestamptz"],
    "blocks-ended": ["bigint[]", "integer[]", "integer[]"],
    "waits-take-some": ["bigint[]", "integer[]", "timestamptz", "integer[]"],
    "waits-add": ["bigint[]", "integer[]", "timestamptz[]", "text[]", "smallint[]", "timestamptz"],
    "cancellation-close-shards": ["bigint", "smallint"],
    "devices-seen": ["uuid[]", "timestamptz"],
    "delivery-pages-rows": ["bigint", "uuid", "bigint", "smallint"],
    "groups-leave": ["integer[]", "text[]", "bigint[]"],
    "groups-of-users": ["integer[]", "text[]"],
    "ledger-read": ["integer[]", "text[]", "bigint[]", "smallint[]"],
    "messages-create-numbered": newMessages,
    "messages-create": newMessages,
    "messages-create-fresh": newMessages,
    "inboxes-create": ["integer[]", "text[]", "bigint[]", "timestamptz[]", "text[]"],
    "inboxes-list": ["integer[]", "text[]", "timestamptz[]", "bigint[]", "bigint[]", "timestamptz"],
    "inboxes-unread": ["integer[]", "text[]", "timestamptz[]", "timestamptz", "bigint"],
    "events-add": ["integer[]", "text[]", "text[]", "text[]", "bytea[]"],
    "events-list": ["integer", "bigint", "smallint", "bigint", "bigint"],
    "fallbacks-create": ["bigint[]", "text[]", "integer[]", "bigint[]"],
    "webhooks-list": ["integer", "integer", "bigint"],
    "named-sends-earlier": ["bigint[]", "integer[]", "text[]"],
    "named-sends-pass": ["bigint"],
    "outcomes-totals": Array(repeating: "bigint[]", count: 8) + ["integer"],
    "shards-lock-all": ["bigint", "smallint"],
    "sessions-use": ["bytea", "timestamptz", "timestamptz"],
    "statistics-drop-days": ["timestamptz"],
    "statistics-drop-hours": ["timestamptz", "timestamptz"],
    "statistics-due": ["timestamptz", "integer"],
    "statistics-turn": ["timestamptz", "integer", "integer"],
    "test-recipients-add": ["integer", "text[]", "text[]", "integer[]"],
    "users-find": ["integer[]", "text[]"],
  ]

  /// Statements that cannot be prepared, that belong to the table of the migrator or of a restore, or whose text is put
  /// together by code.
  package static let elsewhere: Set<String> = [
    "audience-sizes-largest-of-csv", "holds-counted", "holds-most", "maintenance-analyze", "messages-freeze",
    "migrator_select", "migrator_record", "placement-moved",
    "outcomes-totals-and-statistics", "restoration-backup", "restoration-name",
    "statistics-add", "statistics-make-days", "statistics-make-hours",
    "statistics-read-times", "statistics-zone-make",
  ]

  /// What stands behind `PREPARE name` for the types that the server cannot find out by itself: `(bigint, text)`.
  package static func typeList(_ name: String, _ sql: String, _ columns: [String: String]) -> String {
    let types = declared[name] ?? types(in: sql, columns)
    return types.isEmpty ? "" : "(\(types.joined(separator: ", ")))"
  }

  /// The types of columns by name: the one that most tables give it.
  package static func columns(_ connection: Connection) throws -> [String: String] {
    let rows = try connection.run(
      Statement(
        "columns of all tables",
        """
        SELECT DISTINCT ON (attname) attname::text, format_type(atttypid, NULL) FROM pg_attribute a
        JOIN pg_class c ON c.oid = a.attrelid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0
        GROUP BY attname, atttypid ORDER BY attname, count(*) DESC
        """))
    return Dictionary(uniqueKeysWithValues: (0..<rows.count).map { (rows.text($0, 0), rows.text($0, 1)) })
  }

  /// `unnest($1, $2) AS t(seqno, device)` tells what the arrays hold; the rest PostgreSQL finds out by itself.
  private static func types(in sql: String, _ columns: [String: String]) -> [String] {
    let numbers = sql.matches(of: /\$(\d+)/).compactMap { Int($0.1) }
    guard let count = numbers.max() else { return [] }
    var types = [String](repeating: "unknown", count: count)
    for match in sql.matches(of: /unnest\(((?:\$\d+(?:,\s*)?)+)\)(?: WITH ORDINALITY)?\s+AS\s+\w+\s*\(([^)]*)\)/) {
      let arrays = match.1.matches(of: /\$(\d+)/).compactMap { Int($0.1) }
      let names = match.2.split(separator: ",").map { $0.filter { !$0.isWhitespace } }
      for (array, name) in zip(arrays, names) {
        if let type = columns[name] { types[array - 1] = type + "[]" }
      }
    }
    return types
  }

  // MARK: Sources

  package static func all() throws -> [(name: String, sql: String)] {
    let root = URL(filePath: TestDatabase.migrationsDirectory).deletingLastPathComponent()
    let store = root.appending(path: "Sources/Store")
    let files = try FileManager.default.subpathsOfDirectory(atPath: store.path).filter { $0.hasSuffix(".swift") }
    let texts = try files.sorted().map { file in
      (
        file: URL(filePath: file).lastPathComponent,
        text: try String(contentsOf: store.appending(path: file), encoding: .utf8)
      )
    }
    // A file is named after its type; what extends it has a name behind a plus sign.
    var shared: [String: String] = [:]
    for text in try enumTexts(root) {
      for (name, value) in cases(text) { shared[name] = value }
    }
    for (file, text) in texts {
      for (name, value) in constants(text) { shared["\(file.prefix { $0 != "." && $0 != "+" }).\(name)"] = value }
    }
    let templates = Dictionary(
      texts.flatMap { Self.templates($0.text, shared) }, uniquingKeysWith: { first, _ in first })
    return texts.flatMap { file, text in
      let type = file.prefix { $0 != "." && $0 != "+" }
      let own = shared.filter { $0.key.hasPrefix("\(type).") }.map {
        (String($0.key.dropFirst(type.count + 1)), $0.value)
      }
      let constants = shared.merging(own) { $1 }.merging(constants(text)) { $1 }
      let pattern =
        #/
        =\ Statement\(\s*"([^"]+)",\s*(?://[^\n]*\n\s*)*
        (?:"""\n(?s:(.*?))\n\s*"""|"((?:[^"\\\n]|\\.)*)"|(\w+)\))
        /#
      return text.matches(of: pattern).map { match in
        let named = match.4.flatMap { constants[String($0)] } ?? ""
        let sql = String(match.2 ?? match.3 ?? Substring(named))
        return (String(match.1), resolve(sql, constants, templates, in: type))
      }
    }
  }

  /// Sources whose enums are stored by number: those of the store, and of the domain.
  private static func enumTexts(_ root: URL) throws -> [String] {
    try ["Store", "Domain"].flatMap { module in
      let directory = root.appending(path: "Sources/\(module)")
      return try FileManager.default.subpathsOfDirectory(atPath: directory.path).filter { $0.hasSuffix(".swift") }.map {
        try String(contentsOf: directory.appending(path: $0), encoding: .utf8)
      }
    }
  }

  /// `MessageState.paused.sql`, and for an enum within a type `Devices.State.active.sql`.
  private static func cases(_ text: String) -> [(String, String)] {
    text.matches(of: /(?m)^( *)package enum (\w+): Int16(?s:.*?)\n\1}/).flatMap { match in
      let outer = match.1.isEmpty ? nil : typeName(in: text, before: match.range.lowerBound)
      let name = [outer, String(match.2)].compactMap { $0 }.joined(separator: ".")
      return match.0.matches(of: /case (\w+) = (\d+)/).map { ("\(name).\($0.1).sql", String($0.2)) }
    }
  }

  /// The type whose declaration or extension begins last before an index.
  private static func typeName(in text: String, before index: String.Index) -> String? {
    text[..<index].matches(of: /(?m)^(?:package )?(?:enum|extension|struct) (\w+)/).last.map { String($0.1) }
  }

  private static func constants(_ text: String) -> [String: String] {
    let pattern = /static let (\w+) =\s*(?:"""\n(?s:(.*?))\n\s*"""|"([^"\n]*)")/
    let numbers: [(String, String)] = text.matches(of: /static let (\w+) = ([\d_]+)\n/).map { match in
      (String(match.1), String(match.2.replacing("_", with: "")))
    }
    let texts: [(String, String)] = text.matches(of: pattern).map { (String($0.1), String($0.2 ?? $0.3 ?? "")) }
    return Dictionary(texts + numbers, uniquingKeysWith: { first, _ in first })
  }

  /// A function that inserts its argument into a text.
  private struct Template {
    let parameter: String
    let text: String
  }

  /// Such functions, by type and name: `\(PushNetwork.pnsID(of: "d.network"))`.
  private static func templates(_ text: String, _ shared: [String: String]) -> [(String, Template)] {
    let pattern =
      /static func (\w+)\((?:\w+ )?(\w+): String\) -> String \{\n\s*(?:"""\n(?s:(.*?))\n\s*"""|"([^"\n]*)")\n\s*\}/
    return text.matches(of: pattern).compactMap { match in
      guard let type = typeName(in: text, before: match.range.lowerBound) else { return nil }
      var body = String(match.3 ?? match.4 ?? "")
      // Within the function, members of the type are named without the type.
      for (name, value) in shared where name.hasPrefix("\(type).") {
        body = body.replacing("\\(\(name.dropFirst(type.count + 1)))", with: value)
      }
      return ("\(type).\(match.1)", Template(parameter: String(match.2), text: body))
    }
  }

  /// Inserts what such functions return for a literal.
  private static func called(_ sql: String, _ templates: [String: Template], in type: Substring) -> String {
    let subscribed = sql.replacing(#/\\\(EventKind\.(\w+)\.listeners\)/#) { match -> String in
      "\\(EventKind.listeners(to: \"'\(match.1)'\"))"
    }
    return subscribed.replacing(#/\\\((?:(\w+)\.)?(\w+)\((?:\w+: )?"([^"]*)"\)\)/#) { match -> String in
      guard let template = templates["\(match.1 ?? type).\(match.2)"] else { return String(match.0) }
      return template.text.replacing("\\(\(template.parameter))", with: String(match.3))
    }
  }

  /// Puts in what is interpolated, and joins continued lines.
  private static func resolve(
    _ sql: String, _ constants: [String: String], _ templates: [String: Template], in type: Substring
  ) -> String {
    var sql = sql
    // What is put in may hold more of it.
    for _ in 0..<6 where sql.contains("\\(") {
      for (name, value) in constants { sql = sql.replacing("\\(\(name))", with: value) }
      sql = called(sql, templates, in: type)
    }
    return sql.replacing("\\\n", with: "")
  }
}

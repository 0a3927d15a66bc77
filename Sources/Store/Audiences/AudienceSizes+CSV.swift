package import Domain
internal import Postgres

/// Finds the line of an uploaded file that gives the largest payload.
extension AudienceSizes {
  /// For each of `%VAR1%` … `%VAR9%`, in this order: how often a payload contains the variable (`uses`), and the text
  /// that replaces it for a line without a value (`otherwise`).
  package struct Numbered: Sendable {
    package var uses = [Int](repeating: 0, count: 9)
    package var otherwise = [String](repeating: "", count: 9)

    package init() {}
  }

  /// The line with the largest payload. `name` is the user's own name if the line has none; empty if there is neither.
  /// `variables` are the nine values, empty where the line has none.
  package struct LargestLine: Sendable {
    package let userKey: UserKey
    package let name: String
    package let variables: [String]
  }

  /// SQL for the bytes that the nine variables add to the payload of line `k`: 0 for a variable that the payload does
  /// not contain. The numbers of occurrences are `$6` to `$14`, the default texts `$15` to `$23`.
  private static let numberedBytes = (1...9).map { number in
    """
    CASE WHEN $\(5 + number)::bigint = 0 THEN 0
      ELSE $\(5 + number) * octet_length(to_json(coalesce(nullif(k.var\(number), ''), $\(14 + number)::text))::text) END
    """
  }.joined(separator: " + ")

  private static let largestOfCSVStatement = Statement(
    "audience-sizes-largest-of-csv",
    """
    SELECT k.* FROM (
      SELECT l.user_key, coalesce(nullif(l.name, ''), u.name, '') AS name,
        l.var1, l.var2, l.var3, l.var4, l.var5, l.var6, l.var7, l.var8, l.var9
      FROM csv_lines l LEFT JOIN users u ON u.app = $3 AND u.user_key = l.user_key
      WHERE l.csv = $4
        AND (cardinality($5::text[]) = 0 OR EXISTS (
          SELECT FROM devices d
          WHERE d.app = $3 AND d.user_key = l.user_key AND d.state = \(Devices.State.active.sql)
            AND d.locale = ANY($5)))) k
    ORDER BY \(filledBytes) + \(numberedBytes) DESC LIMIT 1
    """)

  /// Returns the line of a file with the largest payload; nil if no line is considered, or if the file has none. Reads
  /// all lines.
  /// - Parameter locales: considers only users with an active device that has reported one of these locales; all lines
  ///   if empty.
  package static func largest(
    app: App.Number, csv: Int64, locales: [String], _ weights: Weights, _ numbered: Numbered
  ) -> Query<LargestLine?> {
    var parameters = self.parameters(weights, app)
    parameters.append(csv)
    parameters.append(texts(locales))
    for uses in numbered.uses { parameters.append(Int64(uses)) }
    for text in numbered.otherwise { parameters.append(text) }
    return Query(largestOfCSVStatement, parameters) { rows in
      rows.decodeFirst { row in
        LargestLine(
          userKey: row.userKey(), name: row.text(), variables: (2...10).map { _ in row.optionalText() ?? "" })
      }
    }
  }
}

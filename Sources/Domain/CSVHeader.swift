/// Matches column names in CSV files.
package enum CSVHeader {
  /// Returns a column name in lower case without blanks, tabs, `_` and `-`, so that `DEVICE_ID`, `Device ID` and
  /// `deviceId` become equal.
  package static func plain(_ name: String) -> String {
    name.lowercased().filter { $0 != " " && $0 != "\t" && $0 != "_" && $0 != "-" }
  }

  /// Names of the SDK's wire protocol that files may use instead of the API's.
  private static let others = [
    "cuid": "clientuid", "cname": "clientname", "name": "clientname", "groupseq": "groupseqs",
  ]

  /// Returns the one of `names` that a column heading means, compared as by `plain`; nil if none. A heading can also be
  /// a name of the SDK's wire protocol (`CUID`, `CNAME` or `NAME`, `GROUPSEQ`).
  package static func match(_ column: String, in names: [String]) -> String? {
    let plain = plain(column)
    let other = others[plain]
    return names.first { Self.plain($0) == plain } ?? names.first { Self.plain($0) == other }
  }
}

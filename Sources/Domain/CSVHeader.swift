/// Matches column names in CSV files.
package enum CSVHeader {
  /// Normalizes a column name: case, blanks, `_` and `-` are ignored, so `DEVICE_ID`, `Device ID` and `deviceId` are
  /// equal.
  package static func plain(_ name: String) -> String {
    name.lowercased().filter { $0 != " " && $0 != "\t" && $0 != "_" && $0 != "-" }
  }

  /// Names of the SDK's wire protocol that files may use instead of the API's.
  private static let others = [
    "cuid": "clientuid", "cname": "clientname", "name": "clientname", "groupseq": "groupseqs",
  ]

  /// Returns the one of `names` that a column heading stands for; nil if none. Headings may also be names of the wire
  /// protocol (`CUID`, `CNAME` or `NAME`, `GROUPSEQ`).
  package static func match(_ column: String, in names: [String]) -> String? {
    let plain = plain(column)
    let other = others[plain]
    return names.first { Self.plain($0) == plain } ?? names.first { Self.plain($0) == other }
  }
}

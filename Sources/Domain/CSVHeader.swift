/// Column names in files.
package enum CSVHeader {
  /// Normalizes a name: case, blanks, `_` and `-` make no difference, so `DEVICE_ID`, `Device ID` and `deviceId` are
  /// equal.
  package static func plain(_ name: String) -> String {
    name.lowercased().filter { $0 != " " && $0 != "\t" && $0 != "_" && $0 != "-" }
  }

  /// Wire names that files may use in place of the API's.
  private static let others = [
    "cuid": "clientuid", "cname": "clientname", "name": "clientname", "groupseq": "groupseqs",
  ]

  /// Returns which of `names` a column is; nil when it is none of them. Columns may also use the wire names (`CUID`,
  /// `CNAME` or `NAME`, `GROUPSEQ`).
  package static func match(_ column: String, in names: [String]) -> String? {
    let plain = plain(column)
    let other = others[plain]
    return names.first { Self.plain($0) == plain } ?? names.first { Self.plain($0) == other }
  }
}

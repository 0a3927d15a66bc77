/// How columns of files are named.
package enum CSVHeader {
  /// A name as it is compared: case, blanks, `_` and `-` make no difference, so `DEVICE_ID`, `Device ID` and `deviceId` are
  /// one name.
  package static func plain(_ name: String) -> String {
    name.lowercased().filter { $0 != " " && $0 != "\t" && $0 != "_" && $0 != "-" }
  }

  /// The words of the wire that files use for those of the API.
  private static let others = [
    "cuid": "clientuid", "cname": "clientname", "name": "clientname", "groupseq": "groupseqs",
  ]

  /// The one of `names` that a column is; nil when it is none of them. Columns may bear the wire's names too (`CUID`,
  /// `CNAME` or `NAME`, `GROUPSEQ`).
  package static func match(_ column: String, in names: [String]) -> String? {
    let plain = plain(column)
    let other = others[plain]
    return names.first { Self.plain($0) == plain } ?? names.first { Self.plain($0) == other }
  }
}

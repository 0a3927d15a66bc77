/// The encoding of a text file. The raw values are stored in the database.
package enum FileEncoding: Int16, Sendable, CaseIterable {
  case utf8 = 1
  /// The code page of Korean Windows, a superset of EUC-KR.
  case cp949 = 2

  package var name: String {
    switch self {
    case .utf8: "UTF-8"
    case .cp949: "CP949"
    }
  }

  package init?(name: String) {
    guard let encoding = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = encoding
  }
}

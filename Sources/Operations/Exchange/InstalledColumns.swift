internal import Domain

/// Maps the columns of a file of registrations to fields.
package struct InstalledColumns: Equatable, Sendable {
  package enum Field: Int, CaseIterable, Sendable {
    case appID, psid, pnsID, mode, deviceID, clientUID, clientName, phone, deviceType, model, osVersion, appVersion,
      locale
    case timeZone, notification, ad, nightAd, groups

    /// Name of the field in the protocol of the existing SDKs.
    package var name: String {
      switch self {
      case .appID: "APP_ID"
      case .psid: "PSID"
      case .pnsID: "PNSID"
      case .mode: "APNS_MODE"
      case .deviceID: "DEVICE_ID"
      case .clientUID: "CUID"
      case .clientName: "CNAME"
      case .phone: "PHONENUM"
      case .deviceType: "DEVICE_TYPE"
      case .model: "DEVICE_MD"
      case .osVersion: "OS_VER"
      case .appVersion: "APP_VER"
      case .locale: "LOCALE"
      case .timeZone: "TIME_ZONE"
      case .notification: "NOTIFICATION_YN"
      case .ad: "AD_YN"
      case .nightAd: "NIGHT_AD_YN"
      case .groups: "GROUPSEQ"
      }
    }

    /// Name of the field in the API.
    var member: String {
      switch self {
      case .appID: "appId"
      case .psid: "psid"
      case .pnsID: "pnsId"
      case .mode: "environment"
      case .deviceID: "deviceId"
      case .clientUID: "clientUid"
      case .clientName: "clientName"
      case .phone: "phone"
      case .deviceType: "platform"
      case .model: "model"
      case .osVersion: "osVersion"
      case .appVersion: "appVersion"
      case .locale: "locale"
      case .timeZone: "timeZone"
      case .notification: "notification"
      case .ad: "ad"
      case .nightAd: "nightAd"
      case .groups: "groupSeqs"
      }
    }

    /// Finds a field by either name, ignoring case and separators. Returns nil if no field has the name.
    init?(named name: String) {
      let plain = CSVHeader.plain(name)
      let field = Self.allCases.first { CSVHeader.plain($0.name) == plain || CSVHeader.plain($0.member) == plain }
      guard let field else { return nil }
      self = field
    }
  }

  package struct Column: Equatable, Sendable {
    /// The column's name in the file.
    package let name: String
    /// The field that the column contains; nil if the column is skipped.
    package let field: Field?
  }

  package let columns: [Column]

  /// Index in `columns` of each field's column, by the field's raw value; nil for a field that the file does not have.
  private let places: [Int?]

  func has(_ field: Field) -> Bool { place(of: field) != nil }

  /// Returns the index of a field's column, from 0; nil if the file does not have the field.
  func place(of field: Field) -> Int? { places[field.rawValue] }

  /// Reads the header of a file. Columns with unknown names are skipped.
  /// - Parameters:
  ///   - header: the fields of the first line.
  ///   - renamed: the file's own column names and their meaning; an empty meaning skips the column.
  /// - Throws: `.impossible` if `renamed` contains a column that the file does not have or an unknown meaning, two
  ///   columns have the same meaning, or no column is the token.
  init(_ header: [String], renamed: [(theirs: String, ours: String)]) throws(Problem) {
    var wishes: [String: Field?] = [:]
    for (theirs, ours) in renamed {
      let field = Field(named: ours)
      guard field != nil || ours.isEmpty else {
        throw Self.problem("There is no column \(ours). \(Self.known)")
      }
      guard header.contains(where: { CSVHeader.plain($0) == CSVHeader.plain(theirs) }) else {
        throw Self.problem(
          "The file has no column \(theirs). \(Self.told(header))")
      }
      wishes[CSVHeader.plain(theirs)] = .some(field)
    }
    let columns = header.map { name in
      let wish = wishes[CSVHeader.plain(name)]
      return Column(name: name, field: wish ?? Field(named: name))
    }
    self.columns = columns
    places = Field.allCases.map { field in columns.firstIndex { $0.field == field } }
    for field in Field.allCases {
      let same = columns.filter { $0.field == field }
      guard same.count < 2 else {
        throw Self.problem(
          """
          \(same.map(\.name).joined(separator: " and ")) would all be \(field.name). Say which one is not: \
          --columns \(same[same.count - 1].name)=
          """)
      }
    }
    guard has(.psid) else {
      throw Self.problem(
        """
        No column of the first line is PSID, the push token. Say which one is: --columns theirs=PSID. \
        \(Self.told(header))
        """)
    }
  }

  /// Returns a description of the first line for an error message: the names of the columns or, to quote no data from a
  /// file without a header, that the line looks like a device.
  private static func told(_ header: [String]) -> String {
    guard header.allSatisfy(isName) else {
      return "Its first line looks like a device, not like names of columns: put a line with their names before it."
    }
    return "Its columns are: \(header.joined(separator: ", "))."
  }

  private static func isName(_ text: String) -> Bool {
    guard text.count <= 32, text.allSatisfy({ $0.isLetter || $0.isNumber || "_- ".contains($0) }) else { return false }
    // Hexadecimal digits suggest a token or identifier, decimal digits a telephone number.
    return !text.contains(where: \.isNumber) || text.contains { $0.isLetter && !$0.isHexDigit }
  }

  private static func problem(_ text: Sentence) -> Problem { Problem(.impossible, text) }

  private static let known = "There are: \(Field.allCases.map(\.name).joined(separator: ", "))."
}

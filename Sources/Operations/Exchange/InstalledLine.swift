internal import Domain
internal import Store

/// A line of a file of registrations about one device, validated by the rules of registrations.
struct InstalledLine: Sendable {
  enum User: Equatable, Sendable {
    case unsaid
    case nobody
    case named(String)
  }

  /// Line number in the file, from 1.
  let number: Int64
  /// ID of the DEVICE_ID's first row.
  let device: DeviceID
  let installation: String
  let network: PushNetwork
  /// The APNs environment; nil if not given.
  let environment: PushEnvironment?
  /// The normalized push token.
  let psid: String
  let user: User
  let name: String
  let phone: String?
  /// Properties of the device; empty if the line contains none.
  let attributes: Devices.Attributes
  let consents: Consents.Change
  let groups: [Groups.Number]

  /// A token, which belongs to at most one device.
  struct Token: Hashable {
    let network: PushNetwork
    let psid: String
  }

  var token: Token { Token(network: network, psid: psid) }

  /// What is needed to parse the lines of a file.
  struct Context: Sendable {
    let app: App
    let columns: InstalledColumns
    /// Maps group numbers of the other server to those of this one. A number that is missing is the same on both.
    let groups: [Groups.Number: Groups.Number]
    let timeZones: Set<String>
  }

  /// Parses and validates a line.
  /// - Returns: the line, nil if it is about another app; or the first fault found.
  static func read(
    _ fields: [String], line number: Int64, _ context: Context
  ) -> Result<InstalledLine?, InstalledFault> {
    do throws(Objection) {
      return .success(try read(Cells(fields, context.columns), number, context))
    } catch {
      return .failure(InstalledFault(line: number, column: error.column, what: error.what, remedy: error.remedy))
    }
  }

  private static func read(
    _ cells: Cells, _ number: Int64, _ context: Context
  ) throws(Objection) -> InstalledLine? {
    if let appID = cells[.appID], appID != context.app.appID { return nil }
    guard let token = try cells.text(.psid, upTo: Domain.Limits.psidBytes) else {
      throw Objection(.psid, "is empty", "A device without a token gets nothing: leave the line out.")
    }
    let network = try cells.word(.pnsID) { (word) throws(SDKWords.Objection) in
      try SDKWords.network(word, ofToken: token)
    }
    guard let psid = network.normalize(psid: token) else {
      throw Objection(
        .psid, network == .apns ? "is no APNs device token in hex" : "is no FCM registration token",
        "Leave the line out, or look whether PNSID and PSID belong together.")
    }
    let installation = try cells.text(.deviceID, upTo: Domain.Limits.deviceIDBytes) ?? psid
    let client = try cells.word(.clientUID) { (word) throws(SDKWords.Objection) in try SDKWords.Client(word) }
    var attributes = Devices.Attributes()
    attributes.platform = try cells.word(.deviceType, platform)
    attributes.model = try cells.text(.model) ?? ""
    attributes.osVersion = try cells.text(.osVersion) ?? ""
    attributes.appVersion = try cells.text(.appVersion) ?? ""
    attributes.locale = try cells.text(.locale) ?? ""
    // As in a registration, an unknown time zone counts as none.
    attributes.timeZone = cells[.timeZone].flatMap { context.timeZones.contains($0) ? $0 : nil } ?? ""
    var consents = Consents.Change()
    consents.notification = try cells.word(.notification, flag)
    consents.ad = try cells.word(.ad, flag)
    consents.nightAd = try cells.word(.nightAd, flag)
    return InstalledLine(
      number: number, device: DeviceID(appID: context.app.appID, network: network, installation: installation),
      installation: installation, network: network, environment: try cells.word(.mode, environment), psid: psid,
      user: client.clientUID.map(User.named) ?? (client.isGuest ? .nobody : .unsaid),
      name: try cells.text(.clientName, upTo: Domain.Limits.clientNameBytes) ?? "",
      phone: try cells.text(.phone, upTo: Domain.Limits.phoneBytes), attributes: attributes, consents: consents,
      groups: try groups(cells, context))
  }

  // MARK: Values accepted in addition to those of the SDKs

  private static func environment(_ word: String?) throws(SDKWords.Objection) -> PushEnvironment? {
    guard let word else { return nil }
    if let environment = PushEnvironment(name: word.lowercased()) { return environment }
    return try SDKWords.environment(word)
  }

  private static func platform(_ word: String?) throws(SDKWords.Objection) -> String {
    switch word?.lowercased() {
    case "ios": "ios"
    case "android": "android"
    default: try SDKWords.platform(word)
    }
  }

  private static func flag(_ word: String?) throws(SDKWords.Objection) -> Bool? {
    switch word?.lowercased() {
    case "1", "t", "true": true
    case "0", "f", "false": false
    default: try SDKWords.flag(word)
    }
  }

  private static func groups(_ cells: Cells, _ context: Context) throws(Objection) -> [Groups.Number] {
    var groups: [Groups.Number] = []
    for text in (cells[.groups] ?? "").split(whereSeparator: { ";,| ".contains($0) }) {
      guard let group = SequenceNumber.parse(String(text)) else {
        throw Objection(.groups, "is no list of group numbers", "Put semicolons between several.")
      }
      groups.append(context.groups[group] ?? group)
    }
    return groups
  }

  struct Objection: Error {
    let column: String
    let what: String
    let remedy: String

    init(_ field: InstalledColumns.Field, _ what: String, _ remedy: String) {
      (column, self.what, self.remedy) = (field.name, what, remedy)
    }
  }

  /// The values of a line. NULL, as databases export it, counts as empty.
  private struct Cells {
    private let fields: [String]
    private let columns: InstalledColumns

    init(_ fields: [String], _ columns: InstalledColumns) throws(Objection) {
      guard fields.count <= columns.columns.count else {
        throw Objection(
          .psid, "is in a line that has more fields than the header",
          "Put fields with commas into double quotes.")
      }
      (self.fields, self.columns) = (fields, columns)
    }

    subscript(field: InstalledColumns.Field) -> String? {
      guard let place = columns.place(of: field), place < fields.count else { return nil }
      switch fields[place] {
      case "", "NULL", "null", "(null)", "\\N": return nil
      case let cell: return CSVFormula.read(cell)
      }
    }

    func text(
      _ field: InstalledColumns.Field, upTo bytes: Int = Domain.Limits.attributeBytes
    ) throws(Objection) -> String? {
      guard let text = self[field] else { return nil }
      guard text.utf8.count <= bytes else {
        throw Objection(field, "is longer than \(bytes) bytes", "Look whether it is the column that you mean.")
      }
      return text
    }

    func word<Word>(
      _ field: InstalledColumns.Field, _ read: (String?) throws(SDKWords.Objection) -> Word
    ) throws(Objection) -> Word {
      do {
        return try read(self[field])
      } catch {
        throw Objection(field, error.text, "Correct it, or leave the line out.")
      }
    }
  }
}

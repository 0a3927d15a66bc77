internal import Domain
internal import JSON

/// The audience of a send, as its form names it.
struct SendAudience: Sendable {
  private enum Kind: Sendable {
    case all
    case members(Bool)
    case users([String])
    case tokens([String])
    case groups([Int64])
    /// The users of the uploaded file with this number, and how many of them have no device.
    case csv(Int64, unknownUsers: Int)
  }

  private let kind: Kind
  /// True for TYPE `S`, whose answer contains only totals, and not the unknown users.
  let wantsTotalsOnly: Bool

  /// True for a send to named users or tokens, unless its TYPE is `S`. Only these sends can be urgent.
  var isIndividual: Bool {
    switch kind {
    case .users, .tokens: !wantsTotalsOnly
    default: false
    }
  }

  /// Reads the audience of `rcv_register_message` according to TYPE, which is `E` if absent. If there is REQ_PSIDS, its
  /// tokens are the audience, whatever the TYPE.
  /// - Throws: if TYPE is unknown, or the field that it needs is missing or malformed.
  init(message form: Form) throws(LegacyRefusal) {
    let type = form["TYPE"]?.uppercased() ?? "E"
    wantsTotalsOnly = type == "S"
    if let tokens = form["REQ_PSIDS"] {
      kind = .tokens(try Self.list(tokens, "REQ_PSIDS"))
      return
    }
    switch type {
    case "E", "S": kind = .users(try Self.users(form))
    case "M": kind = .members(true)
    case "N": kind = .members(false)
    case "A": kind = .all
    case "G": kind = .groups(try Self.groups(form))
    case "C": throw LegacyRefusal(field: "TYPE", "C needs a file: use rcv_register_csvmessage.ctl")
    default: throw LegacyRefusal(field: "TYPE", "must be E, M, N, S, A, G or C")
    }
  }

  /// Reads the audience of `rcv_register_groupmessage` according to TYPE. Without a TYPE, it is the groups in GROUPSEQ,
  /// or everyone if that is empty.
  /// - Throws: if TYPE is unknown, or GROUPSEQ is malformed or does not match TYPE.
  init(groupMessage form: Form) throws(LegacyRefusal) {
    wantsTotalsOnly = false
    switch form["TYPE"]?.uppercased() {
    case "G": kind = .groups(try Self.groups(form))
    case "A":
      guard form["GROUPSEQ"] == nil else { throw LegacyRefusal(field: "GROUPSEQ", "must be empty with TYPE A") }
      kind = .all
    case nil: kind = form["GROUPSEQ"] == nil ? .all : .groups(try Self.groups(form))
    default: throw LegacyRefusal(field: "TYPE", "must be A or G")
    }
  }

  /// Creates the audience of `rcv_register_csvmessage`.
  /// - Parameters:
  ///   - csv: number of the stored file.
  ///   - unknownUsers: number of users in the file who have no device.
  init(csv: Int64, unknownUsers: Int) {
    kind = .csv(csv, unknownUsers: unknownUsers)
    wantsTotalsOnly = false
  }

  /// For an uploaded file, the number of its users without a device; nil for other audiences, whose unknown entries are
  /// known only when the send has been accepted.
  var unknownUsers: Int? {
    if case .csv(_, let count) = kind { count } else { nil }
  }

  func write(to writer: inout JSONWriter) {
    switch kind {
    case .all: writer.member("all", true)
    case .members(let isMember): writer.member("members", isMember)
    case .users(let users): write("clientUids", users, &writer)
    case .tokens(let tokens): write("psids", tokens, &writer)
    case .groups(let groups):
      writer.member("groups", array: { writer in for group in groups { writer.value(group) } })
    case .csv(let csv, _): writer.member("csv", String(csv))
    }
  }

  private func write(_ name: String, _ texts: [String], _ writer: inout JSONWriter) {
    writer.member(name, array: { writer in for text in texts { writer.value(text) } })
  }

  // MARK: Reading

  private static func users(_ form: Form) throws(LegacyRefusal) -> [String] {
    guard let text = form["CUID"] else {
      throw LegacyRefusal(field: "CUID", "is needed: one id, or a JSON array of them")
    }
    return text.first == "[" ? try list(text, "CUID") : [text]
  }

  private static func groups(_ form: Form) throws(LegacyRefusal) -> [Int64] {
    guard let text = form["GROUPSEQ"] else { throw LegacyRefusal(field: "GROUPSEQ", "is needed") }
    guard text.first == "[" else { return [try LegacyHandler.group(form)] }
    var groups: [Int64] = []
    for entry in try list(text, "GROUPSEQ") {
      guard let group = Int64(entry), group > 0 else {
        throw LegacyRefusal(field: "GROUPSEQ", "must hold whole numbers")
      }
      groups.append(group)
    }
    return groups
  }

  /// Parses a JSON array of strings or whole numbers.
  /// - Throws: if it is malformed, empty, or has more than `Domain.Limits.audienceEntries` entries.
  private static func list(_ text: String, _ name: String) throws(LegacyRefusal) -> [String] {
    var reader = JSONReader(Array(text.utf8))
    var entries: [String] = []
    do throws(JSONError) {
      try reader.readArray { (reader, index) throws(JSONError) in
        guard index < Domain.Limits.audienceEntries else {
          throw JSONError("has more than \(Domain.Limits.audienceEntries) entries")
        }
        entries.append(try reader.peek() == .number ? String(try reader.readInteger()) : try reader.readString())
      }
      try reader.finish()
    } catch {
      throw LegacyRefusal(field: name, "must be a JSON array of texts: \(error.reason)")
    }
    guard !entries.isEmpty else { throw LegacyRefusal(field: name, "must name at least one") }
    return entries
  }
}

package import JSON

/// The audience of a message.
package enum Audience: Equatable, Sendable {
  /// Everyone in the app, including guests.
  case all
  /// Devices with a user (true), or guests (false).
  case members(Bool)
  case clientUIDs([String])
  case devices([DeviceID])
  case psids([String])
  /// Members of these groups and of all groups below them.
  case groups([Int64])
  /// Devices that match conditions.
  case segment(Segment)
  /// A saved segment by number. Never stored with a message, which gets a copy of the segment's conditions.
  case savedSegment(Int64)
  /// Users in the uploaded file with this number, which also contains values for each user.
  case csv(Int64)
  /// Recipients of an earlier message, selected by their outcomes there. Not accepted in a request; `resend` creates
  /// it.
  case deliveries(of: Seqno, ResendTarget)

  /// The groups that the audience names, directly or in a segment's conditions.
  package var namedGroups: Set<Int64> {
    switch self {
    case .groups(let groups): Set(groups)
    case .segment(let segment): segment.namedGroups
    case .all, .members, .clientUIDs, .devices, .psids, .savedSegment, .csv, .deliveries: []
    }
  }

  static let choice = JSONChoice<Audience>(
    "Audience", "Who gets it: exactly one of these. A device gets a message once.",
    [
      .of("all", .alwaysTrue, "Everyone of the app, guests included.") { _ in .all },
      .of("members", .flag, "Those with a user (true), or guests only (false).") { .members($0) },
      .of(
        "clientUids",
        .entries(
          JSONForm<String>.clientUID.schema.adding("not", JSONSchema.constant(UserKey.guestUID)), readUser),
        "These users, on all their devices. `GUEST` is no audience."
      ) { .clientUIDs($0.map(\.description)) },
      .of("devices", .entries(JSONSchema.uuid, readDevice), "These devices, by our ids.") { .devices($0) },
      .of(
        "psids", .entries(JSONSchema.text(upTo: Domain.Limits.psidBytes), readPSID),
        "These devices, by their push tokens."
      ) { .psids($0) },
      .of("groups", .entries(JSONSchema.reference("GroupSeq"), readGroup), "These groups and all below them.") {
        .groups($0)
      },
      .of(
        "segment", segment, "Devices of which something is true: a saved segment by its number, or its conditions here."
      ) {
        $0
      },
      .of("csv", uploadedFile, "The users of an uploaded file, by its number.") { .csv($0) },
    ])

  private static let segment = JSONForm(
    JSONSchema.oneOf([JSONSchema.reference("SegmentNumber"), JSONSchema.reference("Segment")]),
    read: { (reader) throws(JSONError) in try readSegment(&reader) })
  private static let uploadedFile = JSONForm(
    JSONSchema.reference("SegmentNumber"),
    read: { (reader) throws(JSONError) in try readNumber(&reader, "the number of an uploaded file") })

  /// Parses a CUID as a `UserKey`, because users are compared by their bytes. Throws for `GUEST`, which is not a user.
  private static func readUser(_ reader: inout JSONReader) throws(JSONError) -> UserKey {
    let clientUID = try reader.readText(upTo: Domain.Limits.clientUIDBytes)
    guard clientUID != UserKey.guestUID else { throw JSONError("GUEST is no audience; use {\"members\":false}") }
    return UserKey(clientUID: clientUID)
  }

  private static func readDevice(_ reader: inout JSONReader) throws(JSONError) -> DeviceID {
    guard let device = DeviceID(try reader.readString()) else { throw JSONError("must be a device id (a UUID)") }
    return device
  }

  private static func readPSID(_ reader: inout JSONReader) throws(JSONError) -> String {
    let psid = try reader.readText(upTo: Domain.Limits.psidBytes)
    // The network is unknown: a hexadecimal token is compared in lower case, as APNs tokens are stored, and any other
    // unchanged.
    return PushNetwork.apns.normalize(psid: psid) ?? psid
  }

  static func readGroup(_ reader: inout JSONReader) throws(JSONError) -> Int64 {
    try reader.readGroupSeq()
  }

  /// Parses the number of a saved segment (`.savedSegment`), or an object of conditions (`.segment`).
  private static func readSegment(_ reader: inout JSONReader) throws(JSONError) -> Audience {
    if try reader.peek() == .object { return .segment(try Segment.read(&reader)) }
    return .savedSegment(try readNumber(&reader, "the number of a saved segment, or an object of conditions"))
  }

  /// Parses a positive number given as a string or as a number.
  /// - Parameter what: what is expected, for the error's sentence.
  private static func readNumber(_ reader: inout JSONReader, _ what: Sentence) throws(JSONError) -> Int64 {
    let number: Int64?
    switch try reader.peek() {
    case .number: number = try reader.readInteger()
    case .string: number = SequenceNumber.parse(try reader.readString())
    default: throw JSONError("must be \(what)")
    }
    guard let number, number > 0 else { throw JSONError("must be \(what): a whole number from 1") }
    return number
  }
}

extension JSONForm {
  /// Returns the form of a list of 1…10,000 entries (`audienceEntries`), in the order given. Repeated entries count for
  /// the limit and are then removed.
  fileprivate static func entries<Entry: Hashable & Sendable>(
    _ schema: JSONTree, _ read: @escaping @Sendable (inout JSONReader) throws(JSONError) -> Entry
  ) -> JSONForm where Value == [Entry] {
    JSONForm(
      JSONSchema.list(of: schema, 1...Domain.Limits.audienceEntries),
      read: { (reader) throws(JSONError) in
        var entries: [Entry] = []
        try reader.readArray { (reader, index) throws(JSONError) in
          guard index < Domain.Limits.audienceEntries else {
            throw JSONError("is one more than the \(Domain.Limits.audienceEntries) that a send may name")
          }
          entries.append(try read(&reader))
        }
        guard !entries.isEmpty else { throw JSONError("must name at least one") }
        // A one-time code names a single user, which needs no set.
        guard entries.count > 1 else { return entries }
        var seen: Set<Entry> = []
        return entries.filter { seen.insert($0).inserted }
      })
  }
}

extension JSONReader {
  /// Parses a string of 1 to `bytes` UTF-8 bytes. Throws for a longer or empty one.
  package mutating func readText(upTo bytes: Int) throws(JSONError) -> String {
    let text = try readString()
    guard !text.isEmpty else { throw JSONError("must not be empty") }
    guard text.utf8.count <= bytes else { throw JSONError("is longer than \(bytes) bytes") }
    return text
  }
}

package import JSON

/// Who gets a message.
package enum Audience: Equatable, Sendable {
  /// Everyone of the app, guests included.
  case all
  /// Users (true) or guests (false) only.
  case members(Bool)
  case clientUIDs([String])
  case devices([DeviceID])
  case psids([String])
  /// Groups with their subtrees.
  case groups([Int64])
  /// Devices of which something is true.
  case segment(Segment)
  /// A segment by its number. Not stored with a message, which gets a copy of what the segment says.
  case savedSegment(Int64)
  /// Users of an uploaded file, with what differs between them.
  case csv(Int64)
  /// Devices of an earlier message, by what became of them there. Not to be asked for in a send: `resend` makes it.
  case deliveries(of: Int64, ResendTarget)

  /// Reads the `audience` object: exactly one member.
  static func read(_ reader: inout JSONReader) throws(JSONError) -> Audience {
    var audiences: [Audience] = []
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "all":
        guard try reader.readBool() else { throw JSONError("must be true") }
        audiences.append(.all)
      case "members": audiences.append(.members(try reader.readBool()))
      case "clientUids": audiences.append(.clientUIDs(try readList(&reader, readUser).map(\.description)))
      case "devices": audiences.append(.devices(try readList(&reader, readDevice)))
      case "psids": audiences.append(.psids(try readList(&reader, readPSID)))
      case "groups": audiences.append(.groups(try readList(&reader, readGroup)))
      case "segment": audiences.append(try readSegment(&reader))
      case "csv": audiences.append(.csv(try readNumber(&reader, "the number of an uploaded file")))
      default: throw .unknownField
      }
    }
    guard let audience = audiences.first, audiences.count == 1 else {
      throw JSONError("must have exactly one of all, members, clientUids, devices, psids, groups, segment, csv")
    }
    return audience
  }

  /// Reads a list without repeats, in the order given.
  private static func readList<Entry: Hashable>(
    _ reader: inout JSONReader, _ read: (inout JSONReader) throws(JSONError) -> Entry
  ) throws(JSONError) -> [Entry] {
    var entries: [Entry] = []
    var seen: Set<Entry> = []
    try reader.readArray { (reader, index) throws(JSONError) in
      guard index < Domain.Limits.audienceEntries else {
        throw JSONError("is one more than the \(Domain.Limits.audienceEntries) that a send may name")
      }
      let entry = try read(&reader)
      if seen.insert(entry).inserted { entries.append(entry) }
    }
    guard !entries.isEmpty else { throw JSONError("must name at least one") }
    return entries
  }

  /// As a key, for keys differ byte by byte.
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
    // Either network may be meant: hex is compared in lower case, anything else as it stands.
    return PushNetwork.apns.normalize(psid: psid) ?? psid
  }

  static func readGroup(_ reader: inout JSONReader) throws(JSONError) -> Int64 {
    try reader.readGroupSeq()
  }

  /// The number of a saved segment, or what one says.
  private static func readSegment(_ reader: inout JSONReader) throws(JSONError) -> Audience {
    if try reader.peek() == .object { return .segment(try Segment.read(&reader)) }
    return .savedSegment(try readNumber(&reader, "the number of a saved segment, or an object of conditions"))
  }

  /// In quotes or as a number.
  private static func readNumber(_ reader: inout JSONReader, _ what: String) throws(JSONError) -> Int64 {
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

extension JSONReader {
  /// Reads a string of 1 to `bytes` UTF-8 bytes.
  package mutating func readText(upTo bytes: Int) throws(JSONError) -> String {
    let text = try readString()
    guard !text.isEmpty else { throw JSONError("must not be empty") }
    guard text.utf8.count <= bytes else { throw JSONError("is longer than \(bytes) bytes") }
    return text
  }
}

package import JSON

/// Segments as JSON: an object whose members must all be true.
///
/// ```
/// {"platform":["ios"],"appVersion":{"from":"2.0","before":"3"},"language":["ko"],"country":["KR"],
///  "timeZone":["Asia/Seoul"],"registered":{"since":"2026-01-01T00:00:00Z"},"seen":{"within":"P30D"},
///  "tags":{"any":["vip"],"none":["staff"]},"member":true,"consent":{"ad":true},"groups":["3"],
///  "not":{"clientUids":["kim01"]},"any":[{…},{…}]}
/// ```
extension Segment {
  /// Reads a whole text.
  package init(json: [UInt8]) throws(Problem) {
    var reader = JSONReader(json)
    do throws(JSONError) {
      self = try Self.read(&reader)
      try reader.finish()
    } catch {
      throw Problem(error)
    }
  }

  package static func read(_ reader: inout JSONReader) throws(JSONError) -> Segment {
    var conditions = 0
    return try read(&reader, depth: 1, &conditions)
  }

  private static func read(
    _ reader: inout JSONReader, depth: Int, _ conditions: inout Int
  ) throws(JSONError) -> Segment {
    guard depth <= Domain.Limits.segmentDepth else {
      throw JSONError.contradiction("is nested deeper than \(Domain.Limits.segmentDepth) segments")
    }
    var members: [Segment] = []
    var count = conditions
    try reader.readObject { (reader, key) throws(JSONError) in
      count += 1
      guard count <= Domain.Limits.segmentConditions else {
        throw JSONError.contradiction("is one more than the \(Domain.Limits.segmentConditions) conditions of a segment")
      }
      switch key {
      case "all", "any":
        var inner: [Segment] = []
        try reader.readArray { (reader, _) throws(JSONError) in
          inner.append(try read(&reader, depth: depth + 1, &count))
        }
        guard !inner.isEmpty else { throw JSONError("must have at least one segment") }
        members.append(key == "all" ? .all(inner) : .any(inner))
      case "not": members.append(.not(try read(&reader, depth: depth + 1, &count)))
      default: members.append(try readCondition(&reader, key))
      }
    }
    conditions = count
    guard let first = members.first else { throw JSONError("must have at least one condition") }
    return members.count == 1 ? first : .all(members)
  }

  private static func readCondition(_ reader: inout JSONReader, _ key: String) throws(JSONError) -> Segment {
    switch key {
    case "platform": .platform(try readTexts(&reader).map { $0.lowercased() })
    case "appVersion", "osVersion": .version(VersionOf(rawValue: key) ?? .app, try readVersions(&reader))
    case "language": .language(try readTexts(&reader).map { $0.lowercased() })
    case "country": .country(try readTexts(&reader).map { $0.uppercased() })
    case "timeZone": .timeZone(try readTexts(&reader))
    case "registered", "seen": .time(TimeOf(rawValue: key) ?? .seen, try readTimes(&reader))
    case "tags": .tags(try readTags(&reader))
    case "member": .member(try reader.readBool())
    case "consent": try readConsents(&reader)
    case "groups": .groups(try readList(&reader) { (reader) throws(JSONError) in try Audience.readGroup(&reader) })
    case "clientUids": .clientUIDs(try readTexts(&reader, bytes: Domain.Limits.clientUIDBytes))
    default: throw .unknownField
    }
  }

  // MARK: Conditions

  private static func readVersions(_ reader: inout JSONReader) throws(JSONError) -> VersionRange {
    var range = VersionRange()
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "from": range.from = try readVersion(&reader)
      case "before": range.before = try readVersion(&reader)
      case "upTo": range.upTo = try readVersion(&reader)
      default: throw .unknownField
      }
    }
    guard range != VersionRange() else { throw JSONError("must have from, before or upTo") }
    return range
  }

  /// One to eight numbers with points between them.
  private static func readVersion(_ reader: inout JSONReader) throws(JSONError) -> String {
    let text = try reader.readText(upTo: Domain.Limits.attributeBytes)
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let isVersion = parts.allSatisfy { part in
      (1...9).contains(part.utf8.count) && part.utf8.allSatisfy { $0 &- 48 < 10 }
    }
    guard parts.count <= 8, isVersion else { throw JSONError("must be a version such as 2.10.1") }
    return text
  }

  private static func readTimes(_ reader: inout JSONReader) throws(JSONError) -> TimeRange {
    var range = TimeRange()
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "since": range.since = try readMoment(&reader)
      case "before": range.before = try readMoment(&reader)
      case "within": range.within = try readDuration(&reader)
      case "notWithin": range.notWithin = try readDuration(&reader)
      default: throw .unknownField
      }
    }
    guard range != TimeRange() else { throw JSONError("must have since, before, within or notWithin") }
    return range
  }

  private static func readMoment(_ reader: inout JSONReader) throws(JSONError) -> Int64 {
    guard let moment = Moment.microseconds(try reader.readString()) else {
      throw JSONError("must be a time such as 2026-12-24T09:00:00+09:00")
    }
    return moment
  }

  private static func readDuration(_ reader: inout JSONReader) throws(JSONError) -> Int64 {
    guard let seconds = ISODuration.seconds(try reader.readString()),
      (1...Domain.Limits.segmentAgeSeconds).contains(seconds)
    else {
      throw JSONError("must be an ISO 8601 duration such as P30D")
    }
    return seconds
  }

  private static func readTags(_ reader: inout JSONReader) throws(JSONError) -> Tags {
    var tags = Tags()
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "any": tags.any = try readTagList(&reader)
      case "all": tags.all = try readTagList(&reader)
      case "none": tags.none = try readTagList(&reader)
      default: throw .unknownField
      }
    }
    guard tags != Tags() else { throw JSONError("must have any, all or none") }
    return tags
  }

  private static func readTagList(_ reader: inout JSONReader) throws(JSONError) -> [String] {
    try readList(&reader) { (reader) throws(JSONError) in try reader.readTag() }
  }

  private static func readConsents(_ reader: inout JSONReader) throws(JSONError) -> Segment {
    var consents: [Segment] = []
    try reader.readObject { (reader, key) throws(JSONError) in
      guard let kind = ConsentTo(rawValue: key) else { throw .unknownField }
      consents.append(.consent(kind, try reader.readBool()))
    }
    guard let first = consents.first else { throw JSONError("must have notification, ad or nightAd") }
    return consents.count == 1 ? first : .all(consents)
  }

  private static func readTexts(
    _ reader: inout JSONReader, bytes: Int = Domain.Limits.attributeBytes
  ) throws(JSONError) -> [String] {
    try readList(&reader) { (reader) throws(JSONError) in try reader.readText(upTo: bytes) }
  }

  private static func readList<Entry>(
    _ reader: inout JSONReader, _ read: (inout JSONReader) throws(JSONError) -> Entry
  ) throws(JSONError) -> [Entry] {
    var entries: [Entry] = []
    try reader.readArray { (reader, index) throws(JSONError) in
      guard index < Domain.Limits.segmentValues else {
        throw JSONError("is one more than the \(Domain.Limits.segmentValues) values of a condition")
      }
      entries.append(try read(&reader))
    }
    guard !entries.isEmpty else { throw JSONError("must name at least one") }
    return entries
  }
}

extension JSONReader {
  package mutating func readTag() throws(JSONError) -> String {
    let tag = try readString()
    if let objection = Tag.objection(to: tag) { throw JSONError(objection) }
    return tag
  }
}

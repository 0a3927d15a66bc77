package import JSON

/// Parses segments from JSON: an object whose conditions must all be true.
///
/// ```
/// {"platform":["ios"],"appVersion":{"from":"2.0","before":"3"},"language":["ko"],"country":["KR"],
///  "timeZone":["Asia/Seoul"],"registered":{"since":"2026-01-01T00:00:00Z"},"seen":{"within":"P30D"},
///  "tags":{"any":["vip"],"none":["staff"]},"member":true,"consent":{"ad":true},"groups":["3"],
///  "not":{"clientUids":["kim01"]},"any":[{…},{…}]}
/// ```
extension Segment {
  /// Parses a complete JSON text. Throws a `Problem` that names each faulty condition: `.malformed`, `.invalidField`,
  /// or `.impossible` for too many or too deeply nested ones.
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
    try Conditions().read(&reader)
  }

  package static let schemas: [JSONTree.Member] = [
    Conditions.object.named, JSONForm<VersionRange>.versionRange.named, JSONForm<TimeRange>.timeRange.named,
    JSONForm<Tags>.tagSets.named, JSONForm<Segment>.consentSet.named,
  ]

  /// Parser state: the conditions of one object read so far, and the limits that apply to the whole segment.
  private struct Conditions {
    /// Nesting depth of the current segment.
    var depth = 1
    /// Number of conditions so far in the whole segment, including enclosing and nested objects.
    var count = 0
    var members: [Segment] = []

    static let object = JSONObject(
      "Segment", about: "Conditions that must all be true of a device. At least one, at most 50, inner ones counted.",
      from: Conditions(), more: [("minProperties", .number(1))],
      [
        condition("platform", .values(.attribute), "Such as `ios`; upper and lower case are the same.") {
          .platform($0.map { $0.lowercased() })
        },
        condition("appVersion", .versions) { .version(.app, $0) },
        condition("osVersion", .versions) { .version(.os, $0) },
        condition("language", .values(.attribute), "ISO 639: the first part of the device's locale.") {
          .language($0.map { $0.lowercased() })
        },
        condition("country", .values(.attribute), "ISO 3166: the region in the device's locale.") {
          .country($0.map { $0.uppercased() })
        },
        condition("timeZone", .values(.attribute), "IANA names.") { .timeZone($0) },
        condition(
          "registered", .times, "First registered: long ago, when a file of another push server brought it."
        ) { .time(.registered, $0) },
        condition("seen", .times, "Last registered or called, to the hour.") { .time(.seen, $0) },
        condition("tags", .tags, "Tags of the device or of its user.") { .tags($0) },
        condition("member", .flag, "Has a user (true), or is a guest.") { .member($0) },
        condition("consent", .consents, "Was given (true) or withdrawn (false).") { $0 },
        condition("groups", .values(.groupSeq), "Member of one of these, or of one below.") { .groups($0) },
        condition("clientUids", .values(.clientUID), "One of these users.") {
          .clientUIDs($0)
        },
        .reading("all", inner, "All of these segments.") { (outer, reader) throws(JSONError) in
          outer.members.append(.all(try outer.readInner(&reader)))
        },
        .reading("any", inner, "At least one of these.") { (outer, reader) throws(JSONError) in
          outer.members.append(.any(try outer.readInner(&reader)))
        },
        .reading("not", JSONSchema.reference("Segment"), "Everybody but these.") { (outer, reader) throws(JSONError) in
          try outer.takeOne()
          outer.members.append(.not(try outer.readOne(&reader)))
        },
      ])

    private static let inner = JSONSchema.list(
      of: JSONSchema.reference("Segment"), 1...Domain.Limits.segmentConditions)

    private static func condition<Value>(
      _ name: String, _ form: JSONForm<Value>, _ about: String? = nil,
      _ make: @escaping @Sendable (Value) -> Segment
    ) -> JSONField<Conditions> {
      .reading(name, form.schema, about) { (conditions, reader) throws(JSONError) in
        try conditions.takeOne()
        conditions.members.append(make(try form.read(&reader)))
      }
    }

    private mutating func takeOne() throws(JSONError) {
      count += 1
      guard count <= Domain.Limits.segmentConditions else {
        throw JSONError.contradiction("is one more than the \(Domain.Limits.segmentConditions) conditions of a segment")
      }
    }

    func read(_ reader: inout JSONReader) throws(JSONError) -> Segment {
      var copy = self
      return try copy.readWhole(&reader)
    }

    private mutating func readWhole(_ reader: inout JSONReader) throws(JSONError) -> Segment {
      guard depth <= Domain.Limits.segmentDepth else {
        throw JSONError.contradiction("is nested deeper than \(Domain.Limits.segmentDepth) segments")
      }
      self = try Self.object.read(&reader, into: self)
      guard let first = members.first else { throw JSONError("must have at least one condition") }
      return members.count == 1 ? first : .all(members)
    }

    /// Parses a nested segment, whose conditions also count towards the limit of the whole segment.
    private mutating func readOne(_ reader: inout JSONReader) throws(JSONError) -> Segment {
      var inner = Conditions(depth: depth + 1, count: count)
      let segment = try inner.readWhole(&reader)
      count = inner.count
      return segment
    }

    private mutating func readInner(_ reader: inout JSONReader) throws(JSONError) -> [Segment] {
      try takeOne()
      var outer = self
      var segments: [Segment] = []
      try reader.readArray { (reader, _) throws(JSONError) in segments.append(try outer.readOne(&reader)) }
      guard !segments.isEmpty else { throw JSONError("must have at least one segment") }
      self = outer
      return segments
    }
  }
}

// MARK: Conditions

extension JSONForm {
  /// Returns the form of the list of values of a condition, which has 1 to `segmentValues` elements.
  fileprivate static func values<Element>(_ form: JSONForm<Element>) -> JSONForm where Value == [Element] {
    .list(
      of: form, 1...Domain.Limits.segmentValues,
      tooMany: "is one more than the \(Domain.Limits.segmentValues) values of a condition",
      tooFew: "must name at least one")
  }
}

extension JSONForm<String> {
  /// The form of a version: one to eight numbers of at most nine digits, separated by dots.
  fileprivate static let version = JSONForm.attribute.described(
    JSONSchema.text(matching: #"^[0-9]{1,9}(\.[0-9]{1,9}){0,7}$"#)
  ).mapped(
    by: { text in
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      let isVersion = parts.allSatisfy { part in
        (1...9).contains(part.utf8.count) && part.utf8.allSatisfy { $0 &- 48 < 10 }
      }
      return parts.count <= 8 && isVersion ? text : nil
    }, else: "must be a version such as 2.10.1", written: { $0 })

  /// The form of a tag in a request.
  package static let tag = JSONForm(
    JSONSchema.tag, read: { (reader) throws(JSONError) in try reader.readTag() })
}

extension JSONForm<Segment.VersionRange> {
  fileprivate static let versionRange = JSONObject(
    "SegmentVersions", from: Segment.VersionRange(),
    more: [
      ("minProperties", .number(1)),
      (
        "description",
        "Compared number by number: 1.10 comes after 1.9. A device that says no version is in no range."
      ),
    ],
    [.given("from", .version, \.from), .given("before", .version, \.before), .given("upTo", .version, \.upTo)]
  )
  fileprivate static let versions = versionRange.form.mapped(
    by: { $0 == Segment.VersionRange() ? nil : $0 }, else: "must have from, before or upTo", written: { $0 })
}

extension JSONForm<Segment.TimeRange> {
  fileprivate static let timeRange = JSONObject(
    "SegmentTimes", from: Segment.TimeRange(), more: [("minProperties", .number(1))],
    [
      .given("since", .moment, \.since), .given("before", .moment, \.before),
      .given("within", .seconds(1...Domain.Limits.segmentAgeSeconds), \.within, "So long ago at most."),
      .given("notWithin", .seconds(1...Domain.Limits.segmentAgeSeconds), \.notWithin, "Longer ago."),
    ]
  )
  fileprivate static let times = timeRange.form.mapped(
    by: { $0 == Segment.TimeRange() ? nil : $0 }, else: "must have since, before, within or notWithin",
    written: { $0 })
}

extension JSONForm<Segment.Tags> {
  fileprivate static let tagSets = JSONObject(
    "SegmentTags", from: Segment.Tags(), more: [("minProperties", .number(1))],
    [.given("any", .values(.tag), \.any), .given("all", .values(.tag), \.all), .given("none", .values(.tag), \.none)]
  )
  fileprivate static let tags = tagSets.form.mapped(
    by: { $0 == Segment.Tags() ? nil : $0 }, else: "must have any, all or none", written: { $0 })
}

extension JSONForm<Segment> {
  fileprivate static let consentSet = JSONObject(
    "SegmentConsents", from: [Segment](), more: [("minProperties", .number(1))],
    [consent(.notification), consent(.ad), consent(.nightAd)]
  )
  fileprivate static let consents = consentSet.form.mapped(
    by: { consents in
      guard let first = consents.first else { return nil }
      return consents.count == 1 ? first : .all(consents)
    }, else: "must have notification, ad or nightAd", written: { [$0] })

  private static func consent(_ kind: Segment.ConsentTo) -> JSONField<[Segment]> {
    .given(kind.rawValue, .flag) { $0.append(.consent(kind, $1)) }
  }
}

extension JSONReader {
  package mutating func readTag() throws(JSONError) -> String {
    let tag = try readString()
    if let objection = Tag.objection(to: tag) { throw JSONError(objection) }
    return tag
  }
}

package import Time

/// An audience defined by conditions on devices. `Store` compiles it to SQL.
package indirect enum Segment: Equatable, Sendable {
  case all([Segment])
  case any([Segment])
  case not(Segment)
  case platform([String])
  case version(VersionOf, VersionRange)
  /// ISO 639 codes in lower case: the first part of the device's locale.
  case language([String])
  /// ISO 3166 codes in upper case: the region in the device's locale.
  case country([String])
  /// IANA names of time zones, as reported by devices.
  case timeZone([String])
  case time(TimeOf, TimeRange)
  case tags(Tags)
  /// True for devices with a user, false for guests.
  case member(Bool)
  case consent(ConsentTo, Bool)
  /// Devices whose user, or for a guest the device, is a member of one of these groups or of a group below them.
  case groups([Int64])
  case clientUIDs([String])

  /// The groups that the conditions name, at any depth.
  package var namedGroups: Set<Int64> {
    switch self {
    case .all(let parts), .any(let parts): Set(parts.flatMap(\.namedGroups))
    case .not(let part): part.namedGroups
    case .groups(let groups): Set(groups)
    case .platform, .version, .language, .country, .timeZone, .time, .tags, .member, .consent, .clientUIDs: []
    }
  }

  package enum VersionOf: String, Sendable {
    case app = "appVersion"
    case os = "osVersion"
  }

  /// A range of versions: at least `from`, less than `before`, and at most `upTo`; nil for no such limit. Versions are
  /// compared number by number: 1.10 comes after 1.9, and 2.0 equals 2.
  package struct VersionRange: Equatable, Sendable {
    package var from: String?
    package var before: String?
    package var upTo: String?
  }

  package enum TimeOf: String, Sendable {
    /// Time of the first registration; 1970 for devices imported from another push server.
    case registered
    /// Time of the last registration or call. Calls are recorded at most every 15 minutes, so it can be that much too
    /// early.
    case seen
  }

  package struct TimeRange: Equatable, Sendable {
    /// Start, inclusive; nil for none.
    package var since: Timestamp?
    /// End, exclusive; nil for none.
    package var before: Timestamp?
    /// Only times at most this many seconds before the audience is read; nil for no such limit.
    package var within: Int64?
    /// Only times more than this many seconds before the audience is read; nil for no such limit.
    package var notWithin: Int64?
  }

  /// A condition on the tags of the device and of its user together: at least one of `any`, all of `all`, and none of
  /// `none`. An empty list means no condition.
  package struct Tags: Equatable, Sendable {
    package var any: [String] = []
    package var all: [String] = []
    package var none: [String] = []
  }

  package enum ConsentTo: String, Sendable {
    case notification
    case ad
    case nightAd
  }
}

extension Domain.Limits {
  /// Maximum conditions in a segment, including nested ones; real segments have about a dozen.
  static let segmentConditions = 50
  /// Maximum nesting depth of segments.
  static let segmentDepth = 6
  /// Maximum values in a condition (platforms, countries, tags …).
  static let segmentValues = 1_000
  package static let segmentNameBytes = 256
  /// Maximum seconds in `within` and `notWithin`: a hundred years. More is meaningless and might overflow.
  static let segmentAgeSeconds: Int64 = 3_153_600_000
  package static let tagBytes = 64
  /// Maximum tags of a user or device.
  package static let tagsPerOwner = 100
}

/// A short label of a user or a device, such as `vip` or `plan:gold`.
package enum Tag {
  /// Returns the reason why a text is not a valid tag; nil if it is valid.
  package static func objection(to text: String) -> Sentence? {
    guard !text.isEmpty, text.utf8.count <= Domain.Limits.tagBytes else {
      return "must have 1 to \(Domain.Limits.tagBytes) bytes"
    }
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), text.utf8.first != 0x20, text.utf8.last != 0x20 else {
      return "must have no control characters, and no blank at either end"
    }
    return nil
  }
}

internal import Crypto
internal import Domain
internal import Postgres
internal import Time

/// Compiles a segment into a statement that selects its devices.
///
/// The SQL consists only of the fixed fragments below, never of user input: every value is a parameter. Segments have
/// arbitrarily many shapes, so the statements are not kept prepared; a name derived from the text identifies them in
/// errors.
struct SegmentSQL {
  private(set) var parameters: Parameters
  /// Number of parameters so far.
  private var count: Int
  /// The time from which `within` and `notWithin` are subtracted: when the audience was frozen.
  private let now: Timestamp
  private var asksUsers = false

  /// Creates a compiler for one statement.
  /// - Parameters:
  ///   - parameters: parameters that precede those of the conditions: `$1` is the app, and user keys are in (`$2`,
  ///     `$3`].
  ///   - count: number of `parameters`.
  init(_ parameters: Parameters, count: Int, now: Timestamp) {
    self.parameters = parameters
    self.count = count
    self.now = now
  }

  /// Returns the statement `SELECT select FROM devices d WHERE condition AND … rest`, where `…` are the segment's
  /// conditions, and appends their values to `parameters`. Call it once.
  mutating func statement(select: String, where condition: String, _ segment: Segment, rest: String) -> Statement {
    let meant = sql(segment)
    // Repeat the range in the condition on users; otherwise all users of the app would be read for each part of an
    // audience.
    let users =
      asksUsers
      ? "LEFT JOIN users u ON u.app = d.app AND u.user_key = d.user_key AND u.user_key > $2 AND u.user_key <= $3" : ""
    let text = "SELECT \(select) FROM devices d \(users) WHERE \(condition) AND \(meant) \(rest)"
    return Statement("segment-" + Hex.encode(SHA256.hash(Array(text.utf8)).prefix(16)), text, isKept: false)
  }

  // MARK: Conditions

  /// Returns a condition on the device `d` that is true or false, never NULL, so that `not` selects the exact
  /// complement. Appends the condition's values to `parameters`.
  private mutating func sql(_ segment: Segment) -> String {
    switch segment {
    case .all(let parts): join(parts, " AND ")
    case .any(let parts): join(parts, " OR ")
    case .not(let part): "NOT \(sql(part))"
    case .platform(let names): "(lower(d.platform) = ANY(\(bind(names))))"
    case .version(let field, let range): versions(field == .app ? "d.app_version" : "d.os_version", range)
    case .language(let codes): "(lower(split_part(replace(d.locale, '_', '-'), '-', 1)) = ANY(\(bind(codes))))"
    case .country(let codes):
      "coalesce(upper(substring(d.locale FROM '[-_]([A-Za-z]{2}|[0-9]{3})(?:[-_.@]|$)')) = ANY(\(bind(codes))), false)"
    case .timeZone(let names): "(d.time_zone = ANY(\(bind(names))))"
    case .time(let field, let range):
      times(field == .registered ? Self.firstRegistered : "greatest(d.registered_at, d.seen_at)", range)
    case .tags(let tags): self.tags(tags)
    case .member(true): "(d.user_key >= 'u')"
    case .member(false): "(d.user_key < 'u')"
    case .consent(let kind, let isGiven): "(\(Self.column(kind)) IS NOT DISTINCT FROM \(bind(isGiven)))"
    case .groups(let groups): self.groups(groups)
    case .clientUIDs(let users): "(d.user_key = ANY(\(bind(users.map { UserKey(clientUID: $0).text }))))"
    }
  }

  /// Time of the first registration. Devices imported from another push server count as registered long ago, regardless
  /// of when they were imported.
  private static let firstRegistered = "CASE WHEN d.is_imported THEN 'epoch'::timestamptz ELSE d.created_at END"

  private mutating func join(_ parts: [Segment], _ word: String) -> String {
    var texts: [String] = []
    for part in parts { texts.append(sql(part)) }
    return "(" + texts.joined(separator: word) + ")"
  }

  private mutating func versions(_ column: String, _ range: Segment.VersionRange) -> String {
    var texts: [String] = []
    for (bound, sign) in [(range.from, ">="), (range.before, "<"), (range.upTo, "<=")] {
      if let bound { texts.append("version_parts(\(column)) \(sign) version_parts(\(bind(bound)))") }
    }
    // A device whose version is missing or malformed is in no range.
    return "coalesce(" + texts.joined(separator: " AND ") + ", false)"
  }

  private mutating func times(_ column: String, _ range: Segment.TimeRange) -> String {
    var texts: [String] = []
    let since = [range.since, range.within.map { now - .seconds($0) }].compactMap { $0 }
    let before = [range.before, range.notWithin.map { now - .seconds($0) }].compactMap { $0 }
    for moment in since { texts.append("\(column) >= \(bind(moment: moment))") }
    for moment in before { texts.append("\(column) < \(bind(moment: moment))") }
    return "(" + texts.joined(separator: " AND ") + ")"
  }

  private mutating func tags(_ tags: Segment.Tags) -> String {
    asksUsers = true
    var texts: [String] = []
    let ofUser = "coalesce(u.tags, '{}')"
    if !tags.any.isEmpty {
      let wanted = bind(tags.any)
      texts.append("(d.tags && \(wanted) OR \(ofUser) && \(wanted))")
    }
    if !tags.all.isEmpty { texts.append("(d.tags || \(ofUser)) @> \(bind(tags.all))") }
    if !tags.none.isEmpty {
      let unwanted = bind(tags.none)
      texts.append("NOT (d.tags && \(unwanted) OR \(ofUser) && \(unwanted))")
    }
    return "(" + texts.joined(separator: " AND ") + ")"
  }

  private static func column(_ kind: Segment.ConsentTo) -> String {
    switch kind {
    case .notification: "d.consent_notification"
    case .ad: "d.consent_ad"
    case .nightAd: "d.consent_night_ad"
    }
  }

  private mutating func groups(_ groups: [Int64]) -> String {
    var column = Int64Column()
    for group in groups { column.append(group) }
    parameters.append(column)
    count += 1
    // EXISTS instead of IN, so that `not` becomes a join too: NOT IN compared each device with each member, which took
    // 100 seconds for ten thousand devices. The range is repeated as above; the subtree of groups is computed once.
    return """
      (EXISTS (SELECT FROM group_members m WHERE m.app = $1 AND m.user_key = d.user_key
        AND m.user_key > $2 AND m.user_key <= $3 AND m.groupseq = ANY(ARRAY(
          WITH RECURSIVE subtree AS (
            SELECT groupseq FROM groups WHERE app = $1 AND groupseq = ANY($\(count))
            UNION SELECT g.groupseq FROM groups g JOIN subtree s ON g.parent = s.groupseq
          ) SELECT groupseq FROM subtree))))
      """
  }

  // MARK: Values

  private mutating func bind(_ texts: [String]) -> String {
    var column = TextColumn()
    for text in texts { column.append(text) }
    parameters.append(column)
    count += 1
    return "$\(count)"
  }

  private mutating func bind(_ text: String) -> String {
    parameters.append(text)
    count += 1
    return "$\(count)"
  }

  private mutating func bind(_ flag: Bool) -> String {
    parameters.append(flag)
    count += 1
    return "$\(count)"
  }

  private mutating func bind(moment: Timestamp) -> String {
    parameters.append(moment)
    count += 1
    return "$\(count)"
  }
}

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Badge, groups, consents and further tokens of the device and its user.
extension PushClient {
  // MARK: Badge

  /// The user's badge count, which the server keeps.
  public func badge() async throws(ClientError) -> Int {
    try await deviceCall("GET", "/badge", of: demandRegistration()).decoded(ShownBadge.self).badge
  }

  /// Sets the badge count: 1…1000, checked before anything is sent. A read with `reset` makes it 0.
  @discardableResult
  public func update(badge: Int) async throws(ClientError) -> Int {
    try BadgeOption.check(badge)
    return try await deviceCall("PUT", "/badge", WireBody.encode(ShownBadge(badge: badge)), of: demandRegistration())
      .decoded(ShownBadge.self).badge
  }

  private struct ShownBadge: Codable, Sendable { var badge: Int }

  // MARK: Groups

  /// Joins a group by its number. Joining again changes nothing.
  public func register(group groupSequenceNumber: String) async throws(ClientError) {
    try await deviceCall("PUT", try groupPath(groupSequenceNumber), of: demandRegistration()).demandNoContent()
  }

  /// Leaves a group. Leaving again changes nothing.
  public func unregister(group groupSequenceNumber: String) async throws(ClientError) {
    try await deviceCall("DELETE", try groupPath(groupSequenceNumber), of: demandRegistration()).demandNoContent()
  }

  private func groupPath(_ number: String) throws(ClientError) -> String {
    guard OutboxEntry.isSequence(number) else { throw .badArgument("a group's number is digits, not \"\(number)\"") }
    return "/groups/\(number)"
  }

  /// The groups of the user, or of the guest's device.
  public func groups() async throws(ClientError) -> [ClientGroup] {
    struct Page: Decodable {
      var items: [ClientGroup]
      var nextCursor: String?
    }
    let known = try demandRegistration()
    var groups: [ClientGroup] = []
    var cursor: String?
    // A server that always has a next page does not keep us.
    for _ in 0..<100 {
      let query =
        "?limit=100" + (try cursor.map { cursor throws(ClientError) in "&cursor=\(try Self.cursor(cursor))" } ?? "")
      let page = try await deviceCall("GET", "/groups" + query, of: known).decoded(Page.self)
      groups += page.items
      guard let next = page.nextCursor else { break }
      cursor = next
    }
    return groups
  }

  // MARK: Consents

  /// The consents of this device.
  public func consents() async throws(ClientError) -> ClientConsents {
    try await deviceCall("GET", "/consent", of: demandRegistration()).decoded(ClientConsents.self)
  }

  /// Gives or withdraws consents; what is nil stays as it is.
  @discardableResult
  public func set(_ consent: ConsentChange) async throws(ClientError) -> ClientConsents {
    try await deviceCall("PUT", "/consent", WireBody.encode(consent), of: demandRegistration())
      .decoded(ClientConsents.self)
  }

  // MARK: Further tokens

  /// Registers a further token of Apple's: VoIP, push-to-start and the like. A running live activity has a token of its own:
  /// `set(_:forActivity:attributesType:)`.
  public func set(_ token: String, for kind: FurtherTokenKind) async throws(ClientError) {
    struct Body: Encodable { var psid: String }
    guard OutboxEntry.isPlain(token, 512) else { throw .badArgument("a push token is 1 to 512 bytes without spaces") }
    try await deviceCall(
      "PUT", "/tokens/\(kind.rawValue)", WireBody.encode(Body(psid: token.lowercased())), of: demandRegistration()
    ).demandNoContent()
  }

  /// Ends a further token. Doing it again changes nothing.
  public func end(_ kind: FurtherTokenKind) async throws(ClientError) {
    try await deviceCall("DELETE", "/tokens/\(kind.rawValue)", of: demandRegistration()).demandNoContent()
  }

  /// Registers the token that ActivityKit gave one live activity. Registering it again replaces it.
  /// - Parameters:
  ///   - token: hex digits.
  ///   - activity: `Activity.id`: 1 to 128 letters, digits, dots, colons, dashes, tildes and underscores.
  ///   - attributesType: the name of its attributes' type, so that a send can update all activities of the type.
  public func set(
    _ token: String, forActivity activity: String, attributesType: String? = nil
  ) async throws(ClientError) {
    struct Body: Encodable {
      var psid: String
      var attributesType: String?
    }
    guard OutboxEntry.isPlain(token, 512) else { throw .badArgument("a push token is 1 to 512 bytes without spaces") }
    let body = WireBody.encode(Body(psid: token.lowercased(), attributesType: attributesType))
    try await deviceCall("PUT", try Self.path(ofActivity: activity), body, of: demandRegistration()).demandNoContent()
  }

  /// Ends the token of a live activity that has ended. Doing it again changes nothing.
  public func end(activity: String) async throws(ClientError) {
    try await deviceCall("DELETE", try Self.path(ofActivity: activity), of: demandRegistration()).demandNoContent()
  }

  private static func path(ofActivity activity: String) throws(ClientError) -> String {
    let isNamed =
      (1...128).contains(activity.utf8.count)
      && activity.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "._~:-".utf8.contains(byte)
        }
      }
    guard isNamed else { throw .badArgument("an activity's id is 1 to 128 letters, digits and . _ ~ : -") }
    return "/activities/\(activity)"
  }

  // MARK: Inbox

  /// A page of what was sent with `inbox`, newest first.
  /// - Parameters:
  ///   - limit: 1…100.
  ///   - cursor: of the page before.
  public func inbox(limit: Int = 20, after cursor: String? = nil) async throws(ClientError) -> InboxListing {
    guard (1...100).contains(limit) else { throw .badArgument("a page of the inbox has 1 to 100 entries") }
    let query =
      "?limit=\(limit)" + (try cursor.map { cursor throws(ClientError) in "&cursor=\(try Self.cursor(cursor))" } ?? "")
    return try await deviceCall("GET", "/inbox" + query, of: demandRegistration()).decoded(InboxListing.self)
  }

  /// A cursor comes from a server and goes into an address.
  private static func cursor(_ text: String) throws(ClientError) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D
        || byte == 0x5F
    }
    guard isPlain, (1...512).contains(text.utf8.count) else { throw .badArgument("this is no cursor of the server") }
    return text
  }

  // MARK: Pages and media

  /// The value of a hosted page (`RichContent.hosted`), or of a text (`…_msp.html`); anything else is its own value.
  public func resolve(_ value: String) async throws(ClientError) -> String {
    guard RichContent.isHosted(value) else { return value }
    return try HostedText.decode(try await fetch(value, mostBytes: ClientLimits.pageBytes).body)
  }

  /// An image, a sound or a film, of at most 10 MB.
  public func media(_ url: String) async throws(ClientError) -> [UInt8] {
    try await fetch(url, mostBytes: ClientLimits.mediaBytes).body
  }

  /// Without any key: the address is the payload's.
  private func fetch(_ url: String, mostBytes: Int) async throws(ClientError) -> WireAnswer {
    guard url.hasPrefix("https://") || settings.server.holds(url) else {
      throw .badContent("pages and media come by https, or from the server itself")
    }
    guard let parts = URLComponents(string: url), let scheme = parts.scheme, let host = parts.host, !host.isEmpty,
      parts.user == nil, parts.password == nil
    else { throw .badContent("this is no address") }
    let origin = "\(scheme)://\(host)" + (parts.port.map { ":\($0)" } ?? "")
    guard url.hasPrefix(origin + "/") else { throw .badContent("this is no address") }
    var request = WireRequest("GET", String(url.dropFirst(origin.count)), at: origin)
    request.mostBytes = mostBytes
    let answer = try await call(request)
    guard answer.status == 200 else { throw .badContent("HTTP \(answer.status) for a page or medium") }
    guard answer.body.count <= mostBytes else { throw .badContent("longer than \(mostBytes) bytes") }
    return answer
  }
}

/// A group as a device sees it.
public struct ClientGroup: Sendable, Equatable, Decodable {
  /// GROUPSEQ.
  public let groupSeq: String
  /// Its name.
  public let name: String
}

/// Consents of a device; nil: never asked.
public struct ClientConsents: Sendable, Equatable, Decodable {
  /// One answer.
  public struct Answer: Sendable, Equatable, Decodable {
    /// True when it was given.
    public let given: Bool
    /// When it was given or withdrawn, RFC 3339.
    public let at: String
  }

  /// Notifications at all.
  public let notification: Answer?
  /// Advertising.
  public let ad: Answer?
  /// Advertising at night.
  public let nightAd: Answer?
}

/// Tokens of Apple's beside the PSID.
public enum FurtherTokenKind: String, Sendable, CaseIterable {
  /// PushKit's, for calls.
  case voip
  /// Starts a live activity by a push.
  case liveActivityStart = "live-activity-start"
  /// Push to Talk.
  case pushToTalk = "push-to-talk"
  /// A complication of Apple Watch.
  case complication
  /// A file provider.
  case fileProvider = "file-provider"
  /// Location queries.
  case location
  /// Widgets.
  case widgets
  /// Controls.
  case controls
}

/// A page of the inbox.
public struct InboxListing: Sendable, Equatable, Decodable {
  /// A message that stays.
  public struct Entry: Sendable, Equatable, Decodable {
    /// SEQNO.
    public let seqno: String
    /// RFC 3339.
    public let sentAt: String
    /// It leaves the inbox then.
    public let endsAt: String
    /// Nil: unread.
    public let readAt: String?
    /// As the push showed it; nil when a newer server wrote it.
    public let payload: PayloadValue?

    /// For `PushClient.read`; nil when there is nothing to confirm.
    public var received: ReceivedPayload? { payload.flatMap { try? ReceivedPayload($0) } }
  }

  /// Newest first.
  public let items: [Entry]
  /// All that are unread, on all pages.
  public let unread: Int
  /// For the next page; nil on the last.
  public let nextCursor: String?
}

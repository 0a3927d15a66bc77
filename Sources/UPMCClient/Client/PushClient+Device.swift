#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Manages the badge, groups, consents, further tokens and inbox of the device and its user, and downloads pages and
/// media. Except for downloads, all calls throw `.notRegistered` if the device is not registered, `.keyStore` if the
/// key store cannot be read, and the errors of a call to the server: `.refused`, `.busy`, `.noAnswer` and
/// `.notAnAnswer`.
extension PushClient {
  // MARK: Badge

  /// Returns the user's badge count, which the server keeps; for a guest, the device's.
  public func badge() async throws(ClientError) -> Int {
    try await deviceCall("GET", "/badge", of: demandRegistration()).decoded(ShownBadge.self).badge
  }

  /// Sets the badge count on the server, 1…1000, and returns the new one. Throws `.badgeOutOfRange` before sending
  /// anything if the number is out of range. To set the count to 0, confirm a read with `reset`.
  @discardableResult
  public func update(badge: Int) async throws(ClientError) -> Int {
    try BadgeOption.check(badge)
    return try await deviceCall("PUT", "/badge", WireBody.encode(ShownBadge(badge: badge)), of: demandRegistration())
      .decoded(ShownBadge.self).badge
  }

  private struct ShownBadge: Codable, Sendable { var badge: Int }

  // MARK: Groups

  /// Adds the device's user, or a guest's device, to the group with this number (GROUPSEQ). No effect for a member.
  /// - Throws: `.badArgument` unless this is 1 to 19 digits without a leading zero; `.refused` (`upmc:unknown-group`)
  ///   if there is no such group.
  public func register(group groupSequenceNumber: String) async throws(ClientError) {
    try await deviceCall("PUT", try groupPath(groupSequenceNumber), of: demandRegistration()).demandNoContent()
  }

  /// Removes the device's user, or a guest's device, from the group with this number (GROUPSEQ). No effect if it is not
  /// a member.
  /// - Throws: `.badArgument` unless this is 1 to 19 digits without a leading zero; `.refused` (`upmc:unknown-group`)
  ///   if there is no such group.
  public func unregister(group groupSequenceNumber: String) async throws(ClientError) {
    try await deviceCall("DELETE", try groupPath(groupSequenceNumber), of: demandRegistration()).demandNoContent()
  }

  private func groupPath(_ number: String) throws(ClientError) -> String {
    guard OutboxEntry.isSequence(number) else { throw .badArgument("a group's number is digits, not \"\(number)\"") }
    return "/groups/\(number)"
  }

  /// Returns the groups of the user, or for a guest, of the device, in the order of their numbers; at most 10,000.
  /// - Throws: `.badArgument` if the server answers with an invalid cursor.
  public func groups() async throws(ClientError) -> [ClientGroup] {
    struct Page: Decodable {
      var items: [ClientGroup]
      var nextCursor: String?
    }
    let known = try demandRegistration()
    var groups: [ClientGroup] = []
    var cursor: String?
    // Limit the number of pages, in case a faulty server never ends the list.
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

  /// Returns the consents that the server has recorded for this device.
  public func consents() async throws(ClientError) -> ClientConsents {
    try await deviceCall("GET", "/consent", of: demandRegistration()).decoded(ClientConsents.self)
  }

  /// Records consents given or withdrawn; those that are nil are left unchanged. Returns all consents of the device.
  @discardableResult
  public func set(_ consent: ConsentChange) async throws(ClientError) -> ClientConsents {
    try await deviceCall("PUT", "/consent", WireBody.encode(consent), of: demandRegistration())
      .decoded(ClientConsents.self)
  }

  // MARK: Further tokens

  /// Registers a further APNs token (VoIP, push-to-start and so on), replacing the device's earlier one of this kind.
  /// For the token of a running Live Activity, use `set(_:forActivity:attributesType:)`. In apps whose identity mode is
  /// `proof` or `strict`, set further tokens again after each registration and each sign-in: they end those of a guest
  /// whose key has ended.
  /// - Parameter token: hexadecimal digits.
  /// - Throws: `.badArgument` if the token is empty, longer than 512 bytes or contains other than visible ASCII
  ///   characters; `.refused` if the server does not accept it.
  public func set(_ token: String, for kind: FurtherTokenKind) async throws(ClientError) {
    struct Body: Encodable { var psid: String }
    guard OutboxEntry.isPlain(token, 512) else { throw .badArgument("a push token is 1 to 512 bytes without spaces") }
    try await deviceCall(
      "PUT", "/tokens/\(kind.rawValue)", WireBody.encode(Body(psid: token.lowercased())), of: demandRegistration()
    ).demandNoContent()
  }

  /// Removes the device's further token of this kind. No effect if there is none.
  public func end(_ kind: FurtherTokenKind) async throws(ClientError) {
    try await deviceCall("DELETE", "/tokens/\(kind.rawValue)", of: demandRegistration()).demandNoContent()
  }

  /// Registers the token that ActivityKit has issued for a Live Activity, replacing that activity's earlier one. The
  /// server removes a token about 24 hours after its last registration, and the device's oldest one for a 17th
  /// activity.
  /// - Parameters:
  ///   - token: hexadecimal digits.
  ///   - activity: `Activity.id`: 1 to 128 letters, digits, dots, colons, dashes, tildes and underscores.
  ///   - attributesType: name of the activity's attributes type, so that a message can update all activities of the
  ///     type; nil to exclude the activity from such messages.
  /// - Throws: `.badArgument` if the id is invalid, or the token is empty, longer than 512 bytes or contains other than
  ///   visible ASCII characters; `.refused` if the server does not accept the token or the type.
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

  /// Removes the token of a Live Activity that has ended. No effect if there is none. Throws `.badArgument` if this is
  /// not an activity's id.
  public func end(activity: String) async throws(ClientError) {
    try await deviceCall("DELETE", try Self.path(ofActivity: activity), of: demandRegistration()).demandNoContent()
  }

  private static func path(ofActivity activity: String) throws(ClientError) -> String {
    let isNamed =
      (1...128).contains(activity.utf8.count)
      // In a path, these would mean another address.
      && activity != "." && activity != ".."
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

  /// Returns a page of the inbox of the user, or for a guest, of the device: messages sent with `inbox`, newest first.
  /// - Parameters:
  ///   - limit: maximum number of entries, 1…100.
  ///   - cursor: `nextCursor` of the previous page; nil for the first page.
  /// - Throws: `.badArgument` if the limit is out of range or the cursor malformed; `.refused` if the server does not
  ///   know the cursor.
  public func inbox(limit: Int = 20, after cursor: String? = nil) async throws(ClientError) -> InboxListing {
    guard (1...100).contains(limit) else { throw .badArgument("a page of the inbox has 1 to 100 entries") }
    let query =
      "?limit=\(limit)" + (try cursor.map { cursor throws(ClientError) in "&cursor=\(try Self.cursor(cursor))" } ?? "")
    return try await deviceCall("GET", "/inbox" + query, of: demandRegistration()).decoded(InboxListing.self)
  }

  /// Returns a cursor unchanged, or throws `.badArgument` if it is not 1 to 512 letters, digits, dashes and
  /// underscores: it comes from a server and becomes part of a URL.
  private static func cursor(_ text: String) throws(ClientError) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D
        || byte == 0x5F
    }
    guard isPlain, (1...512).contains(text.utf8.count) else { throw .badArgument("this is no cursor of the server") }
    return text
  }

  // MARK: Pages and media

  /// Downloads the value or text that a payload replaces by the URL of a hosted page (`…_ext.html`, `…_msp.html`), of
  /// at most 768 KiB. Returns every other value unchanged.
  /// - Throws: `.badContent` if the URL is invalid, is `http` of another server, or does not answer 200, or if the page
  ///   is not percent-encoded UTF-8; `.noAnswer` if there is no answer or the page is too large.
  public func resolve(_ value: String) async throws(ClientError) -> String {
    guard RichContent.isHosted(value) else { return value }
    return try HostedText.decode(try await fetch(value, mostBytes: ClientLimits.pageBytes).body)
  }

  /// Downloads an image, sound or video of at most 10 MB, without validating its content.
  /// - Throws: `.badContent` if the URL is invalid, is `http` of another server, or does not answer 200; `.noAnswer` if
  ///   there is no answer or the file is too large.
  public func media(_ url: String) async throws(ClientError) -> [UInt8] {
    try await fetch(url, mostBytes: ClientLimits.mediaBytes, seconds: ClientLimits.mediaSeconds).body
  }

  /// Downloads a URL from a payload. Sends no credentials, because the URL may belong to another server.
  /// - Throws: `.badContent` unless the URL is https or on this server, has a path, names no user, and is answered with
  ///   200 and at most `mostBytes`; `.noAnswer` if there is no answer, or the transport stops at that limit.
  private func fetch(
    _ url: String, mostBytes: Int, seconds: Double? = nil
  ) async throws(ClientError) -> WireAnswer {
    guard url.hasPrefix("https://") || settings.server.holds(url) else {
      throw .badContent("pages and media come by https, or from the server itself")
    }
    guard let parts = URLComponents(string: url), let scheme = parts.scheme, let host = parts.host, !host.isEmpty,
      parts.user == nil, parts.password == nil
    else { throw .badContent("this is no address") }
    let origin = "\(scheme)://\(host)" + (parts.port.map { ":\($0)" } ?? "")
    guard url.hasPrefix(origin + "/") else { throw .badContent("this is no address") }
    // Percent-encoded, and without a fragment, whatever the payload says: a transport may put it into a request's head.
    let path = parts.percentEncodedPath + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
    var request = WireRequest("GET", path, at: origin)
    request.mostBytes = mostBytes
    let answer = try await call(request, seconds: seconds)
    guard answer.status == 200 else { throw .badContent("HTTP \(answer.status) for a page or medium") }
    guard answer.body.count <= mostBytes else { throw .badContent("longer than \(mostBytes) bytes") }
    return answer
  }
}

/// A group that the device's user, or a guest's device, is a member of.
public struct ClientGroup: Sendable, Equatable, Decodable {
  /// The group's number (GROUPSEQ).
  public let groupSeq: String
  /// The group's name.
  public let name: String
}

/// The consents of a device; nil for those that were neither given nor withdrawn yet.
public struct ClientConsents: Sendable, Equatable, Decodable {
  /// A consent that was given or withdrawn.
  public struct Answer: Sendable, Equatable, Decodable {
    /// True if consent was given, false if it was withdrawn.
    public let given: Bool
    /// The time at which consent was given or withdrawn (RFC 3339).
    public let at: String
  }

  /// The consent to notifications in general; nil if it was neither given nor withdrawn yet.
  public let notification: Answer?
  /// The consent to advertising; nil if it was neither given nor withdrawn yet.
  public let ad: Answer?
  /// The consent to advertising at night; nil if it was neither given nor withdrawn yet.
  public let nightAd: Answer?
}

/// The kinds of APNs tokens besides the PSID and those of running Live Activities.
public enum FurtherTokenKind: String, Sendable, CaseIterable {
  /// The PushKit token for VoIP calls.
  case voip
  /// The token with which a push can start a Live Activity.
  case liveActivityStart = "live-activity-start"
  /// The token of the Push to Talk framework.
  case pushToTalk = "push-to-talk"
  /// The token of an Apple Watch complication.
  case complication
  /// The token of a file provider extension.
  case fileProvider = "file-provider"
  /// The token for location queries, with which a push asks the app for the device's location.
  case location
  /// The token for updating widgets.
  case widgets
  /// The token for updating controls.
  case controls
}

/// A page of the inbox.
public struct InboxListing: Sendable, Equatable, Decodable {
  /// A message in the inbox.
  public struct Entry: Sendable, Equatable, Decodable {
    /// The SEQNO of the message.
    public let seqno: String
    /// The time at which the message was accepted or, if later, due (RFC 3339).
    public let sentAt: String
    /// The time at which the message is removed from the inbox (RFC 3339).
    public let endsAt: String
    /// The time at which the message was read, on any of the user's devices (RFC 3339); nil if unread.
    public let readAt: String?
    /// The payload as in the push to this device; nil if the server cannot read the message because a newer release
    /// wrote it, or if this client cannot, because it has a number that does not fit a `Double`, for example.
    public let payload: PayloadValue?

    private enum CodingKeys: String, CodingKey { case seqno, sentAt, endsAt, readAt, payload }

    /// Decodes an entry. A payload that cannot be decoded becomes nil, so that one message does not hide the others.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      seqno = try members.decode(String.self, forKey: .seqno)
      sentAt = try members.decode(String.self, forKey: .sentAt)
      endsAt = try members.decode(String.self, forKey: .endsAt)
      readAt = try members.decodeIfPresent(String.self, forKey: .readAt)
      payload = try? members.decodeIfPresent(PayloadValue.self, forKey: .payload)
    }

    /// The payload to pass to `PushClient.read`; nil if `payload` is nil or does not come from UPMC, so that nothing
    /// can be confirmed.
    public var received: ReceivedPayload? { payload.flatMap { try? ReceivedPayload($0) } }
  }

  /// The entries, newest first.
  public let items: [Entry]
  /// The number of unread messages among the user's newest 1000, on all pages.
  public let unread: Int
  /// The cursor of the next page; nil on the last page.
  public let nextCursor: String?
}

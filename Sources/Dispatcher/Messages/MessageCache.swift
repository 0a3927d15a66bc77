internal import Domain
internal import Postgres
internal import Store

/// Cache of the last 256 messages read from the database, which never change after acceptance. The exceptions are a
/// message sent by a person, whose expiry approval can change, and one whose times depend on a time zone: they are read
/// again each time.
///
/// A message that this release cannot read, because a newer one stored it, or whose times depend on a time zone that
/// PostgreSQL no longer knows, is treated like one that does not exist; `takeUnreadable` tells the two apart, so that
/// the caller can pause it. If such a message is being cancelled or has ended, it is returned with the part of its
/// request that ending its deliveries needs. A message that has expired needs no time zone to end.
struct MessageCache {
  private static let capacity = 256
  private let pushkeys: PushKeyring
  private let contents: ContentSeal
  private var messages: [Seqno: DispatchMessage] = [:]
  private var order: [Seqno] = []
  private var unreadable: [Seqno: Problem] = [:]

  init(_ configuration: DispatcherConfiguration) {
    pushkeys = configuration.pushkeys
    contents = configuration.contents
  }

  /// Returns the messages found unreadable since the last call, with the reasons, and forgets them.
  mutating func takeUnreadable() -> [Seqno: Problem] {
    defer { unreadable = [:] }
    return unreadable
  }

  /// Returns a message, from the cache or else from the database; nil if it does not exist or cannot be read.
  mutating func message(_ seqno: Seqno, _ connection: Connection) throws -> DispatchMessage? {
    if let message = messages[seqno] { return message }
    guard let stored = try connection.run(Messages.find(seqno)) else { return nil }
    return put(stored)
  }

  /// Returns those of the messages that exist and can be read. Reads the ones that are not cached with one query.
  mutating func messages(
    _ seqnos: Set<Seqno>, _ connection: Connection
  ) throws -> [Seqno: DispatchMessage] {
    var found = messages.filter { seqnos.contains($0.key) }
    let missing = seqnos.filter { found[$0] == nil }
    guard !missing.isEmpty else { return found }
    for stored in try connection.run(Messages.find(missing)) { found[stored.seqno] = put(stored) }
    return found
  }

  private mutating func put(_ stored: Messages.Open) -> DispatchMessage? {
    let message: DispatchMessage
    do throws(Problem) {
      let request = try contents.request(stored.request, sealed: stored.sealed, of: stored.app)
      message = DispatchMessage(stored, request, pushkeys: pushkeys)
      if message.needsTimeZone, !stored.isTimeZoneKnown, !Self.isOnlyToExpire(stored) {
        throw Self.unknown(stored.timeZone)
      }
    } catch {
      // Nothing more of it will be sent, and ending its claims needs only a small part of the request.
      if stored.isCancelling || stored.state.isFinal, let rest = MessageRequest(ending: stored.request) {
        return DispatchMessage(stored, rest, pushkeys: pushkeys)
      }
      unreadable[stored.seqno] = error
      return nil
    }
    // Not cached, because approval can change the expiry of a message that waits for it, and PostgreSQL may lose the
    // time zone.
    if stored.isAskedByPerson || message.needsTimeZone { return message }
    if order.count == Self.capacity { messages[order.removeFirst()] = nil }
    messages[stored.seqno] = message
    order.append(stored.seqno)
    return message
  }

  /// Returns true if the message has expired and its planning no longer needs the time zone. All that is left is to
  /// count its deliveries as expired, which needs no zone.
  private static func isOnlyToExpire(_ stored: Messages.Open) -> Bool {
    stored.isExpired && (stored.isPlanned || stored.localTime == nil)
  }

  private static func unknown(_ timeZone: String) -> Problem {
    Problem(.notConfigured, "PostgreSQL does not know the app's time zone \(timeZone), which decides when it is sent.")
  }
}

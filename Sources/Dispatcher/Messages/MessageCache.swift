internal import Domain
internal import Postgres
internal import Store

/// Cache of recently used messages: a message's content never changes once it is accepted.
///
/// A message that this release cannot read (a newer one wrote it) is absent, like one that is gone; `takeUnreadable`
/// tells the two apart, and the caller pauses it.
struct MessageCache {
  private static let capacity = 256
  private let pushkeys: PushKeyring
  private let contents: ContentSeal
  private var messages: [Int64: DispatchMessage] = [:]
  private var order: [Int64] = []
  private var unreadable: [Int64: Problem] = [:]

  init(_ configuration: DispatcherConfiguration) {
    pushkeys = configuration.pushkeys
    contents = configuration.contents
  }

  /// Messages found unreadable since the last call, with the reason.
  mutating func takeUnreadable() -> [Int64: Problem] {
    defer { unreadable = [:] }
    return unreadable
  }

  /// Nil if the message is gone or cannot be read.
  mutating func message(_ seqno: Int64, _ connection: Connection) throws -> DispatchMessage? {
    if let message = messages[seqno] { return message }
    guard let stored = try connection.run(Messages.find(seqno)) else { return nil }
    return put(stored)
  }

  /// The messages among these that exist and can be read.
  mutating func messages(
    _ seqnos: Set<Int64>, _ connection: Connection
  ) throws -> [Int64: DispatchMessage] {
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
    } catch {
      // Nothing of it will be sent any more, and ending its claims takes little of the request.
      if stored.isCancelling || stored.state.isFinal, let rest = MessageRequest(ending: stored.request) {
        return DispatchMessage(stored, rest, pushkeys: pushkeys)
      }
      unreadable[stored.seqno] = error
      return nil
    }
    // Not cached: a message that waits for approval may expire later than it says now.
    if stored.isAskedByPerson { return message }
    if order.count == Self.capacity { messages[order.removeFirst()] = nil }
    messages[stored.seqno] = message
    order.append(stored.seqno)
    return message
  }
}

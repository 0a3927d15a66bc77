internal import Domain
internal import Postgres
internal import Store

/// Messages that were looked at lately: what a message says never changes once it is accepted.
///
/// One that this program cannot read (a newer one wrote it) is missing like one that is gone, and is told apart by
/// `takeUnreadable`: whoever asked sets it aside.
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

  /// Messages that could not be read since this was asked last, with the reason.
  mutating func takeUnreadable() -> [Int64: Problem] {
    defer { unreadable = [:] }
    return unreadable
  }

  /// Nil when the message is gone, or cannot be read.
  mutating func message(_ seqno: Int64, _ connection: Connection) throws -> DispatchMessage? {
    if let message = messages[seqno] { return message }
    guard let stored = try connection.run(Messages.find(seqno)) else { return nil }
    return put(stored)
  }

  /// Those of the messages that are not gone and can be read.
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
      // Nothing is sent of it any more: to end what was claimed, little is needed.
      if stored.isCancelling || stored.state.isFinal, let rest = MessageRequest(ending: stored.request) {
        return DispatchMessage(stored, rest, pushkeys: pushkeys)
      }
      unreadable[stored.seqno] = error
      return nil
    }
    // What waits for a second person may expire later than it says now.
    if stored.isAskedByPerson { return message }
    if order.count == Self.capacity { messages[order.removeFirst()] = nil }
    messages[stored.seqno] = message
    order.append(stored.seqno)
    return message
  }
}

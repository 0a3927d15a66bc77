internal import Domain
internal import Postgres
internal import Store

/// Messages that were looked at lately: what a message says never changes once it is accepted.
struct MessageShelf {
  private static let capacity = 256
  private let pushkeys: PushKeyring
  private var messages: [Int64: DispatchMessage] = [:]
  private var order: [Int64] = []

  init(pushkeys: PushKeyring) {
    self.pushkeys = pushkeys
  }

  /// Nil when the message is gone.
  mutating func message(_ seqno: Int64, _ connection: Connection) throws -> DispatchMessage? {
    if let message = messages[seqno] { return message }
    guard let stored = try connection.run(Messages.find(seqno)) else { return nil }
    return try put(stored)
  }

  /// Those of the messages that are not gone.
  mutating func messages(
    _ seqnos: Set<Int64>, _ connection: Connection
  ) throws -> [Int64: DispatchMessage] {
    var found = messages.filter { seqnos.contains($0.key) }
    let missing = seqnos.filter { found[$0] == nil }
    guard !missing.isEmpty else { return found }
    for stored in try connection.run(Messages.find(missing)) { found[stored.seqno] = try put(stored) }
    return found
  }

  private mutating func put(_ stored: Messages.Open) throws -> DispatchMessage {
    let message = DispatchMessage(stored, try MessageRequest(json: stored.request), pushkeys: pushkeys)
    if order.count == Self.capacity { messages[order.removeFirst()] = nil }
    messages[stored.seqno] = message
    order.append(stored.seqno)
    return message
  }
}

internal import Domain
internal import Postgres
internal import Store

/// A message as the dispatcher works with it.
final class DispatchMessage: Sendable {
  let push: PushMessage
  let app: App.Number
  let request: MessageRequest
  /// Microseconds since 1970.
  let expiresAt: Int64

  var seqno: Int64 { push.seqno }
  /// True when claiming a user moves its count.
  var movesBadge: Bool { request.badge.movesCount }

  init(_ stored: Messages.Open, _ request: MessageRequest, pushkeys: PushKeyring) {
    self.request = request
    app = stored.app
    expiresAt = stored.expiresAt
    push = PushMessage(
      seqno: stored.seqno, appID: stored.appID,
      template: PayloadTemplate(request, seqno: stored.seqno, sendDate: stored.sendDate), pushkeys: pushkeys,
      lane: stored.lane, isBackground: request.contentAvailable && request.alert == nil && request.badge == .none,
      expiresAtSeconds: stored.expiresAt / 1_000_000, onUnknown: request.onUnknown)
  }
}

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
    let message = DispatchMessage(stored, try MessageRequest(json: stored.request), pushkeys: pushkeys)
    if order.count == Self.capacity { messages[order.removeFirst()] = nil }
    messages[seqno] = message
    order.append(seqno)
    return message
  }
}

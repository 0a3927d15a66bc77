internal import Domain
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

  func route(of member: Audiences.Member) -> PushRoute {
    PushRoute(app: app, network: member.network, environment: member.environment)
  }
}

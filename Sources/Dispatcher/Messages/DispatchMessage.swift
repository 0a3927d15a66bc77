internal import Domain
internal import Store
internal import Synchronization
internal import Tracing

/// A message in the form that the dispatcher works with.
final class DispatchMessage: Sendable {
  let push: PushMessage
  let app: App.Number
  let request: MessageRequest
  /// In microseconds since 1970.
  let expiresAt: Int64
  let appTimeZone: String
  /// The local time at which each device is due, if the message has one.
  let localTime: LocalTime?
  /// Minimum proof that a device is its user's, if the message is confidential; nil if it is not.
  let confidentialFrom: App.Identity?
  /// The short message to request if the push is not confirmed in time.
  let fallback: Fallback?
  /// The SEQNO under which it enters its recipients' inboxes, and when the entry ends, in microseconds since 1970. Nil
  /// if it enters none, or if it is a resend by outcome, whose recipients have an entry already.
  let inbox: (seqno: Int64, endsAt: Int64)?
  /// A person sent it, by an account or at the command line: `ApprovalHolds` decides whether it goes out.
  let isAskedByPerson: Bool
  /// The earlier message whose recipients are left out, because this one goes to the rest of its audience; nil if none
  /// are.
  let reachedBefore: Int64?
  /// What its claims and pushes are traced below; nil if nothing records them.
  let trace: TraceContext?
  /// The same message by expiry, for devices whose local time gives them another one.
  private let variants = Mutex<[Int64: PushMessage]>([:])
  private let pushkeys: PushKeyring

  var seqno: Int64 { push.seqno }
  /// The uploaded file that fills the payload per user; nil if the payload shows nothing of it.
  let valuesFile: Int64?
  /// Number of recipients that the request lists; nil if its audience is read from the database.
  var entryCount: Int? {
    switch request.audience {
    case .clientUIDs(let list): list.count
    case .devices(let list): list.count
    case .psids(let list): list.count
    case .all, .members, .groups, .deliveries, .segment, .savedSegment, .csv: nil
    }
  }
  /// True if it goes to an audience rather than to recipients that the request lists.
  var isCampaign: Bool { entryCount == nil }
  /// True if claiming a user moves its count.
  var movesBadge: Bool { request.badge.movesCount }
  /// The message as `ClaimPlan` needs it.
  var claimed: ClaimPlan.Message {
    ClaimPlan.Message(
      seqno: seqno, app: app, kind: request.kind, badge: request.badge, fallback: fallback, inbox: inbox)
  }
  /// True if each device's local clock decides: then every recipient is checked before submission.
  var asksDeviceClocks: Bool { localTime != nil || request.window?.zone == .device || request.kind == .ad }

  init(_ stored: Messages.Open, _ request: MessageRequest, pushkeys: PushKeyring) {
    var request = request
    switch stored.resend {
    case nil: reachedBefore = nil
    case .some(let resend) where resend.to == .unreached: reachedBefore = resend.of
    case .some(let resend):
      reachedBefore = nil
      request.audience = .deliveries(of: resend.of, resend.to)
    }
    if let links = stored.links { request.content = request.content.replacing(links) }
    request.content.appHasExtension = stored.appHasExtension
    request.content.android = (request.content.android ?? AndroidContent()).over(stored.appAndroid)
    trace = stored.trace.flatMap { $0.isSampled ? $0 : nil }
    self.request = request
    self.pushkeys = pushkeys
    appTimeZone = stored.timeZone
    localTime = stored.localTime
    // As stored: a resend asks for none, and a message from an older node has none.
    fallback = stored.hasFallback ? request.fallback : nil
    let expiresIn = request.expiresInSeconds
    inbox = stored.inboxSeconds.flatMap { seconds in
      guard stored.resend == nil || stored.resend?.to == .unreached else { return nil }
      // Counted from the message's time.
      return (stored.inboxOf ?? stored.seqno, stored.expiresAt + (seconds - expiresIn) * 1_000_000)
    }
    app = stored.app
    isAskedByPerson = stored.isAskedByPerson
    confidentialFrom = request.isConfidential ? stored.confidentialFrom : nil
    expiresAt = stored.expiresAt
    push = PushMessage(
      seqno: stored.seqno, headers: PushHeaders(request, appID: stored.appID, seqno: stored.seqno),
      template: PayloadTemplate(request, seqno: stored.seqno, sendDate: stored.sendDate), pushkeys: pushkeys,
      lane: stored.lane, expiresAtSeconds: stored.expiresAt / 1_000_000, onUnknown: request.onUnknown)
    valuesFile = push.template.variables.contains { $0 != .clientUID } ? request.csv : nil
  }

  /// The message with another expiry. Returns the same object for the same expiry.
  func push(expiringAt expiresAt: Int64) -> PushMessage {
    guard expiresAt != self.expiresAt else { return push }
    return variants.withLock { variants in
      if let variant = variants[expiresAt] { return variant }
      let variant = PushMessage(
        seqno: push.seqno, headers: push.headers, template: push.template, pushkeys: pushkeys, lane: push.lane,
        expiresAtSeconds: expiresAt / 1_000_000, onUnknown: push.onUnknown)
      variants[expiresAt] = variant
      return variant
    }
  }

  func route(of member: Audiences.Member) -> PushRoute {
    PushRoute(app: app, network: member.network, environment: member.environment)
  }
}

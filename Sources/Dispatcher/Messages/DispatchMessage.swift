internal import Domain
internal import Store
internal import Synchronization

/// A message as the dispatcher works with it.
final class DispatchMessage: Sendable {
  let push: PushMessage
  let app: App.Number
  let request: MessageRequest
  /// Microseconds since 1970.
  let expiresAt: Int64
  let appTimeZone: String
  /// The wall clock's time, when each device has its own.
  let localTime: LocalTime?
  /// By what a device must be its user's to get this; nil: it is not confidential.
  let confidentialFrom: App.Identity?
  /// A short message is asked for when it is not confirmed in time.
  let fallback: Fallback?
  /// The message as which it comes into its persons' inboxes, and when that leaves them, microseconds since 1970; nil: it
  /// comes into none, or all who get it have had an entry: it is sent again by what became of it there.
  let inbox: (seqno: Int64, endsAt: Int64)?
  /// `ApprovalHolds` decides whether it goes out.
  let isAskedByPerson: Bool
  /// The message whose recipients are left out, for it goes to the rest of its audience; nil: nobody is.
  let reachedBefore: Int64?
  /// The same message with earlier ends, for devices that are due earlier.
  private let variants = Mutex<[Int64: PushMessage]>([:])
  private let pushkeys: PushKeyring

  var seqno: Int64 { push.seqno }
  /// The uploaded file with something to show for each user; nil when the payload shows nothing of it.
  let valuesFile: Int64?
  /// Recipients that the request lists; nil when its audience is read from the database.
  var entryCount: Int? {
    switch request.audience {
    case .clientUIDs(let list): list.count
    case .devices(let list): list.count
    case .psids(let list): list.count
    case .all, .members, .groups, .deliveries, .segment, .savedSegment, .csv: nil
    }
  }
  /// Goes to an audience, and not to recipients that the request lists.
  var isCampaign: Bool { entryCount == nil }
  /// True when claiming a user moves its count.
  var movesBadge: Bool { request.badge.movesCount }
  /// As its claims see it.
  var claimed: ClaimPlan.Message {
    ClaimPlan.Message(
      seqno: seqno, app: app, kind: request.kind, badge: request.badge, fallback: fallback, inbox: inbox)
  }
  /// True when the clock on each device's wall decides: then every recipient is looked at before it is submitted.
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
    self.request = request
    self.pushkeys = pushkeys
    appTimeZone = stored.timeZone
    localTime = stored.localTime
    // As it was stored: a message that is sent again asks for none, and an older node's has none.
    fallback = stored.hasFallback ? request.fallback : nil
    let expiresIn = request.expiresInSeconds
    inbox = stored.inboxSeconds.flatMap { seconds in
      guard stored.resend == nil || stored.resend?.to == .unreached else { return nil }
      // Counted from its time.
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

  /// The message for devices on which it ends at another time. Always the same object for the same time.
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

internal import Domain
internal import Store
internal import Synchronization
internal import Time
internal import Tracing

/// A message in the form that the dispatcher uses: parsed, immutable and shared between threads.
final class DispatchMessage: Sendable {
  let push: PushMessage
  let app: App.Number
  let request: MessageRequest
  /// When the message expires. If devices receive it at their local times, each has an earlier or equal expiry of its
  /// own (`Waves.LocalTimes.expiresAt`).
  let expiresAt: Timestamp
  let appTimeZone: String
  /// The local time at which each device receives the message; nil if it is the same moment for all.
  let localTime: LocalTime?
  /// The minimum proof required that a device belongs to its user; nil if the message is not confidential.
  let confidentialFrom: App.Identity?
  /// The text message to request if the push is not confirmed in time; nil if there is none.
  let fallback: Fallback?
  /// The SEQNO under which the message enters its recipients' inboxes, and when the entry ends. Nil if it enters none,
  /// or if it resends an earlier message whose recipients have an entry already.
  let inbox: (seqno: Seqno, endsAt: Timestamp)?
  /// True if a person sent the message, by console account or at the command line; then `ApprovalHolds` decides whether
  /// it needs approval.
  let isAskedByPerson: Bool
  /// If this message is a resend to the devices that an earlier one has not reached, the earlier one; otherwise nil.
  let reachedBefore: Seqno?
  /// Trace context that the spans of its claims and pushes descend from; nil if the message is not traced.
  let trace: TraceContext?
  /// The same push with other times, for devices whose local time requires them.
  private let variants = Mutex<[Times: PushMessage]>([:])
  private let pushkeys: PushKeyring

  var seqno: Seqno { push.seqno }
  /// Number of the uploaded file with the personal values of the payload; nil if the payload uses none.
  let valuesFile: Int64?
  /// Number of recipients listed in the request; nil if the audience is read from the database.
  var entryCount: Int? {
    switch request.audience {
    case .clientUIDs(let list): list.count
    case .devices(let list): list.count
    case .psids(let list): list.count
    case .all, .members, .groups, .deliveries, .segment, .savedSegment, .csv: nil
    }
  }
  /// True if the message goes to an audience, and not to recipients listed in the request.
  var isCampaign: Bool { entryCount == nil }
  /// True if the message changes its users' badge counts.
  var movesBadge: Bool { request.badge.movesCount }
  /// The parts of the message that `ClaimPlan` needs.
  var claimed: ClaimPlan.Message {
    ClaimPlan.Message(
      seqno: seqno, app: app, kind: request.kind, badge: request.badge, fallback: fallback, inbox: inbox)
  }
  /// True if the device's local time decides when to send, so that every recipient is checked before submission.
  var needsLocalTimes: Bool { localTime != nil || request.window?.zone == .device || request.kind == .ad }

  /// True if the app's time zone decides when to send.
  var needsTimeZone: Bool { needsLocalTimes || request.window != nil }

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
    // Taken from the stored message: a resend requests no fallback, nor does a message stored by an older release.
    fallback = stored.hasFallback ? request.fallback : nil
    let expiresIn = request.expiresInSeconds
    inbox = stored.inboxSeconds.flatMap { seconds in
      guard stored.resend == nil || stored.resend?.to == .unreached else { return nil }
      // The retention of the inbox entry counts from the message's time.
      return (stored.inboxOf ?? stored.seqno, stored.expiresAt + .seconds(seconds - expiresIn))
    }
    app = stored.app
    isAskedByPerson = stored.isAskedByPerson
    confidentialFrom = request.isConfidential ? stored.confidentialFrom : nil
    expiresAt = stored.expiresAt
    push = PushMessage(
      seqno: stored.seqno, headers: PushHeaders(request, appID: stored.appID, seqno: stored.seqno),
      template: PayloadTemplate(request, seqno: stored.seqno, sendDate: stored.sendDate), pushkeys: pushkeys,
      lane: stored.lane, expiresAtSeconds: stored.expiresAt.seconds, onUnknown: request.onUnknown)
    valuesFile = push.template.variables.contains { $0 != .clientUID } ? request.csv : nil
  }

  /// The times of a push that can depend on the device's local time.
  struct Times: Hashable {
    /// When the delivery expires.
    let expiresAt: Timestamp
    /// Until when the push network may keep the push for the device.
    let keptUntil: Timestamp
  }

  /// Returns the push with other times: the same object for each call with the same times.
  func push(_ times: Times) -> PushMessage {
    guard times != Times(expiresAt: expiresAt, keptUntil: expiresAt) else { return push }
    return variants.withLock { variants in
      if let variant = variants[times] { return variant }
      let variant = PushMessage(
        seqno: push.seqno, headers: push.headers, template: push.template, pushkeys: pushkeys, lane: push.lane,
        expiresAtSeconds: times.expiresAt.seconds, keptUntilSeconds: times.keptUntil.seconds, onUnknown: push.onUnknown)
      variants[times] = variant
      return variant
    }
  }

  /// Returns the deadlines of the SMS fallbacks of deliveries that are first sent at `now`, after they were deferred;
  /// none if the message has no fallback. What only waits for a push network that is away keeps its deadline.
  func fallbackDeadlines(of claims: [Waits.Taken], at now: Timestamp) -> [Fallbacks.Key: Timestamp] {
    guard let fallback else { return [:] }
    var deadlines: [Fallbacks.Key: Timestamp] = [:]
    for claim in claims {
      for entry in claim.entries
      where entry.attempts.count == 0 && entry.deferredFor != DeliveryDecision.notProcessed {
        deadlines[Fallbacks.Key(seqno: claim.seqno, userKey: entry.userKey)] = now + .seconds(fallback.afterSeconds)
      }
    }
    return deadlines
  }

  func route(of member: Audiences.Member) -> PushRoute {
    PushRoute(app: app, network: member.network, environment: member.environment)
  }

  /// Returns why the message must not be sent to the device: it is quarantined, the proof of its user is too weak for a
  /// confidential message, or it has not consented to messages of this kind. The first that applies is returned; nil if
  /// none does.
  func objection(to member: Audiences.Member) -> SkipReason? {
    if member.isInQuarantine { return .quarantine }
    if let confidentialFrom, member.identity < confidentialFrom { return .unproved }
    return member.mayGet(request.kind) ? nil : .consent
  }
}

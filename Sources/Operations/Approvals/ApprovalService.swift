package import Domain
package import JSON
package import Postgres
package import Store
package import Time

/// Four-eyes approval for large messages: an app can require that no message from one person reaches more than a given
/// number of devices without a second person's approval. It applies to people, signed in with an account or at the
/// command line. API keys are exempt, because they belong to programs that were vetted before.
///
/// ```
/// send by a person ─► over `approvalAbove` devices, incl. last hour? ─ no ─► message ─► frozen: still no? ─► sending
///                  │ yes                                                        │ yes, it grew
///                  ▼                                                            ▼
///               waiting ──approved by another person──► approved: the      waiting, the message paused
///                  │                                    message, in the      ├──approved──► it continues
///                  │                                    same commit          ├──rejected──► it is cancelled
///                  ├─────rejected by anyone entitled──► rejected             └──7 days────► it is cancelled
///                  └─────no decision in 7 days────────► expired
/// ```
/// The audience is resolved again on approval and counted when it is frozen (`ApprovalHolds`). If it then exceeds both
/// the number that one person may send to and the approved number by more than a tenth, approval is requested again.
/// The requester remains the message's sender.
package enum ApprovalService {
  /// Result of a send that must be approved first. There is no message yet.
  package struct Waiting: Sendable {
    package let approval: Approvals.Number
    package let targeted: Int64?
    /// JSON array of the audience's entries that match no user or device.
    let unknown: [UInt8]
    package let because: SecondPerson.Because
    /// Number of devices of the requester's other messages within the hour before the request, as counted by
    /// `ApprovalHolds.withinHour`.
    package let withinHour: Int64

    package static let object = JSONObject<Waiting>(
      "Waiting",
      [
        .always("seqno", .null, { _ in nil }, "There is no message yet."),
        .always("state", .constant("waiting-for-approval"), { _ in "waiting-for-approval" }),
        .always("approvalId", .sequence, \.approval), .always("targeted", .orNull(.count), \.targeted),
        .always("because", .words(SecondPerson.Because.allCases.map(\.name)), \.because.name, "As in the approval."),
        .always("sentWithinHour", .count, \.withinHour), ResolvedAudience.unknownField.of(\.unknown),
      ])
  }

  /// An approval as shown in lists.
  package struct Entry: DescribedAnswer {
    let record: Approvals.Record
    let now: Timestamp
    /// The request with its confidential content, for a caller who may decide. Nil shows the stored request instead,
    /// which lacks that content.
    var whole: [UInt8]?

    package var number: Int64 { record.number }
    package var targeted: Int64? { record.targeted }
    package var requestedBy: String { record.requester.name }
    package var seqno: Seqno? { record.seqno }

    package var state: String {
      switch record.state {
      case .waiting: record.endsAt < now ? "expired" : "waiting"
      case .approved: "approved"
      case .rejected: "rejected"
      }
    }

    package static let object = JSONObject<Entry>(
      "Approval",
      [
        .always("approvalId", .sequence, \.record.number), .always("appId", .appID, \.record.appID),
        .always("state", .words(["waiting", "approved", "rejected", "expired"]), \.state),
        .always(
          "requestedBy", .anyText, \.record.requester.name, "The login of an account, or `command line (kim)`."),
        .always("requestedAt", .moment, \.record.requestedAt),
        .always("endsAt", .moment, \.record.endsAt, "After that it can no longer be approved."),
        .always(
          "targeted", .orNull(.count), \.record.targeted,
          "Devices, when it was asked; null: more than are counted."),
        .always(
          "because", .words(SecondPerson.Because.allCases.map(\.name)), \.record.because.name,
          "Why: its `size`; what was sent within the `hour` with it; its `growth` until the audience was frozen."),
        .always(
          "sentWithinHour", .count, \.record.withinHour,
          "Devices of other messages of the same person that no second person has seen."),
        .always("isHeld", .flag, \.record.isHeld, "The message is there (`seqno`), paused with its devices counted."),
        .always(
          "message", .raw(.object([("type", "object")])), { $0.whole ?? Array($0.record.request.utf8) },
          "A send; or, with `resendOf`, a resend of that message."),
        .always("resendOf", .orNull(.sequence), \.record.resendOf),
        .always("decidedBy", .orNull(.anyText), \.record.decidedBy),
        .always("decidedAt", .orNull(.moment), \.record.decidedAt),
        .always("reason", .orNull(.anyText), \.record.reason, "Why it was rejected."),
        .always(
          "seqno", .orNull(.sequence), \.record.seqno, "The message that it became, or that is held."),
      ])
  }

  /// Body of a rejection.
  package struct Rejection: Sendable {
    package var reason: String?

    package init() {}

    package static let object = JSONObject(
      "Rejection", from: Rejection(),
      [
        .given(
          "reason",
          .orNull(.anyText.described(JSONSchema.text(upTo: Operations.Limits.approvalReasonBytes))), \.reason)
      ])
  }

  // MARK: Requesting

  /// Creates an approval request, and audits it, if the app requires a second person for this many devices. If the
  /// request replaces a scheduled message, that message's cancellation begins in the same transaction.
  /// - Parameters:
  ///   - kept: the request to store. Templates and segments are already resolved in it, so nobody can change what the
  ///     second person has seen.
  ///   - resendOf: the message to resend; nil for a send.
  /// - Returns: the approval to wait for; for a repeated idempotency key, that of the first request (`earlier`). Nil if
  ///   the message may be sent: the app requires no approval, the audience is small enough, the caller is a program, or
  ///   the request has been approved already.
  /// - Throws: `.wrongState` if the message to be replaced can no longer be replaced, `.busy` if the idempotency key is
  ///   in use, and the problems of `earlier`.
  static func hold(
    _ request: SendRequest, _ kept: StoredRequest, _ digest: RequestDigest, _ app: App,
    _ audience: ResolvedAudience, resendOf: Seqno? = nil, on connection: Connection, now: Timestamp
  ) throws(Problem) -> Waiting? {
    let caller = request.caller
    guard request.consent == nil, let asker = caller.asker,
      let most = try connection.answer(ApprovalHolds.most(of: asker, in: app.number))
    else { return nil }
    let withinHour = try connection.answer(ApprovalHolds.withinHour(asker, app: app.number, now: now))
    guard let because = SecondPerson.approvalReason(devices: audience.targeted, withinHour: withinHour, most: most)
    else {
      return nil
    }
    var new = Approvals.New(
      app: app.number, request: kept.text, sealed: kept.sealed, requestSHA256: digest.stored,
      idempotencyKey: request.idempotencyKey, resendOf: resendOf, targeted: audience.targeted,
      unknownEntries: String(decoding: audience.unknownJSON, as: UTF8.self),
      requester: Approvals.Requester(asker: asker, name: caller.name), now: now,
      endsAt: now + .seconds(ApprovalHolds.waitSeconds))
    new.because = because
    new.withinHour = withinHour
    new.trace = request.trace
    let asked = new
    var status: MessageControl.Status?
    var groupIsGone = false
    let groups = audience.groups
    let number = try connection.commit { () throws(PostgresError) -> Approvals.Number? in
      // A transaction that deletes one of these groups waits, and then finds the request.
      groupIsGone = false
      if !groups.isEmpty, try connection.run(Groups.hold(groups)) != groups {
        groupIsGone = true
        return nil
      }
      if let replaced = request.replaces {
        status = try ScheduledMessage.objection(replaced, connection)
        if status != nil { return nil }
      }
      guard let number = try connection.run(Approvals.create(asked)) else { return nil }
      if let replaced = request.replaces { try ScheduledMessage.beginCancelling(replaced, by: caller, connection) }
      let change = AuditTrail.Change("approval.request", String(number), in: app).to { writer in
        writer.member("targeted", audience.targeted)
        writer.member("because", because.name)
        if let resendOf { writer.member("resendOf", String(resendOf)) }
      }
      try connection.run(AuditTrail.add(change, by: caller))
      return number
    }
    if groupIsGone { throw ResolvedAudience.groupIsGone }
    if let status, let replaced = request.replaces {
      throw ControlService.wrongState("replace", replaced, status)
    }
    if let number {
      return Waiting(
        approval: number, targeted: audience.targeted, unknown: audience.unknownJSON, because: because,
        withinHour: withinHour)
    }
    // A concurrent request with the same key was stored first.
    if let earlier = try earlier(request, app, digest, on: connection) { return earlier }
    throw IdempotencyKey.isInUse
  }

  /// Returns the result of the first request with this idempotency key if that request had to wait for approval, even
  /// if it has been approved since. Nil if there is no such request, or if `request` has no key, comes from a program
  /// or executes an approval.
  /// - Throws: `.idempotencyConflict` if the key was used for another request, `.conflict` if the first request was
  ///   rejected or expired.
  static func earlier(
    _ request: SendRequest, _ app: App, _ digest: RequestDigest, on connection: Connection
  ) throws(Problem) -> Waiting? {
    guard request.consent == nil, request.caller.asker != nil, let key = request.idempotencyKey,
      let earlier = try connection.answer(Approvals.earlier(app: app.number, idempotencyKey: key))
    else { return nil }
    guard digest.matches(earlier.requestSHA256) else {
      throw Problem(
        .idempotencyConflict,
        "The key \"\(key)\" was used for another request (approval \(earlier.number)). Use a new key for a new message."
      )
    }
    let now = try connection.answer(WallClock.now())
    guard earlier.state != .waiting || now <= earlier.endsAt else {
      throw Problem(
        .conflict,
        "This request was not approved in time (approval \(earlier.number)). Send it again with a new Idempotency-Key.")
    }
    guard earlier.state != .rejected else {
      let other = earlier.decidedBy.map(Sentence.init(verbatim:)) ?? "somebody"
      throw Problem(.conflict, "This request was rejected by \(other) (approval \(earlier.number)).")
    }
    return Waiting(
      approval: earlier.number, targeted: earlier.targeted, unknown: Array(earlier.unknownEntries.utf8),
      because: earlier.because, withinHour: earlier.withinHour)
  }

  // MARK: Listing

  /// Lists the approvals of an app, newest first, without confidential content. A page can be short or empty, and still
  /// be followed by another (`searchedRows`, `pageBytes`).
  /// - Parameters:
  ///   - appID: the only app to list; nil for all apps that the caller may access.
  ///   - state: waiting, approved, rejected or expired; nil for all.
  /// - Throws: `.invalidField` for another state or another list's cursor, `.forbidden`, `.unknownApp`.
  package static func list(
    of appID: String?, state: String?, _ page: PageRequest, by caller: Caller, on connection: Connection,
    now: Timestamp
  ) throws(Problem) -> ItemPage<Entry> {
    try caller.require(.viewMessages)
    let app = try Administration.scope(appID, .viewMessages, caller, connection)
    let wanted = try Wanted(state)
    let before = try page.number(first: .max)
    let window = Operations.Limits.searchedRows
    let records = try connection.answer(
      Approvals.list(
        of: app, wanted.state, isOver: wanted.isOver, now: now, before: before, window: window,
        bytes: Operations.Limits.pageBytes, limit: page.limit + 1))
    let entries = records.prefix { !$0.request.isEmpty }.map { Entry(record: $0, now: now) }
    guard entries.count <= page.limit else {
      return ItemPage(entries, limit: page.limit) { String($0.record.number) }
    }
    // The requests of the others did not fit, and come with the next page.
    guard entries.count == records.count else {
      return ItemPage(items: entries, behind: entries.last.map { String($0.record.number) })
    }
    let edge = try connection.answer(Approvals.edge(of: app, before: before, window: window))
    return ItemPage(items: entries, behind: edge.map(String.init))
  }

  private struct Wanted {
    var state: Approvals.State?
    var isOver: Bool?

    init(_ name: String?) throws(Problem) {
      switch name {
      case nil: break
      case "waiting": (state, isOver) = (.waiting, false)
      case "expired": (state, isOver) = (.waiting, true)
      case "approved": state = .approved
      case "rejected": state = .rejected
      default: throw Problem(.invalidField, "state must be one of waiting, approved, rejected, expired.")
      }
    }
  }

  /// Returns one approval.
  /// - Parameter seal: decrypts confidential content if the caller may approve and the approval is undecided; nil never
  ///   decrypts it.
  /// - Throws: `.notFound` if there is no such approval, or the caller may not access its app; `.forbidden`.
  package static func show(
    _ number: Approvals.Number, seal: ContentSeal? = nil, by caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) -> Entry {
    try caller.require(.viewMessages)
    var entry = Entry(record: try find(number, caller, connection), now: now)
    if caller.role.allows(.approve), entry.state == "waiting", seal != nil {
      entry.whole = try whole(entry.record, seal)
    }
    return entry
  }

  /// Returns the stored request. That of a send includes its confidential content, decrypted; a resend has none.
  /// - Throws: a problem if the content is confidential and `seal` is nil or does not decrypt it.
  static func whole(_ record: Approvals.Record, _ seal: ContentSeal?) throws(Problem) -> [UInt8] {
    let stored = Array(record.request.utf8)
    guard record.resendOf == nil, try MessageRequest(stored: stored).isContentSealed else { return stored }
    guard let seal else { throw StoredRequest.noSeal }
    return try SealedRequest.join(stored, try seal.content(record.sealed, of: record.app))
  }

  static func find(
    _ number: Approvals.Number, _ caller: Caller, _ connection: Connection
  ) throws(Problem) -> Approvals.Record {
    guard let record = try connection.answer(Approvals.find(number)), caller.reaches(record.app) else {
      throw Problem(.notFound, "There is no approval \(number).")
    }
    return record
  }
}

extension Operations.Limits {
  /// Range of the device count above which a second person is required; 0 disables approval.
  package static let approvalAbove: ClosedRange<Int64> = 0...1_000_000_000
  /// Maximum length of a reason for a rejection, in bytes: a sentence or two.
  package static let approvalReasonBytes = 1_000
}

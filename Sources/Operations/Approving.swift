package import Domain
package import JSON
package import Postgres
package import Store

/// A second person for large messages: an app may say above how many devices nothing goes out that only one person has
/// looked at. It is about people, who press the wrong button: what signs in with an API key is a program that somebody has
/// made sure of, and is not held back.
///
/// ```
///   send by an account ─► more devices than `approvalAbove`? ─ no ─► message
///                    │ yes
///                    ▼
///                 waiting ──approve, by somebody else──► approved: the message, in the same commit
///                    ├─────reject, by anybody who may──► rejected
///                    └─────nobody within 7 days────────► expired
/// ```
/// The audience is looked up anew when it is approved; who asked stays the sender of the message.
package enum Approving {
  /// What a send answers that has to wait.
  package struct Waiting: Sendable {
    package let approval: Approvals.Number
    package let targeted: Int64?
    /// A JSON array.
    let unknown: [UInt8]

    func write(to writer: inout JSONWriter) {
      writer.member("seqno", nil as String?)
      writer.member("state", "waiting-for-approval")
      writer.member("approvalId", String(approval))
      writer.member("targeted", targeted)
      writer.member("unknown", raw: unknown)
    }
  }

  /// Somebody's word that a waiting send may go out.
  struct Consent: Sendable {
    let approval: Approvals.Number
    let by: Caller
    /// Of the request as it came first.
    let requestSHA256: [UInt8]
  }

  /// One of them as lists show it.
  package struct Entry: JSONAnswer {
    let record: Approvals.Record
    let now: Int64

    package var number: Int64 { record.number }
    package var targeted: Int64? { record.targeted }
    package var requestedBy: String { record.requester.name }
    package var seqno: Int64? { record.seqno }

    package var state: String {
      switch record.state {
      case .waiting: record.endsAt < now ? "expired" : "waiting"
      case .approved: "approved"
      case .rejected: "rejected"
      }
    }

    package func write(to writer: inout JSONWriter) {
      writer.member("approvalId", String(record.number))
      writer.member("appId", record.appID)
      writer.member("state", state)
      writer.member("requestedBy", record.requester.name)
      writer.member("requestedAt", Timestamp.text(record.requestedAt))
      writer.member("endsAt", Timestamp.text(record.endsAt))
      writer.member("targeted", record.targeted)
      writer.member("message", raw: record.request.utf8)
      writer.member("resendOf", record.resendOf.map(String.init))
      writer.member("decidedBy", record.decidedBy)
      writer.member("decidedAt", record.decidedAt.map(Timestamp.text))
      writer.member("reason", record.reason)
      writer.member("seqno", record.seqno.map(String.init))
    }
  }

  // MARK: Asking

  /// Puts a send aside when its app wants a second person for so many devices. Nil: it may go out.
  /// - Parameter body: what the message would keep: what it names (a template, a segment) is already in it, so that nobody
  ///   changes what the second person has seen.
  static func hold(
    _ request: Sending.Request, _ body: [UInt8], _ hash: [UInt8], _ app: App, _ audience: ResolvedAudience,
    resendOf: Int64? = nil, on connection: Connection, now: Int64
  ) throws(Problem) -> Waiting? {
    let caller = request.caller
    guard request.consent == nil, let account = caller.account, let most = app.approvalAbove,
      audience.targeted.map({ $0 > most }) ?? true
    else { return nil }
    let new = Approvals.New(
      app: app.number, request: String(decoding: body, as: UTF8.self), requestSHA256: hash,
      idempotencyKey: request.idempotencyKey, resendOf: resendOf, targeted: audience.targeted,
      unknownEntries: String(decoding: audience.unknownJSON, as: UTF8.self),
      requester: Approvals.Requester(account: account, name: caller.name), now: now,
      endsAt: now + Operations.Limits.approvalSeconds * 1_000_000)
    let number = try connection.commit { () throws(PostgresError) -> Approvals.Number? in
      guard let number = try connection.run(Approvals.create(new)) else { return nil }
      let change = Auditing.Change("approval.request", String(number), in: app).to { writer in
        writer.member("targeted", audience.targeted)
        if let resendOf { writer.member("resendOf", String(resendOf)) }
      }
      try connection.run(Auditing.add(change, by: caller))
      return number
    }
    if let number { return Waiting(approval: number, targeted: audience.targeted, unknown: audience.unknownJSON) }
    // Somebody with the same key was faster by a moment.
    if let earlier = try earlier(request, app, hash, on: connection) { return earlier }
    throw Problem(.busy, "The same Idempotency-Key is being used by another request. Try again.")
  }

  /// What was answered to the first request with this key, if it had to wait.
  static func earlier(
    _ request: Sending.Request, _ app: App, _ hash: [UInt8], on connection: Connection
  ) throws(Problem) -> Waiting? {
    guard request.consent == nil, request.caller.account != nil, let key = request.idempotencyKey,
      let earlier = try connection.answer(Approvals.earlier(app: app.number, idempotencyKey: key))
    else { return nil }
    guard earlier.requestSHA256 == hash else {
      throw Problem(
        .idempotencyConflict,
        "The key \"\(key)\" was used for another request (approval \(earlier.number)). Use a new key for a new message."
      )
    }
    guard earlier.state != .rejected else {
      throw Problem(
        .conflict, "This request was rejected by \(earlier.decidedBy ?? "somebody") (approval \(earlier.number)).")
    }
    return Waiting(
      approval: earlier.number, targeted: earlier.targeted, unknown: Array(earlier.unknownEntries.utf8))
  }

  // MARK: Looking

  /// Newest first.
  /// - Parameter state: waiting, approved, rejected or expired; nil: all.
  package static func list(
    of appID: String?, state: String?, _ page: Reporting.PageRequest, by caller: Caller, on connection: Connection,
    now: Int64
  ) throws(Problem) -> ItemPage<Entry> {
    try caller.require(.viewMessages)
    let app = try Administration.scope(appID, .viewMessages, caller, connection)
    let wanted = try Wanted(state)
    let before = try page.number(first: .max)
    let window = Operations.Limits.searchedRows
    let records = try connection.answer(
      Approvals.list(
        of: app, wanted.state, isOver: wanted.isOver, now: now, before: before, window: window, limit: page.limit + 1))
    let entries = records.map { Entry(record: $0, now: now) }
    guard entries.count <= page.limit else {
      return ItemPage(entries, limit: page.limit) { String($0.record.number) }
    }
    let edge = try connection.answer(Approvals.edge(of: app, before: before, window: window))
    return ItemPage(items: entries, nextCursor: edge.map(String.init))
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

  package static func show(
    _ number: Approvals.Number, by caller: Caller, on connection: Connection, now: Int64
  ) throws(Problem) -> Entry {
    try caller.require(.viewMessages)
    return Entry(record: try find(number, caller, connection), now: now)
  }

  private static func find(
    _ number: Approvals.Number, _ caller: Caller, _ connection: Connection
  ) throws(Problem) -> Approvals.Record {
    guard let record = try connection.answer(Approvals.find(number)), caller.reaches(record.app) else {
      throw Problem(.notFound, "There is no approval \(number).")
    }
    return record
  }

  // MARK: Deciding

  /// Lets it go out: answers as the send would have.
  package static func approve(
    _ number: Approvals.Number, hosting: Hosting, by caller: Caller, on connection: Connection, now: Int64
  ) throws(Problem) -> SendAnswer {
    try caller.require(.approve)
    let record = try find(number, caller, connection)
    try checkSecondPerson(caller, record)
    if record.state == .approved, record.decidedBy == caller.name, let seqno = record.seqno {
      return .accepted(
        SendAnswer.Accepted(
          seqno: seqno, targeted: record.targeted, unknown: Array(record.unknownEntries.utf8),
          resendOf: record.resendOf))
    }
    try checkWaiting(record, now)
    var request = Sending.Request(
      body: Array(record.request.utf8), idempotencyKey: record.idempotencyKey,
      caller: try requester(of: record, connection), hosting: hosting)
    request.consent = Consent(approval: number, by: caller, requestSHA256: record.requestSHA256)
    if let seqno = record.resendOf { return try Resending.resend(seqno, request, on: connection, now: now) }
    return try Sending.send(request, on: connection, now: now)
  }

  /// An API key is no person.
  private static func checkSecondPerson(_ caller: Caller, _ record: Approvals.Record) throws(Problem) {
    guard caller.apiKey == nil else {
      throw Problem(.forbidden, "A second person is asked: sign in with an account, or use `upmc approval`.")
    }
    guard caller.account != record.requester.account else {
      throw Problem(.forbidden, "Whoever asked for a message cannot approve it: it needs a second person.")
    }
  }

  /// Whoever asked, as they may send now.
  private static func requester(of record: Approvals.Record, _ connection: Connection) throws(Problem) -> Caller {
    guard let account = try connection.answer(Accounts.find(record.requester.account)), account.disabledAt == nil,
      let role = Role(rawValue: account.role), role.allows(.send)
    else { throw Problem(.conflict, "\(record.requester.name), who asked for it, may not send any more.") }
    return Caller(role: role, app: account.app, apiKey: nil, account: account.number, name: account.login)
  }

  /// Within the transaction that makes the message. False when it was decided meanwhile.
  static func isWaiting(_ consent: Consent, _ connection: Connection) throws(PostgresError) -> Bool {
    try connection.run(Approvals.lock(consent.approval))?.state == .waiting
  }

  static func decided(_ consent: Consent) -> Problem {
    Problem(.conflict, "The approval \(consent.approval) was decided meanwhile.")
  }

  static func settle(_ consent: Consent, seqno: Int64, app: App.Number, _ connection: Connection) throws(PostgresError)
  {
    try connection.run(
      Approvals.decide(consent.approval, .approved, by: consent.by.name, reason: nil, seqno: seqno))
    let change = Auditing.Change("approval.approve", String(consent.approval), app: app)
      .to { $0.member("seqno", String(seqno)) }
    try connection.run(Auditing.add(change, by: consent.by))
  }

  /// Nothing of it goes out. Whoever asked may do so too.
  package static func reject(
    _ number: Approvals.Number, reason: String?, by caller: Caller, on connection: Connection, now: Int64
  ) throws(Problem) -> Entry {
    try caller.require(.approve)
    if let reason, reason.utf8.count > Operations.Limits.approvalReasonBytes {
      throw Problem(at: "/reason", "must have at most \(Operations.Limits.approvalReasonBytes) bytes")
    }
    try checkWaiting(try find(number, caller, connection), now)
    let isDone = try connection.commit { () throws(PostgresError) in
      guard let record = try connection.run(Approvals.lock(number)), record.state == .waiting else { return false }
      try connection.run(Approvals.decide(number, .rejected, by: caller.name, reason: reason, seqno: nil))
      let change = Auditing.Change("approval.reject", String(number), app: record.app)
        .to { $0.member("reason", reason) }
      try connection.run(Auditing.add(change, by: caller))
      return true
    }
    guard isDone else { throw Problem(.conflict, "The approval \(number) was decided meanwhile.") }
    return try show(number, by: caller, on: connection, now: now)
  }

  private static func checkWaiting(_ record: Approvals.Record, _ now: Int64) throws(Problem) {
    switch record.state {
    case .waiting where record.endsAt >= now: return
    case .waiting:
      throw Problem(.conflict, "The approval \(record.number) ended \(Timestamp.text(record.endsAt)). Send it again.")
    case .approved, .rejected:
      throw Problem(
        .conflict, "The approval \(record.number) was decided by \(record.decidedBy ?? "somebody") already.")
    }
  }
}

extension Operations.Limits {
  /// A week with its holidays.
  static let approvalSeconds: Int64 = 7 * 86_400
  /// A second person may be asked for messages above so many devices; 0: for none.
  package static let approvalAbove: ClosedRange<Int64> = 0...1_000_000_000
  /// Why something was rejected, in a sentence or two.
  package static let approvalReasonBytes = 1_000
}

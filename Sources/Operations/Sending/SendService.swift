package import Domain
internal import JSON
package import Postgres
internal import Store
package import Time

/// Accepts messages: turns a request into a row for the dispatcher.
///
/// ```
///   parse ─► app, scope ─► repeated? ─► resolve audience ─► payload fits? ─► INSERT + NOTIFY, one commit
///                             │ same body: same answer       └ no: move the excess to pages, in the same commit
///                             └ other body: conflict
/// ```
/// Nothing is stored unless everything is valid. The message gets one row, its recipients none: the planner resolves
/// the audience later.
package enum SendService {
  /// NOTIFY channel for new messages; the payload is the SEQNO.
  package static let channel = "upmc_messages"

  /// Accepts a message, or, for a dry run, returns what a send would do.
  /// - Parameter catalog: the apps in memory; nil if the process has none, so that the app is read from the database.
  /// - Returns: `.accepted` if the message is stored; `.waiting` if a second person must approve it first; `.tried` for
  ///   a dry run. For a repeated idempotency key, the first answer.
  /// - Throws: what is wrong with the request, the caller's permission or the app; `.idempotencyConflict` if the key
  ///   was used for another request; `.busy` if the lane is full or the key is in use by a concurrent request.
  package static func send(
    _ request: SendRequest, on connection: Connection, catalog: Catalog? = nil, now: Timestamp
  ) throws(Problem) -> SendAnswer {
    try request.caller.require(.send)
    // Checked before the first query. `SendTerms` checks it too, for callers without queries.
    try IdempotencyKey.check(request.idempotencyKey)
    let filled = try SavedTemplate.fill(request.body, for: request.caller, on: connection)
    let asked = try MessageRequest(json: filled)
    let app = try connection.app(asked.appID, catalog: catalog)
    let terms = try SendTerms(asked, filled: filled, request, app, seal: catalog?.seal)
    let digest = terms.digest
    var message = terms.request
    try CredentialRules.check(message, app, on: connection)
    try AdvertisingRules.check(message, app, on: connection)
    if !message.dryRun, let key = request.idempotencyKey {
      // A repeated request gets the same answer even if the audience has changed since.
      if let earlier = try earlier(app, key, digest, on: connection) { return earlier }
      if let waiting = try ApprovalService.earlier(request, app, digest, on: connection) { return .waiting(waiting) }
    }
    let body = try SavedSegment.copy(into: &message, filled, app, on: connection)
    if message.dryRun {
      // Refuse the times here that a send would refuse.
      _ = try DueTime(message, app, on: connection, now: now)
      return .tried(try DryRun(message, app, hosting: request.hosting, on: connection, now: now))
    }

    let kept = try terms.kept(body)
    try SendQueue.checkRoom(in: message.lane, on: connection)
    let due = try DueTime(message, app, on: connection, now: now)
    let audience = try ResolvedAudience(message.audience, of: app.number, on: connection, now: now)
    let plan = try HostingPlan(
      message, audience, app, request.hosting, on: connection, now: now,
      lastDueAt: due.dueAt ?? now, expiresAt: due.expiresAt)
    if let waiting = try ApprovalService.hold(request, kept, digest, app, audience, on: connection, now: now) {
      return .waiting(waiting)
    }
    var new = terms.message(
      kept, targeted: audience.targeted, unknown: audience.unknownJSON, now: now, expiresAt: due.expiresAt)
    new.dueAt = due.dueAt
    new.localTime = due.localTime
    new.links = plan.links
    let groups = message.audience.namedGroups.intersection(audience.groups)
    if let seqno = try create(new, message, plan, holding: groups, by: request, on: connection) {
      var accepted = SendAnswer.Accepted(
        seqno: seqno, targeted: audience.targeted, unknown: audience.unknownJSON, dueAt: due.dueAt)
      accepted.networks = audience.networks
      return .accepted(accepted)
    }
    return try notStored(request, app, digest, on: connection)
  }

  /// Returns the answer to a request whose message `create` has not stored: that to the concurrent request with the
  /// same key, which was stored first.
  /// - Throws: the problem if there is none, because the request's approval is decided already or its key is in use.
  static func notStored(
    _ request: SendRequest, _ app: App, _ digest: RequestDigest, on connection: Connection
  ) throws(Problem) -> SendAnswer {
    if let key = request.idempotencyKey, let earlier = try earlier(app, key, digest, on: connection) { return earlier }
    if let consent = request.consent { throw ApprovalService.decided(consent.approval) }
    throw IdempotencyKey.isInUse
  }

  /// Stores, announces and audits a message in one commit, with its pages, pace and repetition, and cancels the message
  /// that it replaces.
  /// - Parameter groups: those that the audience names and that existed when it was resolved.
  /// - Returns: the SEQNO; nil, without any change, if the approval that it executes is no longer waiting or its
  ///   idempotency key is taken.
  /// - Throws: `.conflict` if one of the groups no longer exists; `.unknownUpload` if the audience's file no longer
  ///   does; `.impossible` if the upload that the message shows no longer does; `.wrongState` if the message to replace
  ///   can no longer be replaced.
  static func create(
    _ new: Messages.New, _ message: MessageRequest, _ plan: HostingPlan, holding groups: Set<Int64> = [],
    by request: SendRequest, on connection: Connection
  ) throws(Problem) -> Seqno? {
    let caller = request.caller
    var new = new
    new.trace = request.trace
    new.asked = caller.asker.map { ($0, request.consent?.requestedAt ?? new.now) }
    // If the audience was too large to be counted, the approval covers any number of devices.
    new.approvedFor = request.consent.map { $0.targeted ?? .max }
    let stored = new
    var refusal: Problem?
    let made = try connection.commit { () throws(PostgresError) -> Seqno? in
      refusal = nil
      // A transaction that deletes one of these groups waits, and then finds the message.
      if !groups.isEmpty, try connection.run(Groups.hold(groups)) != groups {
        refusal = ResolvedAudience.groupIsGone
        return nil
      }
      if let consent = request.consent {
        guard try ApprovalService.isWaiting(consent, connection) else { return nil }
      }
      if let replaced = request.replaces, let status = try ScheduledMessage.objection(replaced, connection) {
        refusal = ControlService.wrongState("replace", replaced, status)
        return nil
      }
      // The locks keep the files until the message is stored.
      if let csv = message.csv, try connection.run(StoredUploads.lockFile(csv, of: stored.app)) == nil {
        refusal = CSVUploads.gone(csv)
        return nil
      }
      guard try plan.holdUpload(on: connection) else {
        refusal = HostingPlan.uploadIsGone
        return nil
      }
      // Nothing is changed before this, so a message that is not stored changes nothing.
      guard let seqno = try connection.run(Messages.create(stored)) else { return nil }
      if let csv = message.csv { try connection.run(CSVAudiences.keep(csv, until: plan.keptUntil)) }
      try plan.store(on: connection)
      if let replaced = request.replaces { try ScheduledMessage.beginCancelling(replaced, by: caller, connection) }
      if stored.resend == nil {
        let gate = Gates.create(seqno, pace: message.pace, canary: message.canary, window: message.window)
        if let gate { try connection.run(gate) }
        if let repetition = message.repetition { try connection.run(Schedules.begin(seqno, repetition)) }
      } else if let gate = Gates.create(seqno, pace: message.pace, canary: nil, window: message.window) {
        try connection.run(gate)
      }
      if stored.dueAt != nil,
        let hours = Lateness.reckonHours(seqno, window: message.window, isAd: message.kind == .ad)
      {
        try connection.run(hours)
      }
      try connection.run(Announcements.announce(channel, String(seqno)))
      // The message itself stores its content and recipients.
      let change = AuditTrail.Change(
        stored.resend == nil ? "message.send" : "message.resend", String(seqno), app: stored.app)
      let audited = change.to { writer in
        writer.member("lane", message.lane.name)
        writer.member("targeted", stored.targeted)
        if let resend = stored.resend { writer.member("resendOf", String(resend.of)) }
      }
      if new.resend != nil || !isItsOwnRecord(message, by: caller) {
        try connection.run(AuditTrail.add(audited, by: caller))
      }
      if let consent = request.consent {
        try ApprovalService.settle(consent, seqno: seqno, app: stored.app, connection)
      }
      return seqno
    }
    if let refusal { throw refusal }
    return made
  }

  /// Returns whether the message suffices as its own audit record: true for sends by programs to named users, which are
  /// frequent and whose messages say who sent what; and for devices' messages, which are not administration.
  private static func isItsOwnRecord(_ message: MessageRequest, by caller: Caller) -> Bool {
    guard case .clientUIDs = message.audience else { return caller.device != nil }
    return caller.isProgram
  }

  /// Returns the answer to the first request with this idempotency key; nil if there was none.
  /// - Throws: `.idempotencyConflict` if that was a different request.
  static func earlier(
    _ app: App, _ key: String, _ digest: RequestDigest, on connection: Connection
  ) throws(Problem) -> SendAnswer? {
    guard let earlier = try connection.answer(Messages.earlier(app: app.number, idempotencyKey: key)) else {
      return nil
    }
    guard digest.matches(earlier.requestSHA256) else { throw IdempotencyKey.conflict(key, earlier) }
    return .accepted(SendAnswer.Accepted(earlier))
  }
}

/// Checks whether an app's push credential permits a message. Signing keys permit all kinds. A certificate is limited
/// to its topics: APNs would refuse any other push for every device, and the app would be paused.
enum CredentialRules {
  /// Throws `.impossible`, with the path of the push type, if the app's push certificate does not permit that type.
  /// Signing keys, apps without an APNs credential, and types that use the app's plain topic always pass.
  static func check(_ message: MessageRequest, _ app: App, on connection: Connection) throws(Problem) {
    let type = message.content.pushType
    guard !type.topicSuffix.isEmpty else { return }
    let credentials = try connection.answer(Secrets.credentials())
    guard let credential = credentials.first(where: { $0.app == app.number && $0.network == .apns }),
      credential.kind == Administration.apnsCertificateKind
    else { return }
    if type.needsProviderToken {
      throw Problem(
        .impossible, at: "/pushType", "cannot be sent with a push certificate; set a .p8 key with `upmc app credential`"
      )
    }
    let topic = app.appID + type.topicSuffix
    guard topics(credential.publicPart).contains(topic) else {
      throw Problem(
        .impossible, at: "/pushType",
        "needs a push certificate for \(topic), or a .p8 key; set it with `upmc app credential`")
    }
  }

  private static func topics(_ publicPart: String) -> [String] {
    var topics: [String] = []
    var reader = JSONReader(Array(publicPart.utf8))
    // If the stored value is unreadable, no topic is permitted.
    try? reader.readObject { (reader, key) throws(JSONError) in
      guard key == "topics" else { return try reader.skip() }
      try reader.readArray { (reader, _) throws(JSONError) in topics.append(try reader.readString()) }
    }
    return topics
  }
}

/// Limits the number of open messages, so that an overload is reported at once instead of building up.
enum SendQueue {
  /// Throws `.busy` if the lane has its maximum number of messages that wait or are being sent. Each lane has its own
  /// limit, so that many campaigns do not block urgent messages.
  static func checkRoom(
    in lane: Lane, on connection: Connection, limit: Int = Domain.Limits.openMessages
  ) throws(Problem) {
    guard try connection.answer(Controls.open(lane, limit: limit)).count >= limit else { return }
    throw Problem(
      .busy, "\(limit) messages of the lane \(lane.name) are waiting or being sent. Try again in a moment.")
  }
}

extension Operations.Limits {
  /// Maximum number of devices counted before a send is answered. Counting more would delay the answer, and the planner
  /// counts them later anyway.
  static let countedDevices: Int64 = 1_000_000
}

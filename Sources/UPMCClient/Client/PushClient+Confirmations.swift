/// Confirms receipts and reads.
extension PushClient {
  /// Confirms that a push arrived: stores the receipt in a file, then sends it together with everything else in the
  /// outbox. If the device awaits a push (`strict` apps), also stores this push first, even a silent one, and returns
  /// it to the server afterwards; if that fails, `flush` tries again.
  /// - Parameter isExtension: true to limit each request that sends confirmations to five seconds, because an
  ///   extension's process does not live long.
  /// - Returns: `.notNeeded` for a silent push and for one that the extension has confirmed; `.refused` if the device
  ///   is not registered; otherwise the result of sending.
  @discardableResult
  public func receive(_ payload: ReceivedPayload, isExtension: Bool = false) async -> ConfirmationOutcome {
    var provesPossession = false
    do throws(ClientError) {
      provesPossession = try store(possessionBy: payload)
    } catch {
      log("push \(payload.seqno) cannot prove possession: \(error)")
    }
    var outcome = ConfirmationOutcome.notNeeded
    // A silent push shows nothing to the user, so it has no receipt.
    if !payload.isSilent, !payload.hasFeedback {
      // Before the other call: while that waits for an answer, the process can end.
      outcome = await confirm(.receipt, payload, isExtension: isExtension)
    }
    if provesPossession {
      do throws(ClientError) {
        try await proveStoredPossession()
      } catch {
        log("possession is proved with push \(payload.seqno) later: \(error)")
      }
    }
    return outcome
  }

  /// Confirms a push for the given token, in an extension that shares no storage with its app. Like `receive`, stores
  /// the receipt and sends the outbox, with five seconds for each request; but needs no registration, and also confirms
  /// silent pushes and those that were confirmed before.
  /// - Returns: `.refused` if the token is empty, longer than 512 bytes or contains other than visible ASCII
  ///   characters; otherwise the result of sending.
  @discardableResult
  public func feedback(_ payload: ReceivedPayload, token: String) async -> ConfirmationOutcome {
    guard OutboxEntry.isPlain(token, 512) else { return .refused("a push token is 1 to 512 bytes without spaces") }
    return await confirm(.receipt, payload, tokens: [token], isExtension: true)
  }

  /// Confirms that the user has read a message, which also changes the badge count: stores the read in a file first,
  /// then sends it together with everything else in the outbox. Returns `.refused` if the device is not registered,
  /// otherwise the result of sending.
  ///
  /// `force` is sent as `update`, which takes effect once per message. If the server answers with another count,
  /// because the message had been read before, `update(badge:)` follows; if the read cannot be sent now, it does not.
  /// The server's own `force` takes effect with each call, so repeating it after a lost answer would undo later changes
  /// of the badge.
  /// - Parameter badge: the new count for `update` and `force`; nil for the other options.
  /// - Throws: `.badgeNotExpected` or `.badgeOutOfRange` if `badge` does not match the option; then nothing is stored
  ///   or sent. For `force`, also the errors of `update(badge:)`; then the read itself has been recorded.
  @discardableResult
  public func read(
    _ payload: ReceivedPayload, badgeOption: BadgeOption = .keep, badge: Int? = nil
  ) async throws(ClientError) -> ConfirmationOutcome {
    try badgeOption.check(badge)
    let outcome = await confirm(.read, payload, option: badgeOption == .force ? .update : badgeOption, badge: badge)
    guard badgeOption == .force, let badge, case .recorded(let count) = outcome, count != badge else { return outcome }
    return .recorded(badge: try await update(badge: badge))
  }

  /// Sends the stored receipts and reads, and returns to the server a stored push that proves possession of the token
  /// (`strict` apps). Sends no receipts or reads during the server's Retry-After. Then, unless the server could not be
  /// reached or is busy, registers a token of the device whose registration got no answer. Never throws: what could not
  /// be sent stays stored. Call it when the app starts, when it comes to the foreground, and in background tasks.
  @discardableResult
  public func flush() async -> FlushReport {
    do throws(ClientError) {
      try await proveStoredPossession()
    } catch {
      log("possession is proved later: \(error)")
    }
    let report = await send([])
    if report.hasUnseenRead { await showBadge() }
    if report.reason == nil {
      do throws(ClientError) {
        try await registerExpectedToken()
      } catch {
        log("the token is registered later: \(error)")
      }
    }
    return report
  }

  /// The number of stored receipts and reads that wait to be sent; 0 also if the outbox cannot be read.
  public var waitingConfirmations: Int { outbox.waiting().count }

  private func confirm(
    _ kind: Confirmation.Kind, _ payload: ReceivedPayload, option: BadgeOption? = nil, badge: Int? = nil,
    tokens given: [String]? = nil, isExtension: Bool = false
  ) async -> ConfirmationOutcome {
    let tokens: [String]
    do throws(ClientError) {
      if let given {
        tokens = given
      } else if let known = try registration() {
        tokens = known.tokens
      } else {
        return .refused("the device is not registered")
      }
    } catch {
      return .lost(error.description)
    }
    guard
      let entry = OutboxEntry(
        kind, seqno: payload.seqno, pushkey: payload.pushkey, psids: tokens, option: option, badge: badge, now: now())
    else { return .refused("the payload is none of UPMC's") }
    awaited[entry.name, default: AwaitedConfirmation()].callers += 1
    defer { stopAwaiting(entry.name) }
    var loose: [OutboxEntry] = []
    var trouble: String?
    do {
      try outbox.add(entry)
    } catch {
      // Even if the disk is full, try to send it.
      log("cannot store \(entry.name): \(error)")
      trouble = String(describing: error)
      loose = [entry]
    }
    let report = await send(loose, isExtension: isExtension)
    if report.hasUnseenRead { Task { await showBadge() } }
    // A call that was sending already may have found the file, and got the answer to it.
    switch report.verdicts[entry.name] ?? awaited[entry.name]?.verdict {
    case .recorded(let badge): return .recorded(badge: badge)
    case .refused(let reason): return .refused(reason)
    case nil:
      let reason = report.reason ?? "another process sends it"
      return trouble.map { .lost("\(reason), and it could not be stored: \($0)") } ?? .waits(reason)
    }
  }

  /// Asks for the user's count and shows it, if the app has set a closure for that. The answers to stored reads would
  /// not do: others can follow in the same call, and the user who has read may not be the device's any more.
  private func showBadge() async {
    guard let showsBadge else { return }
    do throws(ClientError) {
      // In order, so that the count of a later read is shown later.
      try await inOrder { client throws(ClientError) in showsBadge(try await client.badge()) }
    } catch {
      log("the count after stored reads is shown later: \(error)")
    }
  }

  private func stopAwaiting(_ name: String) {
    guard let one = awaited[name] else { return }
    awaited[name] = one.callers > 1 ? AwaitedConfirmation(callers: one.callers - 1, verdict: one.verdict) : nil
  }

  private func send(_ loose: [OutboxEntry], isExtension: Bool = false) async -> FlushReport {
    let report = try? await inOrder { client async throws(ClientError) -> FlushReport in
      if let seconds = client.restSeconds {
        var report = FlushReport()
        report.waiting = client.outbox.waiting().count
        let whole = Int(seconds.rounded(.up))
        report.reason = "the server asked to be left alone for \(whole) s"
        report.retryAfterSeconds = whole
        return report
      }
      let transport = client.transport
      var sender = OutboxSender(
        outbox: client.outbox, origin: client.settings.server.base,
        seconds: isExtension ? client.settings.extensionCallSeconds : client.settings.callSeconds, now: client.now,
        log: client.log, send: { await transport.send($0) })
      sender.onStep = client.onSending
      var report = await sender.flush(beyond: loose)
      client.rest(seconds: report.retryAfterSeconds)
      for (name, verdict) in report.verdicts {
        client.awaited[name]?.verdict = verdict
        if case .recorded(_?) = verdict, client.awaited[name] == nil { report.hasUnseenRead = true }
      }
      return report
    }
    return report ?? FlushReport()
  }
}

/// The result of confirming a receipt or read.
public enum ConfirmationOutcome: Sendable, Equatable {
  /// The server has recorded the confirmation. `badge` is the user's new count; nil for a receipt, and for a read whose
  /// message the server keeps only in the inbox, or whose push was sent before the user logged in.
  case recorded(badge: Int?)
  /// The confirmation is stored and will be sent later, by this process or another; the text says why.
  case waits(String)
  /// The confirmation was removed or not stored, because the server has refused it permanently, it was stored more than
  /// 30 days ago, the device is not registered, or the payload or token is invalid; the text says why.
  case refused(String)
  /// The confirmation could neither be stored nor sent, or the key store could not be read; the text says why.
  case lost(String)
  /// No confirmation was needed: the push is silent, or the extension has confirmed it.
  case notNeeded

  /// True if the server has recorded the confirmation or needs none; false if the confirmation waits, was refused or is
  /// lost.
  public var isDone: Bool {
    switch self {
    case .recorded, .notNeeded: true
    case .waits, .refused, .lost: false
    }
  }
}

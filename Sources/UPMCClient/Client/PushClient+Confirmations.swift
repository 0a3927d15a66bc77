/// Receipts and reads.
extension PushClient {
  /// Confirms that a push arrived: the file first, then the call, at once. In an app that is `strict`, and while the device
  /// awaits a push, it is brought back as well.
  /// - Parameter isExtension: the call has five seconds, because the process does not live long.
  @discardableResult
  public func receive(_ payload: ReceivedPayload, isExtension: Bool = false) async -> ConfirmationOutcome {
    do throws(ClientError) {
      try await bringBack(payload)
    } catch {
      log("push \(payload.seqno) is brought back later: \(error)")
    }
    // A silent push shows nothing to the person.
    if payload.isSilent { return .notNeeded }
    if payload.hasFeedback { return .notNeeded }
    return await confirm(.receipt, payload, isExtension: isExtension)
  }

  /// Confirms a push for a device whose user and token the caller knows: an extension that shares nothing else with its app.
  @discardableResult
  public func feedback(_ payload: ReceivedPayload, token: String) async -> ConfirmationOutcome {
    guard OutboxEntry.isPlain(token, 512) else { return .refused("a push token is 1 to 512 bytes without spaces") }
    return await confirm(.receipt, payload, tokens: [token], isExtension: true)
  }

  /// Confirms that a person read a message, which moves the badge count in the same step.
  ///
  /// `force` is sent as `update`, which acts once per message, and followed by `update(badge:)` when the server had moved the
  /// badge for this message before: a `force` of the server acts each time, so that its repetition after a lost answer would
  /// undo what has changed the badge since.
  /// - Throws: unless the badge fits the option; then nothing is stored or sent. For `force` also what `update(badge:)` throws.
  @discardableResult
  public func read(
    _ payload: ReceivedPayload, badgeOption: BadgeOption = .keep, badge: Int? = nil
  ) async throws(ClientError) -> ConfirmationOutcome {
    try badgeOption.check(badge)
    let outcome = await confirm(.read, payload, option: badgeOption == .force ? .update : badgeOption, badge: badge)
    guard badgeOption == .force, let badge, case .recorded(let count) = outcome, count != badge else { return outcome }
    return .recorded(badge: try await update(badge: badge))
  }

  /// Sends what waits: at the start of the app, when it comes to the front, and in the background when the system allows it.
  @discardableResult
  public func flush() async -> FlushReport {
    do throws(ClientError) {
      try await bringBackStored()
    } catch {
      log("a push is brought back later: \(error)")
    }
    return await send([])
  }

  /// Receipts and reads that wait.
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
    var loose: [OutboxEntry] = []
    var trouble: String?
    do {
      try outbox.add(entry)
    } catch {
      // A full disk is no reason not to send.
      log("cannot store \(entry.name): \(error)")
      trouble = String(describing: error)
      loose = [entry]
    }
    let report = await send(loose, isExtension: isExtension)
    switch report.verdicts[entry.name] {
    case .recorded(let badge): return .recorded(badge: badge)
    case .refused(let reason): return .refused(reason)
    case nil:
      let reason = report.reason ?? "another process sends it"
      return trouble.map { .lost("\(reason), and it could not be stored: \($0)") } ?? .waits(reason)
    }
  }

  private func send(_ loose: [OutboxEntry], isExtension: Bool = false) async -> FlushReport {
    let report = try? await inOrder { client async throws(ClientError) -> FlushReport in
      if let seconds = client.restSeconds {
        var report = FlushReport()
        report.waiting = client.outbox.waiting().count
        report.reason = "the server asked to be left alone for \(Int(seconds) + 1) s"
        report.retryAfterSeconds = Int(seconds) + 1
        return report
      }
      let transport = client.transport
      var sender = OutboxSender(
        outbox: client.outbox, origin: client.settings.server.base,
        seconds: isExtension ? ClientLimits.extensionCallSeconds : client.settings.callSeconds, now: client.now,
        log: client.log, send: { await transport.send($0) })
      sender.onAnswer = client.onAnswer
      let report = await sender.flush(beyond: loose)
      client.rest(seconds: report.retryAfterSeconds)
      return report
    }
    return report ?? FlushReport()
  }
}

/// What became of a receipt or read.
public enum ConfirmationOutcome: Sendable, Equatable {
  /// The server has it. A read answers the user's new badge count.
  case recorded(badge: Int?)
  /// It is stored, and will be sent later.
  case waits(String)
  /// It will never be taken, and is removed.
  case refused(String)
  /// It could neither be stored nor sent.
  case lost(String)
  /// There is nothing to confirm: a silent push, or the extension has done it.
  case notNeeded

  /// The server has it, or needs nothing.
  public var isDone: Bool {
    switch self {
    case .recorded, .notNeeded: true
    case .waits, .refused, .lost: false
    }
  }
}

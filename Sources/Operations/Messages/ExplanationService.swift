package import Domain
package import JSON
package import Postgres
package import Store
package import Time

/// Explains one message for one person: every step with its time, in words, and what to do about failures.
///
/// ```
///   requested ─► (scheduled) ─► frozen ─► per device: claimed ─► accepted ─► received ─► read
///                                            │  not yet            ├► rejected, expired, cancelled, skipped: why
///                                            └ joined too late     └► waits for another attempt
///                                         ─► badge: added, taken back, read
/// ```
/// The rules (`steps`) are a pure function of what is stored; the sentences come from `ExplanationWords`, by code.
package enum ExplanationService {
  /// A step of an explanation. Clients branch on the code; people read the text.
  package struct Step: Equatable, Sendable {
    package enum Code: String, CaseIterable, Sendable {
      case requested
      case scheduled
      case waitingToBePlanned = "waiting-to-be-planned"
      case frozen
      case messagePaused = "message-paused"
      case appPaused = "app-paused"
      case unknownUser = "unknown-user"
      case noDevice = "no-device"
      case joinedLater = "joined-later"
      case notYet = "not-yet"
      case notInAudience = "not-in-audience"
      case underWay = "under-way"
      case accepted
      case rejected
      case expired
      case cancelled
      case skipped
      case waitsForRetry = "waits-for-retry"
      case triedAgain = "tried-again"
      case received
      case read
      case badgeAdded = "badge-added"
      case badgeTakenBack = "badge-taken-back"
      case badgeRead = "badge-read"
      case inQuarantine = "in-quarantine"
      case finished
    }

    package let code: Code
    /// Time of the step; nil if it has no time of its own.
    package var at: Timestamp?
    package var device: DeviceID?
    /// Reason of a failure, a wait or the quarantine, as reported by the push network or by UPMC; nil if there is none.
    package var reason: String?
    /// A number or name that the sentence mentions; nil if it mentions none.
    package var value: String?

    package init(
      _ code: Code, at: Timestamp? = nil, device: DeviceID? = nil, reason: String? = nil, value: String? = nil
    ) {
      self.code = code
      self.at = at
      self.device = device
      self.reason = reason
      self.value = value
    }
  }

  /// Stored facts about the message and the person, from which `steps` explains what happened.
  package struct Facts: Sendable {
    package var message: Explanations.Message
    package var isUserKnown: Bool
    package var devices: [PeopleLists.Device]
    package var deliveries: [Explanations.Delivery]
    package var claimed: Set<DeviceID>
    package var badge: Explanations.Badge?
  }

  package struct Answer: DescribedAnswer {
    let seqno: Seqno
    let clientUID: String
    let language: Phrase.Language
    let facts: Facts
    let steps: [Step]

    package static let object = JSONObject<Answer>(
      "Explanation",
      [
        .always("seqno", .sequence, \.seqno), .always("clientUid", .anyText, \.clientUID),
        .always("state", .state, \.facts.message.state),
        .always("language", .words(Phrase.Language.allCases), \.language),
        .always("steps", .list(of: ToldStep.object.form), \.told),
      ])

    /// A step and the text that explains it.
    private struct ToldStep {
      let step: Step
      let words: (text: String, advice: String?)

      static let object = JSONObject<ToldStep>(
        "ExplanationStep", isNamed: false,
        [
          .always("code", .words(Step.Code.allCases), \.step.code),
          .always("at", .orNull(.moment), \.step.at), .always("device", .orNull(.device), \.step.device),
          .always("reason", .orNull(.anyText), \.step.reason, "In the network's own word, or ours."),
          .always("text", .anyText, { $0.words.text }),
          .always("advice", .orNull(.anyText), { $0.words.advice }, "What to do."),
        ])
    }

    private var told: [ToldStep] {
      steps.map { step in
        ToldStep(step: step, words: ExplanationWords.of(step, on: step.device.flatMap(place), in: language))
      }
    }

    /// Returns the network and environment of a device; nil if it no longer belongs to the user, or is not among the
    /// first `shownDevices`.
    private func place(_ device: DeviceID) -> ExplanationWords.Place? {
      facts.devices.first { $0.record.device == device }.map {
        ExplanationWords.Place(network: $0.record.network, environment: $0.record.environment)
      }
    }
  }

  /// Explains a message for one user. An unknown user or one without devices is not an error, but a step. For a message
  /// to more than `searchedRows` devices, or to an unknown number, deliveries to devices that have since left the user
  /// can be missing.
  /// - Parameter language: the client's preference, as in `Accept-Language`; nil for English.
  /// - Throws: `.unknownMessage`, also if the caller may not access its app; `.notKept` if the message's deliveries are
  ///   no longer stored.
  package static func explain(
    _ seqno: Seqno, for clientUID: String, language: String?, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Answer {
    try caller.require(.viewPeople)
    guard let message = try connection.answer(Explanations.message(seqno)), caller.reaches(message.app) else {
      throw Problem(.unknownMessage, "There is no message \(seqno).")
    }
    guard message.isKept else { throw ReportService.notKept(seqno) }
    let key = Users.Key(app: message.app, userKey: UserKey(clientUID: clientUID))
    let devices = try connection.answer(
      PeopleLists.devices(
        of: message.app, after: ("", DeviceID(high: 0, low: 0)), from: key.userKey.text,
        upto: key.userKey.text + "\u{1}", limit: Operations.Limits.shownDevices))
    let deliveries = try connection.answer(
      Explanations.deliveries(
        seqno, of: key.userKey, on: devices.map(\.record.device),
        searching: (message.targeted ?? .max) <= Operations.Limits.searchedRows))
    let facts = Facts(
      message: message, isUserKnown: try connection.answer(Users.find([key]))[key] != nil, devices: devices,
      deliveries: deliveries, claimed: try connection.answer(Explanations.claimed(seqno, of: key.userKey)),
      badge: try connection.answer(Explanations.badge(seqno, of: key)))
    return Answer(
      seqno: seqno, clientUID: clientUID, language: Phrase.Language(accepting: language), facts: facts,
      steps: steps(facts))
  }

  // MARK: The rules

  /// Returns the steps in the order in which they are shown: those of the message, of an unknown user or one without
  /// devices, of devices without a stored delivery, of deliveries, of quarantined devices and of the badge count, and
  /// finally the end of the message. No I/O.
  package static func steps(_ facts: Facts) -> [Step] {
    let message = facts.message
    var steps = [Step(.requested, at: message.createdAt, value: message.apiKeyName)]
    if let dueAt = message.dueAt { steps.append(Step(.scheduled, at: dueAt)) }
    if let frozenAt = message.frozenAt {
      steps.append(Step(.frozen, at: frozenAt, value: message.targeted.map(String.init)))
    } else if !message.state.isFinal, message.state != .scheduled {
      steps.append(Step(.waitingToBePlanned))
    }
    if message.state == .paused { steps.append(Step(.messagePaused, value: message.stateReason)) }
    if let reason = message.pausedReason, !message.state.isFinal { steps.append(Step(.appPaused, value: reason)) }

    if facts.devices.isEmpty, facts.deliveries.isEmpty {
      steps.append(Step(facts.isUserKnown ? .noDevice : .unknownUser))
    }
    for device in facts.devices where !facts.deliveries.contains(where: { $0.device == device.record.device }) {
      steps.append(undecided(device, facts))
    }
    for delivery in facts.deliveries { steps += self.steps(delivery) }
    for device in facts.devices {
      guard let at = device.quarantinedAt else { continue }
      steps.append(Step(.inQuarantine, at: at, device: device.record.device, reason: device.quarantineReason))
    }
    if let badge = facts.badge { steps += self.steps(badge) }
    if let finishedAt = message.finishedAt { steps.append(Step(.finished, at: finishedAt, value: message.state.name)) }
    return steps
  }

  /// Returns the step of a device without a stored delivery: under way; joined after the audience was frozen; not in
  /// the audience, if the message has ended; otherwise not yet its turn.
  private static func undecided(_ device: PeopleLists.Device, _ facts: Facts) -> Step {
    let id = device.record.device
    if facts.claimed.contains(id) { return Step(.underWay, device: id) }
    if let frozenAt = facts.message.frozenAt, device.record.boundAt > frozenAt {
      return Step(.joinedLater, at: device.record.boundAt, device: id)
    }
    return Step(facts.message.state.isFinal ? .notInAudience : .notYet, device: id)
  }

  private static func steps(_ delivery: Explanations.Delivery) -> [Step] {
    var steps: [Step] = []
    if delivery.attempts > 1 {
      steps.append(Step(.triedAgain, device: delivery.device, value: String(delivery.attempts)))
    }
    let code: Step.Code =
      switch delivery.status {
      case .accepted: .accepted
      case .rejected: .rejected
      case .expired: .expired
      case .cancelled: .cancelled
      case .skipped: .skipped
      case .deferred: .waitsForRetry
      }
    steps.append(
      Step(
        code, at: code == .waitsForRetry ? delivery.dueAt ?? delivery.at : delivery.at, device: delivery.device,
        reason: delivery.reason))
    if let at = delivery.receivedAt { steps.append(Step(.received, at: at, device: delivery.device)) }
    if let at = delivery.readAt { steps.append(Step(.read, at: at, device: delivery.device)) }
    return steps
  }

  private static func steps(_ badge: Explanations.Badge) -> [Step] {
    var steps: [Step] = []
    if badge.increment != 0 { steps.append(Step(.badgeAdded, value: String(badge.increment))) }
    if badge.increment != 0, badge.deliveries > 0, badge.negatives >= badge.deliveries, badge.readOption == nil {
      steps.append(Step(.badgeTakenBack, value: String(badge.increment)))
    }
    if let option = badge.readOption {
      let names = ["keep", "reset", "update", "force"]
      steps.append(Step(.badgeRead, value: names.indices.contains(Int(option)) ? names[Int(option)] : String(option)))
    }
    return steps
  }
}

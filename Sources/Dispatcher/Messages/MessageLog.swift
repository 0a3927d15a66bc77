internal import Domain
internal import Logging
internal import Store

/// Log of the messages' progress: `grep seqno=17` shows all lines of one message. Campaigns are logged at `info` when
/// they are planned and when they end. Single sends (thousands per second) and all other steps of a message are logged
/// at `debug`, and each push at `trace`, by device, with neither user nor token.
struct MessageLog: Sendable {
  private let log: Logger

  init(_ log: Logger) {
    self.log = log
  }

  /// Logs that the whole audience of a message has been planned.
  func planned(_ message: DispatchMessage) {
    tell("planned", message.seqno, isCampaign: message.isCampaign)
  }

  func claimed(_ seqno: Seqno, _ claim: Claims.Hold, devices: Int) {
    log.debug(
      "claimed",
      metadata: [
        "seqno": .stringConvertible(seqno), "claim": .stringConvertible(claim.claim),
        "devices": .stringConvertible(devices),
      ])
  }

  /// Logs a push network's answer, or why the network was not asked.
  func pushed(_ flight: Flight, _ target: PushTarget, _ result: SubmissionResult) {
    log.trace(
      "pushed",
      metadata: [
        "seqno": .stringConvertible(flight.message.seqno), "device": "\(target.device)",
        "network": "\(flight.batch.route.network)", "environment": "\(flight.batch.route.environment)",
        "result": "\(result.kept)",
      ])
  }

  /// Logs how many outcomes of each status were written per message. Does nothing above level `debug`.
  func wrote(_ decisions: [Decisions.Decision]) {
    guard log.logLevel <= .debug else { return }
    var counts: [Seqno: [String: Int]] = [:]
    for decision in decisions {
      counts[decision.message.seqno, default: [:]][decision.record.status.name, default: 0] += 1
    }
    for (seqno, byStatus) in counts {
      var metadata: Logger.Metadata = ["seqno": .stringConvertible(seqno)]
      for (status, count) in byStatus { metadata[status] = .stringConvertible(count) }
      log.debug("written", metadata: metadata)
    }
  }

  /// Logs that messages are complete.
  /// - Parameter campaigns: those of them that are known to be campaigns.
  func ended(_ seqnos: some Collection<Seqno>, campaigns: Set<Seqno>) {
    for seqno in seqnos { tell("ended", seqno, isCampaign: campaigns.contains(seqno)) }
  }

  private func tell(_ what: Logger.Message, _ seqno: Seqno, isCampaign: Bool) {
    log.log(level: isCampaign ? .info : .debug, what, metadata: ["seqno": .stringConvertible(seqno)])
  }
}

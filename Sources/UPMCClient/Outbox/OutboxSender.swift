#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The result of one flush, which sends the stored confirmations.
public struct FlushReport: Sendable, Equatable {
  /// The number of confirmations that the server has recorded.
  public internal(set) var recorded = 0
  /// The number of confirmations that were removed without being recorded, because the server refused them permanently
  /// or they are too old.
  public internal(set) var refused = 0
  /// The number of confirmations still stored after the flush.
  public internal(set) var waiting = 0
  /// The reason why the flush ended before all confirmations were sent; nil if all were sent. Confirmations can be
  /// stored even then, for example because this version does not know the server's result.
  public internal(set) var reason: String?
  /// The number of seconds, 0 to 3,600, for which the server has asked not to be called (Retry-After); nil if it has
  /// not asked. If nothing was sent because of an earlier request of this kind, the seconds that remain.
  public internal(set) var retryAfterSeconds: Int?
  /// True if the server has recorded a read for which no call waits, so that nobody has shown the user's new count.
  var hasUnseenRead = false
  /// The final results by the entries' file names. Entries that wait have none.
  var verdicts: [String: Verdict] = [:]

  /// The final result for one entry.
  enum Verdict: Equatable {
    case recorded(badge: Int?)
    case refused(String)
  }

  /// Creates an empty report.
  init() {}
}

/// Sends the stored confirmations of an outbox, up to 100 of one kind per call, and removes those that the server has
/// recorded or refused permanently. While the server is busy, also removes those that are too old.
struct OutboxSender {
  let outbox: Outbox
  let origin: String
  let seconds: Double
  let now: @Sendable () -> Date
  let log: ClientLog
  let send: @Sendable (WireRequest) async -> Result<WireAnswer, NoAnswer>
  /// Called after each answer with results, and after each attempt to remove a file; tests end the process there.
  var onStep: @Sendable (SendingStep) -> Void = { _ in }

  /// The result of one call.
  private enum Outcome {
    case answered([ConfirmationCall.Verdict])
    /// The server rejects the call as a whole (400, 413 or 422), because an entry, the format or the size is invalid.
    case unfit(String)
    case later(String, seconds: Int?, isAnswered: Bool)
  }

  /// Removes old temporary files, then sends all entries of the outbox, receipts first, until a call fails: no answer,
  /// or one that neither contains results nor rejects the call as a whole (`Outcome.unfit`). If the server rejects an
  /// entry's token, sends the entry once more with its next token.
  /// - Parameter loose: entries that could not be stored, sent before the others of their kind.
  func flush(beyond loose: [OutboxEntry] = []) async -> FlushReport {
    var report = FlushReport()
    var done: Set<String> = []
    let unstored = Set(loose.map(\.name))
    // Entries sent from memory: those that are in no file, and those sent once more with another token.
    var loose = loose
    outbox.sweep(now: now())
    for kind in Confirmation.Kind.allCases {
      while report.reason == nil {
        var batch = Array(loose.filter { $0.kind == kind }.prefix(ClientLimits.confirmationsPerCall))
        loose.removeAll { entry in batch.contains { $0.name == entry.name } }
        fill(&batch, with: kind, except: done)
        guard !batch.isEmpty else { break }
        done.formUnion(batch.map(\.name))
        loose += await settle(batch, unstored, &report)
      }
    }
    report.waiting = outbox.waiting().count
    return report
  }

  private func fill(_ batch: inout [OutboxEntry], with kind: Confirmation.Kind, except done: Set<String>) {
    for name in outbox.waiting() {
      guard batch.count < ClientLimits.confirmationsPerCall else { return }
      guard OutboxEntry.parts(of: name)?.kind == kind, !done.contains(name), !batch.contains(where: { $0.name == name })
      else { continue }
      // If a file cannot be read now, a later flush may succeed.
      if let entry = try? outbox.read(name) { batch.append(entry) }
    }
  }

  /// Sends a batch and applies the server's results to the files and the report. Sends the halves of a batch that the
  /// server rejects as a whole, to find the invalid entry. If the call fails, sets the report's reason; if the server
  /// has answered that it is busy, also removes the batch's entries that are too old. Returns the entries to send once
  /// more in this flush, with another token.
  /// - Parameter unstored: names of entries that are in no file.
  private func settle(
    _ batch: [OutboxEntry], _ unstored: Set<String>, _ report: inout FlushReport
  ) async -> [OutboxEntry] {
    switch await call(batch) {
    case .answered(let verdicts):
      onStep(.answered)
      return zip(batch, verdicts).compactMap { settle($0, $1, isStored: !unstored.contains($0.name), &report) }
    case .unfit(let reason) where batch.count == 1:
      log("confirmation \(batch[0].name) is refused: \(reason)")
      refuse(batch[0], reason, &report)
      return []
    case .unfit:
      let half = batch.count / 2
      let first = await settle(Array(batch[..<half]), unstored, &report)
      guard report.reason == nil else { return first }
      return first + (await settle(Array(batch[half...]), unstored, &report))
    case .later(let reason, let seconds, let isAnswered):
      log("\(batch.count) confirmations wait: \(reason)")
      report.reason = reason
      report.retryAfterSeconds = seconds
      // Drop old entries only if the server has answered, so that a wrong clock alone loses nothing.
      if isAnswered {
        for entry in batch where Outbox.isTooOld(entry, now: now()) { refuse(entry, "older than 30 days", &report) }
      }
      return []
    }
  }

  private func settle(
    _ entry: OutboxEntry, _ verdict: ConfirmationCall.Verdict, isStored: Bool, _ report: inout FlushReport
  ) -> OutboxEntry? {
    switch verdict.status {
    case "recorded":
      report.recorded += 1
      report.verdicts[entry.name] = .recorded(badge: verdict.badge)
      remove(entry)
    case "invalid-pushkey" where entry.psids.count > 1:
      // The push may have been sent to the previous token.
      var other = entry
      other.psids.removeFirst()
      do {
        // If the file is gone, another process has received the answer.
        guard try outbox.replace(other) || !isStored else { return nil }
      } catch {
        // The disk is full: the file still begins with the first token, and a later flush starts with it.
        log("cannot note the next token of \(entry.name): \(error)")
      }
      return other
    case "invalid-pushkey", "unknown-message": refuse(entry, verdict.status, &report)
    default: log("the server answers \(verdict.status), which this release does not know; \(entry.name) waits")
    }
    return nil
  }

  private func refuse(_ entry: OutboxEntry, _ reason: String, _ report: inout FlushReport) {
    report.refused += 1
    report.verdicts[entry.name] = .refused(reason)
    remove(entry)
  }

  private func remove(_ entry: OutboxEntry) {
    try? outbox.remove(entry)
    onStep(.removed)
  }

  private func call(_ batch: [OutboxEntry]) async -> Outcome {
    let confirmations = batch.map(\.confirmation)
    var request = ConfirmationCall.request(confirmations, batch[0].kind, to: origin)
    request.seconds = seconds
    switch await send(request) {
    case .failure(let reason): return .later(reason.description, seconds: nil, isAnswered: false)
    case .success(let answer):
      if let verdicts = ConfirmationCall.verdicts(answer, of: confirmations) { return .answered(verdicts) }
      if let problem = ServerProblem(answer), [400, 413, 422].contains(answer.status) {
        return .unfit(problem.description)
      }
      return .later(
        answer.isBusy ? "the server is busy (\(answer.status))" : "HTTP \(answer.status) that is no answer of UPMC",
        seconds: answer.isBusy ? answer.honoredRetryAfterSeconds : nil, isAnswered: answer.isBusy)
    }
  }
}

/// A step of sending the outbox.
package enum SendingStep: String, Sendable {
  /// An answer with results was received, and no file of its entries is removed yet.
  case answered
  /// A file was removed, or its removal was attempted and failed.
  case removed
}

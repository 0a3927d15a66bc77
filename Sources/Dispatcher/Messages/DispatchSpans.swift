internal import Domain
internal import Reactor
internal import Time
internal import Tracing

/// The dispatcher's part of a message's trace: a span for each claim from a shard, below it one for each batch
/// submitted with the claim, and directly below the message's trace one for each other batch (single sends,
/// resubmissions). A message without a sampled trace costs one comparison. Decision 135.
struct DispatchSpans: Sendable {
  private let spans: SpanQueue
  private let clock: any Clock

  /// Creates the recorder; nil if tracing is disabled.
  init?(_ configuration: DispatcherConfiguration) {
    guard let spans = configuration.spans else { return nil }
    self.spans = spans
    clock = configuration.clock
  }

  /// Records the span of a committed claim, which ends now. Returns its context, the parent of its pushes' spans; nil,
  /// recording nothing, if the message is not traced.
  /// - Parameter time: how long the claim took.
  func claimed(_ message: DispatchMessage, devices: Int, after time: Duration) -> TraceContext? {
    let now = clock.wallTime
    guard let trace = message.trace, let span = spans.begin(trace, at: now - time) else {
      return nil
    }
    spans.offer(
      span.ended(
        "claim", .internal, at: now,
        [
          ("db.system.name", .text("postgresql")), ("upmc.seqno", .number(message.seqno.number)),
          ("upmc.devices", .number(Int64(devices))), ("upmc.lane", .text(message.push.lane.name)),
        ]))
    return span.context
  }

  /// Records the span of a batch whose results are complete. Does nothing if the batch is not traced.
  /// - Parameters:
  ///   - results: number of results by name, without names that did not occur.
  ///   - reason: the network's reason, or else the result's name, for the first push that was not accepted; nil if all
  ///     were accepted.
  func pushed(_ flight: Flight, _ results: [String: Int], _ reason: String?) {
    guard let span = flight.span else { return }
    let network = flight.batch.route.network == .apns ? "apns" : "fcm"
    var attributes: [TraceSpan.Attribute] = [
      ("messaging.system", .text(network)), ("messaging.operation.type", .text("send")),
      ("messaging.operation.name", .text("push")),
      ("messaging.batch.message_count", .number(Int64(flight.batch.targets.count))),
      ("upmc.seqno", .number(flight.message.seqno.number)),
      ("upmc.environment", .text("\(flight.batch.route.environment)")),
      ("upmc.is_repeat", .text(flight.isRepeat ? "true" : "false")),
    ]
    for (name, count) in results.sorted(by: { $0.key < $1.key }) {
      attributes.append(("upmc.pushes.\(name)", .number(Int64(count))))
    }
    // A campaign always includes a few invalid tokens, so the batch counts as failed only if no push was accepted.
    let fault = results["accepted"] == nil ? reason ?? "" : nil
    if let fault { attributes.append(("error.type", .text(fault.isEmpty ? "_OTHER" : fault))) }
    spans.offer(
      span.ended("push \(network)", .client, at: clock.wallTime, attributes, fault: fault))
  }
}

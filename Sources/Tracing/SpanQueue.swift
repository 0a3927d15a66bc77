internal import Synchronization

/// Finished spans on their way to the exporter. A full queue drops new spans and counts them, so a collector that is
/// away neither delays a request nor fills memory. Any thread.
package final class SpanQueue: Sendable {
  private struct Waiting {
    var spans: [TraceSpan] = []
    var dropped: Int64 = 0
  }

  private let capacity: Int
  private let waiting = Mutex(Waiting())

  /// - Parameter capacity: maximum number of waiting spans, at least 1.
  package init(capacity: Int = Tracing.Limits.waitingSpans) {
    precondition(capacity > 0, "a queue of spans needs room for one")
    self.capacity = capacity
  }

  /// Begins a span below `parent`; nil unless that is sampled.
  /// - Parameter now: microseconds since 1970.
  package func begin(_ parent: TraceContext?, at now: Int64) -> OpenSpan? {
    guard let parent, parent.isSampled else { return nil }
    return OpenSpan(context: parent.child(), parent: parent.span, began: now)
  }

  /// Returns false when the queue was full and the span was dropped.
  @discardableResult package func offer(_ span: TraceSpan) -> Bool {
    waiting.withLock { waiting in
      guard waiting.spans.count < capacity else {
        waiting.dropped += 1
        return false
      }
      waiting.spans.append(span)
      return true
    }
  }

  /// Removes and returns the oldest spans.
  package func take(atMost count: Int) -> [TraceSpan] {
    waiting.withLock { waiting in
      let taken = Array(waiting.spans.prefix(count))
      waiting.spans.removeFirst(taken.count)
      return taken
    }
  }

  /// Spans that wait.
  package var count: Int { waiting.withLock { $0.spans.count } }

  /// Spans dropped since the start.
  package var dropped: Int64 { waiting.withLock { $0.dropped } }
}

internal import Synchronization
package import Time

/// A queue of finished spans that wait for the exporter. When full, it drops and counts new spans, so an unreachable
/// collector neither delays requests nor exhausts memory. Thread-safe.
package final class SpanQueue: Sendable {
  private struct Waiting {
    var spans: [TraceSpan] = []
    var dropped: Int64 = 0
  }

  private let capacity: Int
  private let waiting = Mutex(Waiting())

  /// Creates an empty queue.
  /// - Parameter capacity: maximum number of waiting spans, at least 1.
  package init(capacity: Int = Tracing.Limits.waitingSpans) {
    precondition(capacity > 0, "a queue of spans needs room for one")
    self.capacity = capacity
  }

  /// Begins a child span of `parent`; returns nil if the trace is not sampled.
  package func begin(_ parent: TraceContext?, at now: Timestamp) -> OpenSpan? {
    guard let parent, parent.isSampled else { return nil }
    return OpenSpan(context: parent.child(), parent: parent.span, began: now)
  }

  /// Adds a span. Returns false if the queue is full and the span was dropped.
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

  /// Removes and returns the oldest spans, at most `count`.
  package func take(atMost count: Int) -> [TraceSpan] {
    waiting.withLock { waiting in
      let taken = Array(waiting.spans.prefix(count))
      waiting.spans.removeFirst(taken.count)
      return taken
    }
  }

  /// The number of waiting spans.
  package var count: Int { waiting.withLock { $0.spans.count } }

  /// The number of spans dropped since the process started.
  package var dropped: Int64 { waiting.withLock { $0.dropped } }
}

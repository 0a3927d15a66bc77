internal import DequeModule

/// A queue of pending DNS look-ups, fair between the tenants ("askers") that request them. Not thread-safe: confined to
/// one owner.
///
/// The system's resolver blocks its thread for ten seconds or more while a name server does not respond, and a tenant
/// who chooses the host name also chooses its name server. Each asker therefore occupies at most one resolver thread,
/// and askers are served round-robin. Decision 117.
struct LookUpQueue<Question> {
  private var waiting: [String: Deque<Question>] = [:]
  /// The askers with waiting questions, in round-robin order.
  private var turns = Deque<String>()
  private var busy: Set<String> = []
  private var count = 0
  private let questionsOfOne: Int

  /// Creates an empty queue.
  /// - Parameter questionsOfOne: maximum number of look-ups that one asker may have queued.
  init(questionsOfOne: Int) {
    self.questionsOfOne = questionsOfOne
  }

  /// Enqueues a look-up. Returns false if the queue is full, in total or for this asker.
  mutating func offer(_ question: Question, of asker: String) -> Bool {
    let own = waiting[asker]?.count ?? 0
    guard count < PushTransport.Limits.resolverQuestions, own < questionsOfOne else { return false }
    if own == 0 { turns.append(asker) }
    waiting[asker, default: []].append(question)
    count += 1
    return true
  }

  /// Dequeues the next look-up of an asker that has none in progress, and counts it as in progress; nil if there is
  /// none. When the look-up is done, the caller must call `finished`.
  mutating func take() -> (question: Question, asker: String)? {
    guard let turn = turns.firstIndex(where: { !busy.contains($0) }) else { return nil }
    let asker = turns.remove(at: turn)
    guard let question = waiting[asker]?.popFirst() else { return nil }
    count -= 1
    if waiting[asker]?.isEmpty == false { turns.append(asker) } else { waiting[asker] = nil }
    busy.insert(asker)
    return (question, asker)
  }

  mutating func finished(_ asker: String) {
    busy.remove(asker)
  }

  /// True if `take` would return a question.
  var hasWork: Bool { turns.contains { !busy.contains($0) } }
}

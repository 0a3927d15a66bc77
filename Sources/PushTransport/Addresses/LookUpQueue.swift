internal import DequeModule

/// Queue of names to look up, fair between askers. Pure; one owner.
///
/// The system's resolver blocks its thread while a name server is silent, ten seconds and more, and whoever chooses the
/// name chooses the server. So no asker holds more than one thread, and askers take turns. Decision 117.
struct LookUpQueue<Question> {
  private var waiting: [String: Deque<Question>] = [:]
  /// Askers with waiting questions, in round-robin order.
  private var turns = Deque<String>()
  private var busy: Set<String> = []
  private var count = 0
  private let questionsOfOne: Int

  /// - Parameter questionsOfOne: maximum waiting questions of one asker.
  init(questionsOfOne: Int) {
    self.questionsOfOne = questionsOfOne
  }

  /// False if too many questions wait already, in total or of this asker.
  mutating func offer(_ question: Question, of asker: String) -> Bool {
    let own = waiting[asker]?.count ?? 0
    guard count < PushTransport.Limits.resolverQuestions, own < questionsOfOne else { return false }
    if own == 0 { turns.append(asker) }
    waiting[asker, default: []].append(question)
    count += 1
    return true
  }

  /// The next question of an asker that has none in progress; nil if there is none. The caller must call `finished`
  /// after it.
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

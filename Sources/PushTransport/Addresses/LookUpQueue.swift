internal import DequeModule

/// Names that wait to be looked up, fair to whoever asks. Pure; one owner.
///
/// The system's resolver holds a thread for as long as a name server is silent, ten seconds and more, and whoever chooses
/// the name chooses the server. So nobody holds more than one thread, and nobody's questions stand before all of another's.
struct LookUpQueue<Question> {
  private var waiting: [String: Deque<Question>] = [:]
  /// Those with questions, whose turn is next first.
  private var turns = Deque<String>()
  private var busy: Set<String> = []
  private var count = 0
  private let questionsOfOne: Int

  /// - Parameter questionsOfOne: how many of one asker may wait.
  init(questionsOfOne: Int) {
    self.questionsOfOne = questionsOfOne
  }

  /// False when too many wait already: of all, or of this one.
  mutating func offer(_ question: Question, of asker: String) -> Bool {
    let own = waiting[asker]?.count ?? 0
    guard count < PushTransport.Limits.resolverQuestions, own < questionsOfOne else { return false }
    if own == 0 { turns.append(asker) }
    waiting[asker, default: []].append(question)
    count += 1
    return true
  }

  /// The next question of somebody who has none under way; nil when there is none. `finished` must follow.
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

  /// Something can be taken now.
  var hasWork: Bool { turns.contains { !busy.contains($0) } }
}

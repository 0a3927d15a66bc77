internal import Domain
internal import Reactor

/// The threads that serve some of the lanes: a planner, a claimer and a completer, each with its own database
/// connection. There are two sets, one for the urgent lane and one for the others, so that no commit of a campaign
/// delays a log-in code. Their common state (lease, window, paused apps, busy devices) is in `Shared`. Decision 051.
struct LaneWorkers: Sendable {
  let number: Int
  /// The lanes served, most urgent first.
  let lanes: [Lane]
  let completer: Inbox<CompleterInput>
  let planWakeup: Wakeup
  let claimWakeup: Wakeup
  /// Writer number with which the claimer increments totals.
  let claimWriter: Int32
  /// Writer number with which the completer increments totals.
  let completeWriter: Int32

  static let lanes: [[Lane]] = [[.urgent], [.normal, .bulk]]
  /// Returns the first writer number after those of all `LaneWorkers`, which start at `first`.
  static func writers(from first: Int32) -> Int32 { first &+ Int32(lanes.count * 2) }

  init(number: Int, completer: Inbox<CompleterInput>, firstWriter: Int32) throws(SystemError) {
    self.number = number
    lanes = Self.lanes[number]
    self.completer = completer
    planWakeup = try Wakeup()
    claimWakeup = try Wakeup()
    claimWriter = firstWriter &+ Int32(number * 2)
    completeWriter = claimWriter &+ 1
  }

  static func number(of lane: Lane) -> Int { lane == .urgent ? 0 : 1 }

  /// Returns the name of the thread for a task: the task, followed by `-urgent` if these workers serve only the urgent
  /// lane.
  /// - Parameter task: at most 8 bytes, because Linux limits thread names to 15.
  func threadName(_ task: String) -> String { lanes == [.urgent] ? task + "-urgent" : task }

  /// Sends inputs to the completer, all at once, so that it receives them in one iteration. Drops them if the
  /// completer's inbox is closed. Traps if the inbox is full.
  func tell(_ inputs: [CompleterInput]) {
    // The window bounds the deliveries in flight, so a full inbox is a bug.
    precondition(completer.offer(contentsOf: inputs) || completer.refusesAll, "the completer's inbox is full")
  }

  func tell(_ input: CompleterInput) {
    precondition(completer.offer(input) || completer.refusesAll, "the completer's inbox is full")
  }
}

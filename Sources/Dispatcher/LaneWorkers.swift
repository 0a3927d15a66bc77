package import Domain
package import Reactor

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

/// Inboxes for the providers' results: one per `LaneWorkers` and one for badges. A batch's address says which inbox
/// receives its results. Created before the providers and the dispatcher, which share it.
package struct ResultInbox: Sendable {
  let laneWorkers: [Inbox<CompleterInput>]
  /// Results of badge pushes, which belong to no message.
  let badges: Inbox<PushResult>

  /// Index of the badge inbox, after those of the `LaneWorkers`.
  static let badgePlace = LaneWorkers.lanes.count

  package init() throws(SystemError) {
    laneWorkers = try LaneWorkers.lanes.map { _ throws(SystemError) in try Inbox(capacity: Limits.waitingResults) }
    badges = try Inbox(capacity: Limits.badgeResults)
  }

  package var sink: PushResultSink {
    let inbox = self
    return { results in
      var rest = results[...]
      while let place = rest.first?.batch.inbox {
        let own = rest.prefix { $0.batch.inbox == place }
        // The usual case: all results belong to one inbox.
        inbox.put(own.count == results.count ? results : Array(own), at: place)
        rest = rest.dropFirst(own.count)
      }
    }
  }

  private func put(_ results: [PushResult], at place: Int) {
    guard place < laneWorkers.count else {
      // A result dropped on overflow costs one more attempt of a badge push.
      for result in results { _ = badges.offer(result) }
      return
    }
    // The window keeps the deliveries in flight far below the capacity, so a full inbox is a bug.
    let inbox = laneWorkers[place]
    precondition(inbox.offer(.results(results)) || inbox.refusesAll, "more results than were ever submitted")
  }
}

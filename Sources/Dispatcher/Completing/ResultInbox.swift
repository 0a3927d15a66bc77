package import Domain
package import Reactor

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

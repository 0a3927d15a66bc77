package import Domain
package import Reactor

/// Inboxes for the providers' results; created before the providers and given to both sides. One for each
/// `LaneWorkers`, and one for badges; the batch's address names the inbox of its results.
package struct ResultInbox: Sendable {
  let laneWorkers: [Inbox<CompleterInput>]
  /// Results of pushes that belong to no message.
  let badges: Inbox<PushResult>

  /// Index of the badges' inbox, after those of the `LaneWorkers`.
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
        // Usually all belong to one inbox.
        inbox.put(own.count == results.count ? results : Array(own), at: place)
        rest = rest.dropFirst(own.count)
      }
    }
  }

  private func put(_ results: [PushResult], at place: Int) {
    guard place < laneWorkers.count else {
      // Dropping a result on overflow costs a badge one more try.
      for result in results { _ = badges.offer(result) }
      return
    }
    // The window keeps deliveries in flight far below the capacity: a refusal is a bug.
    let inbox = laneWorkers[place]
    precondition(inbox.offer(.results(results)) || inbox.refusesAll, "more results than were ever submitted")
  }
}

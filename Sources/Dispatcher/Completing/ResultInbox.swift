package import Domain
package import Reactor

/// Where providers put their results; made before the providers, given to both sides. One inbox for each crew, and one for
/// badges. Which one a result belongs to stands in its batch's address.
package struct ResultInbox: Sendable {
  let laneWorkers: [Inbox<CompleterInput>]
  /// Answers to pushes that belong to no message.
  let badges: Inbox<PushResult>

  /// The place of the badges' inbox, behind those of the crews.
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
        // As a rule all belong to one.
        inbox.put(own.count == results.count ? results : Array(own), at: place)
        rest = rest.dropFirst(own.count)
      }
    }
  }

  private func put(_ results: [PushResult], at place: Int) {
    guard place < laneWorkers.count else {
      // A full inbox costs a badge one more try.
      for result in results { _ = badges.offer(result) }
      return
    }
    // The window keeps what is under way far below the capacity: a refusal would be our own mistake.
    let inbox = laneWorkers[place]
    precondition(inbox.offer(.results(results)) || inbox.refusesAll, "more results than were ever submitted")
  }
}

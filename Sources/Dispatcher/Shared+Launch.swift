internal import Domain
internal import Reactor
internal import Store

/// Handing on: to the completer, then to the push networks.
extension Shared {
  /// Numbers of the totals' writers on this node.
  var claimWriter: Int32 { configuration.firstWriter }
  var completeWriter: Int32 { configuration.firstWriter &+ 1 }

  /// All of these, or none: the completer sees them in one turn.
  func tell(_ inputs: [CompleterInput]) {
    precondition(completer.offer(contentsOf: inputs) || completer.refusesAll, "the completer's inbox is full")
  }

  func tell(_ input: CompleterInput) {
    // The window bounds what is under way: a full inbox would be our own mistake.
    precondition(completer.offer(input) || completer.refusesAll, "the completer's inbox is full")
  }

  /// Puts a fresh claim to work: what is ready leaves now, the rest is told to the completer.
  func launch(
    _ claim: Int64, _ message: DispatchMessage, _ members: [Audiences.Member], badges: [UserKey: Int16],
    names: [UserKey: String], readAt: Instant
  ) {
    let sorting = Sorting(members, of: message.app, self)
    launch(
      flights(claim, message, sorting.ready, badges: badges, names: names, readAt: readAt),
      besides: sorting.others(claim: claim, message))
  }

  /// The recipients of a fresh claim as batches, one for each route.
  private func flights(
    _ claim: Int64, _ message: DispatchMessage, _ members: [Audiences.Member], badges: [UserKey: Int16],
    names: [UserKey: String], readAt: Instant
  ) -> [Flight] {
    Dictionary(grouping: members) { message.route(of: $0) }.map { route, members in
      let targets = members.map { member in
        PushTarget(
          device: member.device, userKey: member.userKey, psid: member.psid, badge: badges[member.userKey] ?? 0,
          clientName: names[member.userKey] ?? "", appVersion: member.appVersion)
      }
      let batch = PushBatch(
        number: nextBatch(), message: message.push, route: route, targets: targets,
        readAtNanoseconds: readAt.nanoseconds)
      let attempts = [Int16](repeating: 0, count: targets.count)
      return Flight(batch: batch, claim: claim, message: message, attempts: attempts)
    }
  }

  /// Registers all of a claim with the completer, at once, then hands each batch to its provider: so no result comes
  /// first, and no claim looks finished while a part of it has not begun.
  /// - Parameter others: what becomes of the rest of the claim.
  func launch(_ flights: [Flight], besides others: [CompleterInput] = []) {
    tell(flights.map(CompleterInput.started) + others)
    for flight in flights {
      // A full provider or a lease that may be over: read the bindings again and come back.
      let isTaken = holdsLease && configuration.providers[flight.batch.route.network]?.offer(flight.batch) == true
      if !isTaken { giveBack(flight.batch) }
    }
  }

  private func giveBack(_ batch: PushBatch) {
    tell(.results(batch.targets.indices.map { PushResult(batch: batch.number, target: $0, result: .notProcessed) }))
  }
}

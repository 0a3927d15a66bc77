internal import Domain
internal import Reactor
internal import Store

/// Handing on: to the completer, then to the push networks.
extension Shared {
  /// Numbers of the totals' writers on this node.
  var claimWriter: Int32 { configuration.firstWriter }
  var completeWriter: Int32 { configuration.firstWriter &+ 1 }

  func tell(_ input: CompleterInput) {
    // The window bounds what is under way: a full inbox would be our own mistake.
    precondition(completer.offer(input) || completer.isClosed, "the completer's inbox is full")
  }

  /// The recipients of a fresh claim as batches, one for each route.
  func flights(
    _ claim: Int64, _ message: DispatchMessage, _ members: [Audiences.Member], badges: [UserKey: Int16],
    names: [UserKey: String], readAt: Instant
  ) -> [Flight] {
    Dictionary(grouping: members) { message.route(of: $0) }.map { route, members in
      let targets = members.map { member in
        PushTarget(
          device: member.device, userKey: member.userKey, psid: member.psid, badge: badges[member.userKey] ?? 0,
          clientName: names[member.userKey] ?? "")
      }
      let batch = PushBatch(
        number: nextBatch(), message: message.push, route: route, targets: targets,
        readAtNanoseconds: readAt.nanoseconds)
      let attempts = [Int16](repeating: 0, count: targets.count)
      return Flight(batch: batch, claim: claim, message: message, attempts: attempts)
    }
  }

  /// Registers all batches of a claim with the completer, then hands each to its provider: in this order, so that no
  /// result comes first and no claim looks finished while a part of it has not begun.
  func launch(_ flights: [Flight]) {
    for flight in flights { tell(.started(flight)) }
    for flight in flights {
      if let provider = configuration.providers[flight.batch.route.network] {
        // A full provider or a lease that may be over: read the bindings again and come back.
        if !holdsLease || !provider.offer(flight.batch) { refuse(flight.batch, .notProcessed) }
      } else {
        refuse(flight.batch, .credentialFault(reason: "NoProvider"))
      }
    }
  }

  private func refuse(_ batch: PushBatch, _ result: SubmissionResult) {
    tell(.results(batch.targets.indices.map { PushResult(batch: batch.number, target: $0, result: result) }))
  }
}

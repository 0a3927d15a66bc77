internal import Domain
internal import Reactor
internal import Store

/// A device of a new claim.
struct Recipient {
  let member: Audiences.Member
  /// The device's position in the block; nil if the claim is not a block.
  let place: BlockPlace?

  /// The recipient as the completer stores it while it is not in flight, without any earlier try.
  var waiting: WaitingTarget {
    WaitingTarget(device: member.device, userKey: member.userKey, attempts: 0, place: place)
  }

  /// Returns the recipients of a claim.
  /// - Parameter block: the claim's block; nil if the claim lists its devices itself.
  static func all(_ members: [Audiences.Member], in block: BlockID?) -> [Recipient] {
    members.enumerated().map { position, member in
      Recipient(member: member, place: block.map { BlockPlace(block: $0, position: position) })
    }
  }
}

/// The devices of a claim, partitioned: those to send to now (usually all), those that wait because they are backing
/// off, and those to skip, by reason.
struct ClaimPartition {
  private(set) var ready: [Recipient] = []
  private var waiting: [WaitingTarget] = []
  private var skipped: [SkipReason: [WaitingTarget]] = [:]

  init(_ recipients: [Recipient], of message: DispatchMessage, _ values: RecipientValues, _ shared: Shared) {
    let now = shared.clock.now
    let someWait = shared.backOffs.isAny(at: now)
    let networks = Set(shared.configuration.providers.keys)
    ready.reserveCapacity(recipients.count)
    for recipient in recipients {
      let member = recipient.member
      if let reason = message.objection(to: member) {
        skipped[reason, default: []].append(recipient.waiting)
      } else if !networks.contains(member.network) {
        skipped[.noProvider, default: []].append(recipient.waiting)
      } else if !values.hasToken(member) {
        skipped[.noToken, default: []].append(recipient.waiting)
      } else if someWait, shared.backOffs.wait(member.device, at: now) > .zero {
        waiting.append(recipient.waiting)
      } else {
        ready.append(recipient)
      }
    }
  }

  /// Returns the completer's inputs for the devices that are not ready: one for each reason to skip, and one for the
  /// devices that wait; none if all are ready.
  func others(claim: Claims.Hold, _ message: DispatchMessage) -> [CompleterInput] {
    var inputs: [CompleterInput] = skipped.map {
      .decided(claim: claim, message, $0.value, .skipped, reason: $0.key.rawValue)
    }
    // The completer determines how long each of them waits.
    if !waiting.isEmpty { inputs.append(.waiting(claim: claim, message, waiting)) }
    return inputs
  }
}

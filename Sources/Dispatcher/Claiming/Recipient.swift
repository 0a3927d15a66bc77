internal import Domain
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

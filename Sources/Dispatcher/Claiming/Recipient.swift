internal import Domain
internal import Store

/// A device of a fresh claim.
struct Recipient {
  let member: Audiences.Member
  /// Where it stands when the claim is a block.
  let place: BlockPlace?

  /// As the completer is told of one that is not on its way yet.
  var waiting: WaitingTarget {
    WaitingTarget(device: member.device, userKey: member.userKey, attempts: 0, place: place)
  }

  /// - Parameter block: what the claim is; nil when it lists its devices itself.
  static func all(_ members: [Audiences.Member], in block: BlockID?) -> [Recipient] {
    members.enumerated().map { position, member in
      Recipient(member: member, place: block.map { BlockPlace(block: $0, position: position) })
    }
  }
}

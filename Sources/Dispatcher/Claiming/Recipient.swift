internal import Domain
internal import Store

/// A device of a fresh claim.
struct Recipient {
  let member: Audiences.Member
  /// Its position if the claim is a block.
  let place: BlockPlace?

  /// The completer's form of a recipient that is not in flight yet.
  var waiting: WaitingTarget {
    WaitingTarget(device: member.device, userKey: member.userKey, attempts: 0, place: place)
  }

  /// - Parameter block: the claim's block; nil if the claim lists its devices itself.
  static func all(_ members: [Audiences.Member], in block: BlockID?) -> [Recipient] {
    members.enumerated().map { position, member in
      Recipient(member: member, place: block.map { BlockPlace(block: $0, position: position) })
    }
  }
}

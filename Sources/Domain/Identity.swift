/// Whose device is whose, as an app decides it.
extension App {
  /// What it takes to call a device a user's. Raw values are stored, for apps and for each device's binding.
  package enum Identity: Int16, CaseIterable, Comparable, Sendable {
    /// The device's word: whoever knows a CUID gets its user's pushes.
    case open = 0
    /// The app's own server vouches for the user, by a proof or a voucher.
    case proof = 1
    /// That, and the device has brought back a push that went to its token.
    case strict = 2

    package var name: String {
      switch self {
      case .open: "open"
      case .proof: "proof"
      case .strict: "strict"
      }
    }

    package init?(name: String) {
      guard let identity = Self.allCases.first(where: { $0.name == name }) else { return nil }
      self = identity
    }

    package static func < (left: Identity, right: Identity) -> Bool { left.rawValue < right.rawValue }
  }

  /// How an app knows whose device is whose.
  package struct IdentityRules: Equatable, Sendable {
    package var identity = Identity.proof
    /// A stricter one, of which it is only counted what it would refuse.
    package var observed: Identity?
    /// Until then (microseconds since 1970) bindings from a laxer time stand; afterwards they end. Nil: there are none.
    package var graceEndsAt: Int64?
    /// In `open` alone: a known DEVICE_ID with a new token keeps its user without a key, as servers of old did.
    package var keepsUserOnRefresh = false
    /// In `open`: confidential messages go to proved devices only, as they do everywhere else.
    package var keepsConfidentialToProved = false
    /// A user's other devices are told of a new one by a push.
    package var tellsDevices = false
    /// The number of the secret that proofs are made with.
    package var proofGeneration: Int16 = 1

    package init() {}

    package init(_ identity: Identity) {
      self.identity = identity
    }

    /// The stricter of what holds and what is tried out.
    package var wanted: Identity { max(identity, observed ?? .open) }

    /// By what a device must be its user's to get a confidential message.
    package var confidentialFrom: Identity { max(identity, keepsConfidentialToProved ? .proof : .open) }

    /// What a device that names its user may gain by a voucher.
    package var sought: Identity {
      identity == .strict ? .strict : wanted > .open || keepsConfidentialToProved ? .proof : .open
    }
  }
}

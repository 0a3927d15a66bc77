/// How an app determines which user a device belongs to.
extension App {
  /// What it takes to bind a device to a user. Raw values are stored, for apps and for each device's binding.
  package enum Identity: Int16, CaseIterable, Comparable, Sendable {
    /// The device's claim suffices: anyone who knows a CUID gets its user's pushes.
    case open = 0
    /// The app's own server vouches for the user, with a proof or a voucher.
    case proof = 1
    /// As `proof`, and the device has also brought back a push that was sent to its token.
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

  /// An app's identity settings.
  package struct IdentityRules: Equatable, Sendable {
    package var identity = Identity.proof
    /// A stricter mode that is only observed: what it would refuse is counted.
    package var observed: Identity?
    /// Until then (microseconds since 1970) weaker bindings remain; afterwards they end. Nil: no grace period.
    package var graceEndsAt: Int64?
    /// Only in `open`: a known DEVICE_ID with a new token keeps its user without a key, as on legacy servers.
    package var keepsUserOnRefresh = false
    /// In `open`: confidential messages go to proved devices only, as in the other modes.
    package var keepsConfidentialToProved = false
    /// A user's other devices are notified of a new one by push.
    package var tellsDevices = false
    /// Generation of the secret for proofs.
    package var proofGeneration: Int16 = 1

    package init() {}

    package init(_ identity: Identity) {
      self.identity = identity
    }

    /// The stricter of the active and the observed mode.
    package var wanted: Identity { max(identity, observed ?? .open) }

    /// The mode under which a device must be bound to receive confidential messages.
    package var confidentialFrom: Identity { max(identity, keepsConfidentialToProved ? .proof : .open) }

    /// The mode that a device which names its user can reach with a voucher.
    package var sought: Identity {
      identity == .strict ? .strict : wanted > .open || keepsConfidentialToProved ? .proof : .open
    }
  }
}

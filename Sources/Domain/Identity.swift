package import Time

/// The rules by which an app determines which user a device belongs to.
extension App {
  /// The proof that a device belongs to a user. Raw values are stored, for apps and for each device's binding.
  package enum Identity: Int16, CaseIterable, Comparable, Sendable {
    /// No proof: anyone who knows a CUID can receive that user's pushes.
    case open = 0
    /// The app's own backend confirms the user, with a proof or a voucher.
    case proof = 1
    /// As `proof`; in addition the device has returned a push that was sent to its token.
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
    /// A stricter mode that is only simulated: what it would refuse is counted. Nil if there is none.
    package var observed: Identity?
    /// End of the grace period after a change to a stricter mode: devices that are bound to their users with less proof
    /// than `identity` requires become guests then. Nil if there is no such period.
    package var graceEndsAt: Timestamp?
    /// True if, in `open`, a known DEVICE_ID with a new token keeps its user without a key, as on legacy servers.
    package var keepsUserOnRefresh = false
    /// True if, in `open`, confidential messages go only to devices whose user is proved, as in the other modes.
    package var keepsConfidentialToProved = false
    /// True to notify a user's other devices of a new device by push.
    package var tellsDevices = false
    /// Generation of the secret for user proofs; each increment replaces the secret.
    package var proofGeneration: Int16 = 1

    package init() {}

    package init(_ identity: Identity) {
      self.identity = identity
    }

    /// The simulated stricter mode if there is one, otherwise the active one: requests that it refuses are counted.
    package var wanted: Identity { max(identity, observed ?? .open) }

    /// The weakest mode in which a device must be bound in order to receive confidential messages.
    package var confidentialFrom: Identity { max(identity, keepsConfidentialToProved ? .proof : .open) }

    /// The mode to which a voucher would bind a device that names its user. `.open`, for which vouchers are not read,
    /// if neither the active nor the simulated mode requires proof, and confidential messages do not either.
    package var sought: Identity {
      identity == .strict ? .strict : wanted > .open || keepsConfidentialToProved ? .proof : .open
    }
  }
}

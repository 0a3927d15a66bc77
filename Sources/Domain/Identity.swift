/// How an app determines which user a device belongs to.
extension App {
  /// How a device proves that it belongs to a user. Raw values are stored, for apps and for each device's binding.
  package enum Identity: Int16, CaseIterable, Comparable, Sendable {
    /// Not at all: anyone who knows a CUID can receive that user's pushes.
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
    /// A stricter mode that is only simulated: what it would refuse is counted. Nil for none.
    package var observed: Identity?
    /// When weaker bindings end, in microseconds since 1970; nil if there is no grace period.
    package var graceEndsAt: Int64?
    /// Only in `open`: a known DEVICE_ID with a new token keeps its user without a key, as on legacy servers.
    package var keepsUserOnRefresh = false
    /// In `open`: send confidential messages only to devices with a proof, as the other modes do.
    package var keepsConfidentialToProved = false
    /// Notify a user's other devices of a new device by push.
    package var tellsDevices = false
    /// Generation of the secret for user proofs.
    package var proofGeneration: Int16 = 1

    package init() {}

    package init(_ identity: Identity) {
      self.identity = identity
    }

    /// The stricter of the active mode and the simulated one.
    package var wanted: Identity { max(identity, observed ?? .open) }

    /// The mode in which a device must be bound in order to receive confidential messages.
    package var confidentialFrom: Identity { max(identity, keepsConfidentialToProved ? .proof : .open) }

    /// The mode that a device which names its user can reach with a voucher.
    package var sought: Identity {
      identity == .strict ? .strict : wanted > .open || keepsConfidentialToProved ? .proof : .open
    }
  }
}

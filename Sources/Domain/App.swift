/// A client application: the tenant of everything else.
package struct App: Sendable, Equatable {
  /// Our short number of it, the first column of every key.
  package typealias Number = Int32

  /// What happens to a user's other devices when the user registers one more. Raw values are stored.
  package enum DevicePolicy: Int16, Sendable {
    /// All of a user's devices get its messages.
    case multi = 0
    /// Registering a user returns its other devices to GUEST.
    case single = 1

    package var name: String { self == .multi ? "multi" : "single" }

    package init?(name: String) {
      switch name {
      case "multi": self = .multi
      case "single": self = .single
      default: return nil
      }
    }
  }

  package let number: Number
  /// The bundle identifier or package name, also the APNs topic.
  package let appID: String
  package var name: String
  /// IANA name, for `senddate`.
  package var timeZone: String
  package var devicePolicy: DevicePolicy
  /// Why the dispatcher holds this app's messages back; nil when it doesn't.
  package let pausedReason: String?
  /// Messages that one of its devices may send to other users in a minute; 0: none.
  package var deviceSendsPerMinute: Int16
  /// The secret that proofs of users are made with has this number; below 1: naming a user needs no proof.
  package var userProofGeneration: Int16
  /// A user's other devices are told its new count by a silent push.
  package var syncsBadges: Bool

  package var asksUserProof: Bool { userProofGeneration > 0 }

  /// What may be done about proofs of users.
  package enum UserProofChange: Sendable {
    case off
    case on
    /// On, with another secret: proofs made with the present one end.
    case renewed
  }

  package mutating func change(userProof change: UserProofChange) {
    // A sign remembers the number while no proof is asked for, so that it never comes again.
    let number = abs(userProofGeneration)
    switch change {
    case .off: userProofGeneration = -number
    case .on: userProofGeneration = max(number, 1)
    case .renewed: userProofGeneration = number + 1
    }
  }

  package init(
    number: Number, appID: String, name: String, timeZone: String, devicePolicy: DevicePolicy, pausedReason: String?,
    deviceSendsPerMinute: Int16 = 0, userProofGeneration: Int16 = 0, syncsBadges: Bool = false
  ) {
    self.number = number
    self.appID = appID
    self.name = name
    self.timeZone = timeZone
    self.devicePolicy = devicePolicy
    self.pausedReason = pausedReason
    self.deviceSendsPerMinute = deviceSendsPerMinute
    self.userProofGeneration = userProofGeneration
    self.syncsBadges = syncsBadges
  }
}

/// A client application: the tenant of everything else.
package struct App: Sendable, Equatable {
  /// Our short number for it, the first column of every key.
  package typealias Number = Int32

  /// What happens to a user's other devices when the user registers another one. Raw values are stored.
  package enum DevicePolicy: Int16, Sendable {
    /// All of a user's devices receive its messages.
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
  /// Why the dispatcher has paused this app's messages; nil when it has not.
  package let pausedReason: String?
  /// Messages per minute that one of its devices may send to other users; 0: none.
  package var deviceSendsPerMinute: Int16
  /// A user's other devices receive a new count by silent push.
  package var syncsBadges: Bool
  /// A person's send to more devices than this needs a second person's approval; nil: none does.
  package var approvalAbove: Int64?
  /// It has a Notification Service Extension, which sends receipts: its alerts carry `mutable-content`.
  package var hasExtension: Bool
  package var identityRules: IdentityRules
  package var confidentiality = Confidentiality()
  /// Defaults of its messages for Android devices.
  package var android = AndroidContent()

  package var identity: Identity { identityRules.identity }

  package init(
    number: Number, appID: String, name: String, timeZone: String, devicePolicy: DevicePolicy, pausedReason: String?,
    deviceSendsPerMinute: Int16 = 0, syncsBadges: Bool = false, approvalAbove: Int64? = nil, hasExtension: Bool = true,
    identityRules: IdentityRules = IdentityRules()
  ) {
    self.number = number
    self.appID = appID
    self.name = name
    self.timeZone = timeZone
    self.devicePolicy = devicePolicy
    self.pausedReason = pausedReason
    self.deviceSendsPerMinute = deviceSendsPerMinute
    self.syncsBadges = syncsBadges
    self.approvalAbove = approvalAbove
    self.hasExtension = hasExtension
    self.identityRules = identityRules
  }
}

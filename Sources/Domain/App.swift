package import Time

/// A client application: the tenant to which all other data belongs.
package struct App: Sendable, Equatable {
  /// Internal number of an app, by which the database stores what belongs to it.
  package typealias Number = Int32

  /// The policy for a user's other devices when the user registers a new one. The raw values are stored in the
  /// database.
  package enum DevicePolicy: Int16, Sendable {
    /// All of a user's devices receive its messages.
    case multi = 0
    /// Registering a user makes the user's other devices guests.
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

  /// The state of an app's deletion.
  package struct Deletion: Sendable, Equatable {
    package let askedAt: Timestamp
    /// End of the grace period. Until then the deletion can be cancelled; afterwards the app's data is removed.
    package let purgeAfter: Timestamp
    /// Number of rows removed so far; nil during the grace period.
    package let removedRows: Int64?

    package init(askedAt: Timestamp, purgeAfter: Timestamp, removedRows: Int64?) {
      self.askedAt = askedAt
      self.purgeAfter = purgeAfter
      self.removedRows = removedRows
    }
  }

  package let number: Number
  /// The bundle identifier or package name; also the APNs topic, to which some push types add a suffix.
  package let appID: String
  package var name: String
  /// IANA name of the time zone, used for `senddate` in payloads, for send windows and for statistics.
  package var timeZone: String
  package var devicePolicy: DevicePolicy
  /// The reason why the app's messages are paused, such as a refused credential or the app's deletion; nil if they are
  /// not paused.
  package let pausedReason: String?
  /// Maximum messages per minute that each device of the app may send to other users; 0 if devices may send none.
  package var deviceSendsPerMinute: Int16
  /// True if a change of a user's badge count by one device is sent to the user's other devices by silent push.
  package var syncsBadges: Bool
  /// Number of devices above which a person's send, alone or together with the person's other sends within an hour,
  /// needs a second person's approval; nil for no limit.
  package var approvalAbove: Int64?
  /// True if the app has a Notification Service Extension that sends receipts; its alerts then have `mutable-content`,
  /// unless a message excludes it.
  package var hasExtension: Bool
  package var identityRules: IdentityRules
  package var confidentiality = Confidentiality()
  /// Default values for the app's messages to Android devices.
  package var android = AndroidContent()
  /// The app's deletion; nil if the app is not being deleted.
  package var deletion: Deletion?

  /// The app's state as reported by the API: `active`, `deleting` (grace period) or `purging`.
  package var state: String {
    guard let deletion else { return "active" }
    return deletion.removedRows == nil ? "deleting" : "purging"
  }

  /// The error (`.conflict`) for requests that would change the app or send while it is being deleted; nil if it is
  /// not.
  package var refusalWhileDeleted: Problem? {
    guard deletion != nil else { return nil }
    var problem = Problem(
      .conflict,
      """
      The app \(appID) is \(state): nothing of it is changed or sent any more. Until its grace ends, an administrator can \
      take that back: upmc app restore \(appID).
      """)
    problem.isOfDeletedApp = true
    return problem
  }

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

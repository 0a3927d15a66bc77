/// Number and behavior of the virtual devices.
package struct DevicePlan: Sendable {
  package var count: Int
  /// Base URL of the UPMC server, for example `http://127.0.0.1:8080`.
  package var server: String
  package var appID: String
  package var clientKey: String
  package var environment = Environment.production
  /// True for Android devices, which receive their pushes through FCM.
  package var isAndroid = false
  /// Number of users: device n belongs to user n modulo this number. 0 makes all devices guests.
  package var users: Int
  /// Fraction of devices that are switched off, 0…1. They ignore their pushes.
  package var offShare = 0.0
  /// Fraction of pushes that arrive while the app is in the foreground, 0…1, so that the app itself confirms them.
  package var frontShare = 0.0
  /// True if the iOS app has a Notification Service Extension.
  package var hasExtension = true
  /// Fraction of the pushes seen by the SDK that are confirmed as received, 0…1.
  package var receiptProbability = 1.0
  /// Fraction of the confirmed pushes, and of those that the SDK did not see, that are read, 0…1.
  package var readProbability = 0.0
  /// Delay from a push to its receipt; varies at random by up to a half.
  package var receiptDelay = Duration.zero
  /// Delay from a receipt, or from a push that the SDK did not see, to the read; varies at random by up to a half.
  package var readDelay = Duration.zero
  /// Effect of a read on the badge: `keep` (also if nil), `reset`, `update` or `force`.
  package var badgeOption: String?
  /// Number for `update` and `force`.
  package var badge: Int?
  /// Directory in which each device stores its pending confirmations (`DeviceOutboxes`); nil to keep them in memory.
  package var outboxes: String?
  /// Maximum number of concurrent requests.
  package var connections = 8
  /// Seed of tokens and random decisions.
  package var seed: UInt64 = 1

  package init(count: Int, server: String, appID: String, clientKey: String, users: Int? = nil) {
    self.count = count
    self.server = server
    self.appID = appID
    self.clientKey = clientKey
    self.users = users ?? count
  }

  /// Returns a device's token: 64 hexadecimal digits derived from the seed, never one that requests a fault.
  func token(of device: Int) -> DeviceToken {
    var dice = SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(device))
    return DeviceToken(dice.next() & ~(1 << 63), dice.next(), dice.next(), dice.next())
  }

  /// Returns a device's name at its push network: an APNs token, or an FCM registration token with the same digits.
  func name(of device: Int) -> String {
    let digits = token(of: device).description
    return isAndroid ? "f\(digits.prefix(21)):APA91b\(digits)" : digits
  }

  /// Returns whether a device is switched off; always the same for a device.
  func isOff(_ device: Int) -> Bool {
    guard offShare > 0 else { return false }
    var dice = SplitMix64(seed: seed &* 0xC2B2_AE3D_27D4_EB4F &+ UInt64(device))
    return dice.roll(offShare)
  }

  /// Returns the number of a device's user; nil for a guest.
  func user(of device: Int) -> Int? { users > 0 ? device % users : nil }
}

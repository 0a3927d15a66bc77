/// Who the virtual devices are and how they behave.
package struct DevicePlan: Sendable {
  package var count: Int
  /// For example `http://127.0.0.1:8080`.
  package var server: String
  package var appID: String
  package var clientKey: String
  package var environment = Environment.production
  /// Android devices get their pushes through FCM.
  package var isAndroid = false
  /// Users that the devices are spread over, device n being of user n modulo this; 0 leaves them guests.
  package var users: Int
  /// How many of the devices are switched off, 0…1: what is sent to these arrives some other day.
  package var offShare = 0.0
  /// How many of the pushes find the app in front, 0…1: then it confirms what is shown by itself.
  package var frontShare = 0.0
  /// The app on iPhones has a Notification Service Extension.
  package var hasExtension = true
  /// How many of the pushes that an SDK gets to see are confirmed as received, 0…1.
  package var receiptProbability = 1.0
  /// How many of those are read, 0…1.
  package var readProbability = 0.0
  /// From a push to its confirmation, and from there to the read. Chance varies both by up to a half.
  package var receiptDelay = Duration.zero
  package var readDelay = Duration.zero
  /// What a read does to the badge: `keep` (also when nil), `reset`, `update`, `force`.
  package var badgeOption: String?
  /// The number for `update` and `force`.
  package var badge: Int?
  /// A directory where each device keeps what waits, as phones do (`DeviceOutboxes`); nil keeps it in memory.
  package var outboxes: String?
  /// Requests that may be under way at once.
  package var connections = 8
  /// Tokens and chances derive from it.
  package var seed: UInt64 = 1

  package init(count: Int, server: String, appID: String, clientKey: String, users: Int? = nil) {
    self.count = count
    self.server = server
    self.appID = appID
    self.clientKey = clientKey
    self.users = users ?? count
  }

  /// The token of a device: 64 hexadecimal digits from the seed, never one that asks for a fault.
  func token(of device: Int) -> DeviceToken {
    var dice = Dice(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(device))
    return DeviceToken(dice.next() & ~(1 << 63), dice.next(), dice.next(), dice.next())
  }

  /// The name a device has with its push network: an APNs token, or an FCM registration token of the same digits.
  func name(of device: Int) -> String {
    let digits = token(of: device).description
    return isAndroid ? "f\(digits.prefix(21)):APA91b\(digits)" : digits
  }

  /// Always the same ones.
  func isOff(_ device: Int) -> Bool {
    guard offShare > 0 else { return false }
    var dice = Dice(seed: seed &* 0xC2B2_AE3D_27D4_EB4F &+ UInt64(device))
    return dice.roll(offShare)
  }

  /// The user of a device; nil for a guest.
  func user(of device: Int) -> Int? { users > 0 ? device % users : nil }
}

import Domain
import Simulator

/// What a device is there for: it stands in its token, so that faults can choose by prefix.
enum Role: UInt8, CaseIterable, Sendable {
  /// Gets campaigns, confirms, reads with every option, registers again, changes its token.
  case plain = 0x10
  /// Gets badge campaigns and reads with `keep` only, so that its user's count can be added up.
  case ledger = 0x20
  /// Its user is sent to and reads in one strict order, so that every count is known exactly.
  case solo = 0x30
  /// The network says of it "unregistered a year ago": it registered since, so it must be kept.
  case goneBefore = 0x40
  /// The network says of it "unregistered now": it is dropped until it registers again.
  case goneNow = 0x50
  /// The network calls its token bad.
  case refused = 0x60
  /// Two installations that pass one token back and forth.
  case rover = 0x70

  /// As faults want it.
  var tokenPrefix: String { String(rawValue, radix: 16) }
}

/// One installation of the app.
struct Device {
  let number: Int
  let role: Role
  /// Nil for a guest.
  let user: String?
  let installation: String
  let id: DeviceID
  /// Which token it has: each change makes a new one.
  var generation = 0
  /// When the present token was acknowledged, microseconds since 1970; messages asked for later go there only.
  var generationSince: Int64 = 0
  var authKey = ""
  var isRegistered = false
}

/// All devices of a run.
struct Cast {
  var devices: [Device] = []
  private let seed: UInt64

  init(count: Int, seed: UInt64) {
    self.seed = seed
    // Small parts have what they need; the crowd is shared between badges and everything else.
    let parts: [(Role, Int)] = [
      (.solo, 80), (.goneBefore, 10), (.goneNow, 10), (.refused, 10), (.rover, 12), (.ledger, (count - 122) * 2 / 5),
    ]
    for (role, size) in parts { for index in 0..<size { add(role, index) } }
    var index = 0
    while devices.count < count {
      add(.plain, index)
      index += 1
    }
  }

  private mutating func add(_ role: Role, _ index: Int) {
    let number = devices.count
    let installation = "torture-\(seed)-\(number)"
    let user: String? =
      switch role {
      // Two devices each.
      case .solo: "solo\(index / 2)"
      // Every third user has two.
      case .ledger: "ledger\(index % 4 == 3 ? index - 1 : index)"
      case .rover: "rover\(index)"
      case .plain: index.isMultiple(of: 3) ? nil : "plain\(index)"
      case .goneBefore, .goneNow, .refused: "gone\(number)"
      }
    devices.append(
      Device(
        number: number, role: role, user: user, installation: installation,
        id: DeviceID(appID: Stage.appID, network: .apns, installation: installation)))
  }

  func numbers(_ role: Role) -> [Int] { devices.indices.filter { devices[$0].role == role } }

  /// The token of a device: who it is for, and which of its tokens, stand in its first digits.
  func token(_ number: Int, generation: Int) -> String {
    let first =
      UInt64(devices[number].role.rawValue) << 56 | UInt64(number) << 24 | UInt64(generation & 0xFFFF) << 8
      | seed & 0xFF
    var dice = Dice(seed: seed ^ first)
    return DeviceToken(first, dice.next(), dice.next(), dice.next()).description
  }

  /// Whose token this is: the number and the generation that stand in it.
  static func owner(of token: DeviceToken) -> (number: Int, generation: Int) {
    (Int(token.firstWord >> 24 & 0xFFFF_FFFF), Int(token.firstWord >> 8 & 0xFFFF))
  }
}

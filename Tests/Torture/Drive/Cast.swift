import Domain
import Simulator

/// A device's role. Its token starts with the role, so that faults can select devices by prefix.
enum Role: UInt8, CaseIterable, Sendable {
  /// Gets campaigns, confirms, reads with every option, registers again, changes its token.
  case plain = 0x10
  /// Gets badge campaigns and reads only with `keep`, so that its user's count is a sum.
  case ledger = 0x20
  /// Its user's sends and reads follow one strict order, so every count is known exactly.
  case solo = 0x30
  /// The network reports it "unregistered a year ago"; it has registered since, so it must be kept.
  case goneBefore = 0x40
  /// The network reports it "unregistered now": it is dropped until it registers again.
  case goneNow = 0x50
  /// The network rejects its token as bad.
  case refused = 0x60
  /// Two installations that pass one token back and forth.
  case sharedToken = 0x70

  /// The token prefix, in hexadecimal as faults take it.
  var tokenPrefix: String { String(rawValue, radix: 16) }
}

/// An installation of the app.
struct Device {
  let number: Int
  let role: Role
  /// Nil for a guest.
  let user: String?
  let installation: String
  let id: DeviceID
  /// Number of its current token: each change creates a new one.
  var generation = 0
  /// When the current token was acknowledged, in microseconds since 1970; messages sent later go only there.
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
    // The special roles get as many devices as they need; the rest is shared between badges and everything else.
    let parts: [(Role, Int)] = [
      (.solo, 80), (.goneBefore, 10), (.goneNow, 10), (.refused, 10), (.sharedToken, 12),
      (.ledger, (count - 122) * 2 / 5),
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
      case .sharedToken: "sharing\(index)"
      case .plain: index.isMultiple(of: 3) ? nil : "plain\(index)"
      case .goneBefore, .goneNow, .refused: "gone\(number)"
      }
    devices.append(
      Device(
        number: number, role: role, user: user, installation: installation,
        id: DeviceID(appID: Stage.appID, network: .apns, installation: installation)))
  }

  func numbers(_ role: Role) -> [Int] { devices.indices.filter { devices[$0].role == role } }

  /// A device's token; its first digits encode role, device number and generation.
  func token(_ number: Int, generation: Int) -> String {
    let first =
      UInt64(devices[number].role.rawValue) << 56 | UInt64(number) << 24 | UInt64(generation & 0xFFFF) << 8
      | seed & 0xFF
    var dice = SplitMix64(seed: seed ^ first)
    return DeviceToken(first, dice.next(), dice.next(), dice.next()).description
  }

  /// The device number and generation encoded in a token.
  static func owner(of token: DeviceToken) -> (number: Int, generation: Int) {
    (Int(token.firstWord >> 24 & 0xFFFF_FFFF), Int(token.firstWord >> 8 & 0xFFFF))
  }
}

internal import APNs
internal import Crypto
internal import Domain
internal import Reactor
import Time

/// One message to the same few thousand devices, repeatedly: what the dispatcher would pass to the APNs module, without
/// the database behind it.
struct PushLoad {
  struct Tally {
    var accepted = 0
    /// Returned unsent and offered again.
    var repeated = 0
  }

  /// Targets per batch: the size in which a busy claimer passes them on.
  private static let batchTargets = 500
  /// Targets in flight: a few times what one connection holds, and few enough to stay fresh.
  private static let targetsUnderWay = 4_000
  private static let appID = "com.example.app"
  private static let route = PushRoute(app: 1, network: .apns, environment: .production)

  private let message: PushMessage
  private let targets: [[PushTarget]]

  init() throws {
    let request = try MessageRequest(
      json: Array(
        #"""
        {"appId":"com.example.app","audience":{"all":true},
         "alert":{"title":"Order shipped","body":"Your parcel left the warehouse and arrives tomorrow"},
         "badge":{"increment":1},"sound":"default"}
        """#.utf8))
    message = PushMessage(
      seqno: Seqno(104), headers: PushHeaders(appID: Self.appID, .alert, collapseID: String(104)),
      template: PayloadTemplate(request, seqno: Seqno(104), sendDate: "2026010109"),
      pushkeys: PushKeyring(present: SymmetricKey.random()), lane: .normal,
      expiresAtSeconds: SystemClock().wallTime.seconds + 86_400, onUnknown: .resend)
    targets = (0..<BenchmarkCommand.Limits.rotation / Self.batchTargets).map { _ in
      (0..<Self.batchTargets).map { _ in Self.makeTarget() }
    }
  }

  /// A sample payload, for peers that send the same bytes.
  var payload: [UInt8] {
    var bytes: [UInt8] = []
    message.template.append(for: targets[0][0].recipient, keys: message.pushkeys, to: &bytes)
    return bytes
  }

  /// Gives the sender a token of the right length; the sink does not check it.
  func equip(_ sender: APNsSender) {
    let key = KeyName(teamID: "TEAMID0000", keyID: "KEYID00000", fingerprint: "")
    sender.set(.token(key), for: Self.route.app)
    let token = String(repeating: "a", count: 170)
    sender.set(
      ProviderToken(
        key, value: token, issuedAt: SystemClock().wallTime.seconds))
  }

  /// Pushes until `count` were accepted.
  /// - Parameter results: called for each turn of the sender with the number accepted and the number returned in total.
  @discardableResult
  func push(_ count: Int, through sender: APNsSender, _ results: Inbox<[Int]>) throws -> Tally {
    var tally = Tally()
    var underWay = 0
    var number: Int64 = 0
    let deadline = SystemClock().now + .seconds(120)
    while tally.accepted < count {
      while underWay < Self.targetsUnderWay, tally.accepted + underWay < count {
        let left = count - tally.accepted - underWay
        let some = targets[Int(number) % targets.count]
        let batch = PushBatch(
          BatchAddress(number), message: message, route: Self.route,
          targets: left < some.count ? Array(some.prefix(left)) : some,
          readAtNanoseconds: SystemClock().now.nanoseconds)
        guard sender.offer(batch) else { break }
        underWay += batch.targets.count
        number += 1
      }
      for turn in results.receive(atMost: .milliseconds(20)) {
        tally.accepted += turn[0]
        tally.repeated += turn[1] - turn[0]
        underWay -= turn[1]
      }
      guard SystemClock().now < deadline else {
        throw MeasuringError("only \(tally.accepted) of \(count) pushes were accepted in two minutes")
      }
    }
    return tally
  }

  private static func makeTarget() -> PushTarget {
    let device = DeviceID(high: .random(in: 0...UInt64.max), low: .random(in: 0...UInt64.max))
    let psid = (0..<64).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
    return PushTarget(
      device: device, userKey: UserKey(clientUID: "user"), psid: psid, badge: 7, clientName: "")
  }
}

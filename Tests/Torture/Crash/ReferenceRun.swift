import Foundation
import Reactor
import Simulator
import TestSupport

/// A complete use of the center in miniature: 20 devices of 8 users and two guests, campaigns, codes, receipts, reads
/// with each badge option, a group from a file and a message kept in inboxes, a token that moves, a pause, a
/// cancellation, SMS fallbacks, a resend, an erasure.
///
/// Each step is repeated until it is answered, so the final state is known whatever happened on the way.
struct ReferenceRun {
  /// Distinguishes the run's data from that of earlier runs.
  let number: Int
  let apiKey: String
  let caller: Caller
  let simulator: Simulator
  let providerKey: Simulator.ProviderKey
  let hook: UInt16
  let stage: CrashStage

  private static let appPrefix = "com.example.crash"
  var app: String { "\(Self.appPrefix)\(number)" }

  /// The run that an app belongs to.
  static func number(of app: String) -> Int? {
    app.hasPrefix(appPrefix) ? Int(app.dropFirst(appPrefix.count)) : nil
  }

  static let devices = 20
  static let users = 8

  func user(_ device: Int) -> String? { device < 18 ? "u\(device % Self.users)" : nil }

  func token(_ device: Int, generation: Int = 0) -> String {
    String(format: "%016x%08x%08x%032x", number, device, generation, 0xabc)
  }

  /// What was requested, and the end it must have had.
  struct Expected {
    var messages: [(name: String, seqno: String)] = []
    /// The badge count of each remaining user.
    var badges: [String: Int] = [:]
    /// Messages whose receipt each device confirmed.
    var confirmed: [String] = []
    /// Confirmed before the SMS was due; a message claimed by a dead server arrives later than that.
    var isConfirmedInTime = false
    var cancelled: String?
    /// The message kept in inboxes.
    var kept = ""
    var erased = ""
    var moved = 0
  }

  /// Creates the app, before boundaries are counted.
  func prepare() throws -> String {
    let made = try caller.call(
      "POST", "/v1/admin/apps", bearer: apiKey, #"{"appId":"\#(app)","name":"Run \#(number)","identity":"open"}"#,
      timeout: .patience)
    guard let clientKey = made.string("clientKey") else { throw Trouble("no client key: \(made.text)") }
    let pem = String(decoding: try JSONEncoder().encode(providerKey.privateKeyPEM), as: UTF8.self)
    _ = try caller.call(
      "PUT", "/v1/admin/credentials", bearer: apiKey,
      #"{"appId":"\#(app)","apnsKey":{"pem":\#(pem),"keyId":"\#(providerKey.keyID)","teamId":"\#(providerKey.teamID)"}}"#
    )
    _ = try caller.call(
      "POST", "/v1/admin/webhooks", bearer: apiKey,
      #"{"appId":"\#(app)","url":"http://127.0.0.1:\#(hook)/","#
        + #""kinds":["sms.requested","message.finished","message.reopened"]}"#)
    return clientKey
  }

  func carryOut(clientKey: String) throws -> Expected {
    var expected = Expected()
    var keys: [String] = []
    for device in 0..<Self.devices { keys.append(try register(device, token: token(device), bearer: clientKey)) }

    let campaign = try send("campaign", #"{"all":true}"#, #","badge":{"increment":1}"#, &expected)
    try finish(campaign)
    try confirm(campaign, 0..<Self.devices)
    try fold()
    expected.confirmed.append(campaign)
    for number in 0..<Self.users { expected.badges["u\(number)"] = 1 }

    let code = try send("code", #"{"clientUids":["u0"]}"#, #","lane":"urgent","badge":{"increment":1}"#, &expected)
    try finish(code)
    for user in ["u5", "u6", "u7"] {
      try finish(send("code for \(user)", #"{"clientUids":["\#(user)"]}"#, #","lane":"urgent""#, &expected))
    }
    try read(campaign, 0, "")
    expected.badges["u0"] = 1
    try read(campaign, 1, #","badgeOption":"reset""#)
    expected.badges["u1"] = 0
    try read(campaign, 2, #","badgeOption":"update","badge":5"#)
    expected.badges["u2"] = 5
    try read(campaign, 3, #","badgeOption":"force","badge":9"#)
    expected.badges["u3"] = 9
    try fold()
    let device = try deviceNumber(keys[4])
    _ = try caller.call("PUT", "/v1/devices/\(device)/badge", bearer: authKey(keys[4]), #"{"badge":3}"#)
    expected.badges["u4"] = 3
    try sendToImported(keys, &expected)

    expected.moved = 5
    _ = try register(5, token: token(5, generation: 1), bearer: authKey(keys[5]))

    let due = SystemClock().now + .seconds(1)
    let short = try send(
      "short message", #"{"clientUids":["u5","u6"]}"#, #","sms":true,"fallback":{"after":"PT1S","unless":"received"}"#,
      &expected)
    try confirm(short, [6])
    expected.isConfirmedInTime = SystemClock().now < due
    try pauseAndCancel(&expected)
    try finish(short)
    let again = try caller.call(
      "POST", "/v1/admin/messages/\(campaign)/resend", bearer: apiKey, key: "resend", #"{"to":"not-read"}"#)
    guard let seqno = again.string("seqno") else { throw Trouble("no SEQNO: \(again.text)") }
    expected.messages.append(("resend", seqno))
    // The same content: the counts change once more.
    for user in ["u0", "u1", "u2", "u3", "u4", "u5", "u6", "u7"] where hasUnread(user) {
      expected.badges[user, default: 0] += 1
    }
    try finish(seqno)
    expected.erased = "u7"
    expected.badges["u7"] = nil
    _ = try caller.call("DELETE", "/v1/admin/users/u7?appId=\(app)", bearer: apiKey, node: 0, accepting: [404])
    return expected
  }

  /// Whether a device of the user has not read the campaign: one device of each of the first four users has.
  private func hasUnread(_ user: String) -> Bool {
    (0..<Self.devices).contains { self.user($0) == user && $0 > 3 }
  }

  // MARK: Steps

  private func register(_ device: Int, token: String, bearer: String) throws -> String {
    let user = user(device).map { #","clientUid":"\#($0)","clientName":"Kim""# } ?? ""
    return try caller.call(
      "POST", "/v1/devices", bearer: bearer, node: device % 3 == 2 ? 1 : 0,
      #"{"appId":"\#(app)","pnsId":"APNS","environment":"production","psid":"\#(token)","deviceId":"d\#(device)"\#(user)}"#
    ).text
  }

  func authKey(_ registration: String) -> String {
    Reply(status: 200, text: registration).string("authKey") ?? ""
  }

  func deviceNumber(_ registration: String) throws -> String {
    guard let device = Reply(status: 200, text: registration).string("device") else {
      throw Trouble("no device: \(registration)")
    }
    return device
  }

  func send(
    _ name: String, _ audience: String, _ more: String, _ expected: inout Expected
  ) throws -> String {
    let reply = try caller.call(
      "POST", "/v1/admin/messages", bearer: apiKey, key: name,
      #"{"appId":"\#(app)","audience":\#(audience),"alert":{"title":"\#(name)","body":"Kim"}\#(more)}"#)
    guard let seqno = reply.string("seqno") else { throw Trouble("no SEQNO: \(reply.text)") }
    expected.messages.append((name, seqno))
    return seqno
  }

  func funnel(_ seqno: String) throws -> Reply {
    try caller.call("GET", "/v1/admin/messages/\(seqno)", bearer: apiKey)
  }

  func finish(_ seqno: String) throws {
    var last = ""
    _ = try caller.poll("message \(seqno) has not ended: \(last)") { () -> Bool? in
      let reply = try funnel(seqno)
      last = reply.text
      if let tally = Tally(reply), let objection = tally.objection { throw Broken("I2", "\(seqno): \(objection)") }
      return ["completed", "failed", "expired", "cancelled"].contains(reply.string("state")) ? true : nil
    }
  }

  private func pauseAndCancel(_ expected: inout Expected) throws {
    let seqno = try send("slow", #"{"all":true}"#, #","pace":{"devices":3,"wait":"P1D"}"#, &expected)
    _ = try control("pause", seqno)
    _ = try control("resume", seqno)
    _ = try control("cancel", seqno)
    expected.cancelled = seqno
    try finish(seqno)
  }

  /// Repeated if its response was lost; the operation may then already be done.
  private func control(_ verb: String, _ seqno: String) throws -> Reply {
    try caller.call("POST", "/v1/admin/messages/\(seqno)/\(verb)", bearer: apiKey, accepting: [409])
  }

  // MARK: What devices say

  /// The push key from the payload, as the device got it.
  private func pushkey(_ seqno: String, _ device: Int) throws -> (token: String, key: String) {
    for generation in [1, 0] {
      let token = token(device, generation: generation)
      for delivery in simulator.deliveries(to: token).reversed() {
        guard let payload = delivery.payload,
          let object = try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any],
          let mps = object["mps"] as? [String: Any], mps["seqno"] as? String == seqno,
          let key = mps["pushkey"] as? String
        else { continue }
        return (token, key)
      }
    }
    throw Broken("I3", "message \(seqno) has not reached device \(device)")
  }

  /// How often a message reached a token.
  func arrivals(of seqno: String, at token: String) -> Int {
    simulator.deliveries(to: token).count { delivery in
      guard let payload = delivery.payload else { return false }
      return String(decoding: payload, as: UTF8.self).contains(#""seqno":"\#(seqno)""#)
    }
  }

  /// Records every push that its tokens received.
  func noteDeliveries(in history: History) {
    for token in (0..<Self.devices).flatMap({ device in [0, 1].map { self.token(device, generation: $0) } }) {
      for delivery in simulator.deliveries(to: token) {
        guard let payload = delivery.payload,
          let object = try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any],
          let seqno = (object["mps"] as? [String: Any])?["seqno"] as? String
        else { continue }
        history.noteDelivery(
          run: number, at: delivery.atMicroseconds, seqno: seqno, token: token, id: delivery.id.description,
          collapseID: delivery.collapseID, badge: delivery.badge)
      }
    }
  }

  /// Waits until a device has the push: its network may book it a moment after the answer that ends the message.
  private func arrived(_ seqno: String, _ device: Int) throws -> (token: String, key: String) {
    try caller.poll("message \(seqno) has not reached device \(device)") { try? pushkey(seqno, device) }
  }

  func confirm(_ seqno: String, _ devices: some Sequence<Int>) throws {
    for device in devices {
      let (token, key) = try arrived(seqno, device)
      _ = try caller.call(
        "POST", "/v1/receipts", #"{"receipts":[{"seqno":"\#(seqno)","psid":"\#(token)","pushkey":"\#(key)"}]}"#)
    }
  }

  private func fold() throws {
    try stage.ageConfirmations()
    _ = try caller.poll("what was confirmed is not folded") {
      try stage.count("SELECT count(*) FROM confirmation_log") == 0 ? true : nil
    }
  }

  func read(_ seqno: String, _ device: Int, _ more: String) throws {
    let (token, key) = try arrived(seqno, device)
    _ = try caller.call(
      "POST", "/v1/reads", #"{"reads":[{"seqno":"\#(seqno)","psid":"\#(token)","pushkey":"\#(key)"\#(more)}]}"#)
  }
}

/// A promise that was broken.
struct Broken: Error, CustomStringConvertible {
  let promise: String
  let evidence: String

  init(_ promise: String, _ evidence: String) {
    (self.promise, self.evidence) = (promise, evidence)
  }

  var description: String { "\(promise): \(evidence)" }
}

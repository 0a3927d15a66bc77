import Domain
import Foundation
import Reactor
import Simulator
import TestSupport
import Testing

@testable import FCM

/// The sender against the simulated FCM: what is sent, and every way it is refused.
@Suite struct SenderTests {
  private static let token = "fabcdefghijklmnopqrstu:APA91bexample"

  private static func json(_ bytes: [UInt8]?) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(bytes ?? [])) as? [String: Any])
  }

  @Test func `a message arrives as the SDK reads it, with one access token for all`() throws {
    let harness = try Harness()
    let names = (0..<300).map { "f\($0):APA91b\($0)" }
    #expect(try harness.deliver(names) == Array(repeating: .accepted, count: 300))
    let payload = try Self.json(try #require(harness.simulator.deliveries(toRegistration: "f7:APA91b7").last).payload)
    let mps = try #require(payload["mps"] as? [String: Any])
    #expect(mps["seqno"] as? String == "42" && (mps["pushkey"] as? String)?.count == 40)
    #expect((payload["aps"] as? [String: Any])?["badge"] as? Int == 3)
    let counters = harness.simulator.counters().fcm
    #expect(counters.accessTokens == 1 && counters.duplicates == 0 && counters.rejected.isEmpty)
  }

  @Test(arguments: [
    ("UNREGISTERED", SubmissionResult.badToken(reason: "UNREGISTERED", since: nil)),
    ("INVALID_ARGUMENT", .badToken(reason: "INVALID_ARGUMENT", since: nil)),
    ("INVALID_PAYLOAD", .rejected(reason: "INVALID_ARGUMENT: message.data[0].value")),
    ("SENDER_ID_MISMATCH", .badToken(reason: "SENDER_ID_MISMATCH", since: nil)),
    ("APNS_UNREGISTERED", .badToken(reason: "Unregistered", since: nil)),
    ("DEVICE_RATE_EXCEEDED", .deviceBusy(reason: "QUOTA_EXCEEDED", after: nil)),
    ("QUOTA_EXCEEDED", .retry(reason: "QUOTA_EXCEEDED", after: 60)),
    ("INTERNAL", .retry(reason: "INTERNAL", after: nil)),
    ("UNAVAILABLE", .retry(reason: "UNAVAILABLE", after: nil)),
    ("retry-7", .retry(reason: "UNAVAILABLE", after: 7)),
    ("reset-8", .unknown(reason: "stream reset: CANCEL")),
  ]) func `each row of the table`(_ word: String, _ expected: SubmissionResult) throws {
    let harness = try Harness()
    #expect(try harness.deliver(["fault.\(word):x"]) == [expected])
  }

  @Test(arguments: [
    ("THIRD_PARTY_AUTH_ERROR", "THIRD_PARTY_AUTH_ERROR: Apple refuses the APNs key"),
    ("PERMISSION_DENIED", "PERMISSION_DENIED: Firebase Cloud Messaging API has not been used"),
    ("NOT_FOUND", "NOT_FOUND: Google knows no such project"),
  ]) func `what an operator must mend holds the app back`(_ word: String, _ beginning: String) throws {
    let harness = try Harness()
    guard case .credentialFault(let reason)? = try harness.deliver(["fault.\(word):x"]).first else {
      return #expect(Bool(false), "no fault")
    }
    #expect(reason.hasPrefix(beginning), "\(reason)")
  }

  @Test func `a refused stream is sent again and counts for nothing`() throws {
    let harness = try Harness()
    let found = try harness.send(["fault.reset-7:x"])
    #expect(found == [.notProcessed] || found == [.stale], "\(found)")
  }

  @Test func `an access token that was taken back is replaced once, and nothing is lost`() throws {
    let harness = try Harness()
    #expect(try harness.deliver([Self.token]) == [.accepted])
    // Refusals in the first seconds may be about the token before.
    harness.simulator.revokeAccessTokens()
    var seqno: Int64 = 100
    _ = try poll("the access token is not replaced") { () -> Bool? in
      seqno += 1
      return try harness.send([Self.token], try harness.makeMessage(seqno: seqno)) == [.accepted] ? true : nil
    }
    #expect(harness.simulator.counters().fcm.accessTokens == 2)
  }

  @Test func `an account that Google does not know says so`() throws {
    let harness = try Harness(isEquipped: false)
    let stranger = try ServiceAccountFile(projectID: "elsewhere")
    harness.sender.set(try harness.credential(stranger), for: Harness.route.app)
    guard case .credentialFault(let reason)? = try harness.deliver([Self.token]).first else {
      return #expect(Bool(false), "no fault")
    }
    #expect(reason.contains("invalid_grant") && reason.contains("account not found"), "\(reason)")
  }

  @Test func `without a service account nothing is sent`() throws {
    let harness = try Harness(isEquipped: false)
    #expect(
      try harness.send([Self.token]) == [.noCredential(reason: "this app has no usable FCM service account")])
  }

  @Test func `validate-only is checked and delivered to nobody`() throws {
    let harness = try Harness { $0.validatesOnly = true }
    #expect(try harness.deliver([Self.token, "fault.UNREGISTERED:x"]).first == .accepted)
    let counters = harness.simulator.counters().fcm
    #expect(counters.validated == 1 && counters.deliveries == 0)
  }

  @Test func `a FID is addressed as one`() throws {
    let harness = try Harness()
    let fid = "cAbcdefghijklmnopqrst_"
    #expect(try harness.deliver([fid]) == [.accepted])
    #expect(harness.simulator.deliveries(toRegistration: fid).count == 1)
  }

  @Test(arguments: [
    FCMStyle(), FCMStyle(content: .notification), FCMStyle(platforms: .android),
    FCMStyle(content: .notification, platforms: .android),
  ]) func `every style is a message that FCM takes`(_ style: FCMStyle) throws {
    let harness = try Harness(style: style)
    let text = #""alert":{"title":"\"Quoted\"","body":"한국어 \\ and \n lines"},"sound":"bell""#
    #expect(try harness.deliver([Self.token], try harness.makeMessage(text)) == [.accepted])
    let payload = try Self.json(try #require(harness.simulator.deliveries(toRegistration: Self.token).last).payload)
    let alert = (payload["aps"] as? [String: Any])?["alert"] as? [String: Any]
    #expect(alert?["body"] as? String == "한국어 \\ and \n lines")
    #expect(harness.simulator.counters().fcm.rejected.isEmpty)
  }

  @Test func `a steady stream never meets the quota`() throws {
    let harness = try Harness(quota: 60_000) { _ in
    } simulator: {
      $0.fcmMessagesPerMinute = 60_000
    }
    var accepted = 0
    var seqno: Int64 = 0
    let began = SystemClock().now
    var passed = Duration.zero
    while passed < .seconds(3) || (accepted < 200 && passed < .patience) {
      seqno += 1
      let names = (0..<50).map { "f\($0):APA91b\($0)" }
      accepted += try harness.deliver(names, try harness.makeMessage(seqno: seqno)).count { $0 == .accepted }
      passed = SystemClock().now - began
    }
    // A tenth of 1,000 a second at first, and climbing.
    let parts: Double = passed / Duration.seconds(3)
    let most = Int(1_000 * max(1.0, parts))
    #expect((200...most).contains(accepted), "\(accepted) in \(passed)")
    #expect(harness.simulator.counters().fcm.rejected.isEmpty)
  }

  @Test func `QUOTA_EXCEEDED lets the project rest as long as Google asks`() throws {
    let harness = try Harness { _ in
    } simulator: {
      $0.fcmMessagesPerMinute = 5
    }
    // On a busy machine all targets may be stale before the first access token arrives.
    var found: [SubmissionResult] = []
    let waits = try poll("the quota is not met") { () -> [Int]? in
      found += try harness.send((0..<20).map { "f\($0):APA91b\($0)" })
      let waits = found.compactMap { result -> Int? in
        if case .retry("QUOTA_EXCEEDED", let after) = result { after } else { nil }
      }
      return waits.isEmpty ? nil : waits
    }
    #expect(found.count { $0 == .accepted } <= 5)
    #expect(waits.allSatisfy { (1...60).contains($0) }, "\(found)")
    #expect(try harness.send([Self.token]).isEmpty, "the gate is shut meanwhile")
  }

  @Test func `a made-up key under the names of another account has nothing of its tokens and connections`() throws {
    let harness = try Harness()
    #expect(try harness.deliver([Self.token]) == [.accepted])
    let stranger = try ServiceAccountFile(projectID: Harness.projectID)
    let own = try ServiceAccount(json: harness.started.serviceAccount.json(tokenURI: TokenAddress.google))
    let theirs = try ServiceAccount(json: stranger.json(tokenURI: TokenAddress.google))
    #expect(own.fingerprint != theirs.fingerprint && own.fingerprint.utf8.count == 64)
    // The other's names, and a key of its own making.
    var text = stranger.json(tokenURI: TokenAddress.google)
    text = text.replacing(theirs.email, with: own.email).replacing(theirs.keyID, with: own.keyID)
    let forged = try ServiceAccount(json: text)
    #expect(forged.email == own.email && forged.keyID == own.keyID && forged.fingerprint == theirs.fingerprint)
    let route = PushRoute(app: 8, network: .fcm, environment: .production)
    harness.sender.set(
      FCMCredential(account: forged, tokenURL: try #require(harness.started.tokenURL)), for: route.app)
    guard
      case .credentialFault? = try harness.deliver([Self.token], try harness.makeMessage(seqno: 43), route: route).first
    else { return #expect(Bool(false), "it was sent with the token of another key") }
    #expect(try harness.deliver([Self.token], try harness.makeMessage(seqno: 44)) == [.accepted])
  }
}

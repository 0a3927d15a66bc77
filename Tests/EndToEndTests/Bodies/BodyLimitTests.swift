import HTTPServer
import Operations
import Testing

@testable import API

/// Whoever may be anybody brings little: a body one byte longer than its call takes is refused before it is sent.
@Suite(.serialized) struct BodyLimitTests {
  @Test func `what anybody may call takes a body of the documented length, and not one byte more`() throws {
    let stage = try ExampleStage()
    var calls = 0
    for operation in Endpoint.all {
      guard let bytes = operation.body?.bytes, let example = operation.body?.examples.first?.json else { continue }
      calls += 1
      let (target, credential) = try stage.prepare(operation)
      var head = "\(operation.method.rawValue) \(target) HTTP/1.1\nContent-Type: application/json"
      if let credential { head += "\nAuthorization: Bearer \(credential)" }
      let blanks = String(repeating: " ", count: bytes - example.utf8.count)
      let most = try RawHTTP(port: stage.world.port, head, body: Array((blanks + example).utf8))
      // The example's password is nobody's, its pushkey no message's, and nobody signs in elsewhere.
      let refused = ["signIn": 401, "provePossession": 403, "signInByOpenID": 422]
      let good = refused[operation.id].map { [$0] } ?? operation.answers.map(\.status)
      #expect(good.contains(most.status), "\(operation.id): \(most.status)")
      let more = try RawHTTP(port: stage.world.port, head + "\nContent-Length: \(bytes + 1)")
      #expect(more.status == 413 && more.json?["type"] as? String == "upmc:body-too-large", "\(operation.id)")
      let detail = try #require(more.json?["detail"] as? String)
      #expect(detail.contains("\(bytes) bytes"), "\(operation.id): \(detail)")
    }
    // Registration, user, push, badge, consent, token, activity, message; receipts and reads; signing in, here and elsewhere.
    #expect(calls == 12)
  }

  /// What the limits are made of: nothing that a device may say is too long to be said.
  @Test func `the longest registration and the most confirmations fit, with every character escaped or blank`() throws {
    let world = try World()
    func long(_ bytes: Int) -> String { String(repeating: "\\u0061", count: bytes) }
    let members =
      [
        ("appId", 0), ("psid", 512), ("deviceId", 256), ("clientUid", 256), ("clientName", 256), ("platform", 128),
        ("model", 128), ("osVersion", 128), ("appVersion", 128), ("locale", 128), ("timeZone", 128),
        ("userProof", 2_048),
      ].map { name, bytes in "\"\(name)\":\"\(bytes == 0 ? World.appID : long(bytes))\"" }
    let registration = "{\(members.joined(separator: ",")),\"pnsId\":\"FCM\",\"environment\":\"production\"}"
    #expect((24_000...Operations.Limits.deviceCallBytes).contains(registration.utf8.count))
    let registered = try world.client.call("POST", "/v1/devices", bearer: world.clientKey, registration)
    #expect(registered.status == 201, "\(registered.text)")
    let entry =
      #"{ "seqno" : "999999999999999999", "psid" : "\#(String(repeating: "a", count: 512))", "pushkey" : "\#(String(repeating: "p", count: 200))", "at" : "2026-12-24T09:00:00.000000+09:00", "badgeOption" : "update", "badge" : 1000 }"#
    let reads = "{\"reads\":[\(Array(repeating: entry, count: 100).joined(separator: ",\n    "))]}"
    #expect((80_000...Operations.Limits.confirmationBytes).contains(reads.utf8.count))
    let answer = try world.client.call("POST", "/v1/reads", reads)
    #expect(answer.status == 200, "\(answer.text)")
  }

  @Test func `a controller takes 64 KiB of a device, and more only where lists and logs come`() throws {
    let world = try World.with("UPMC_CTL_TRUSTED_SENDERS", "10.99.0.0/16")
    for controller in Controller.all {
      let name = "\(controller.name)"
      let isLong = controller.takesLongForms || name == "putAppLog"
      let most = isLong ? 1_048_576 : LegacyLimits.loopFormBytes
      let head = "POST /upmc/\(name).ctl HTTP/1.1\nContent-Type: application/x-www-form-urlencoded"
      let taken = try RawHTTP(port: world.port, head, body: Array(String(repeating: "&", count: most).utf8))
      #expect(taken.status == 200, "\(name): \(taken.status)")
      #expect(try RawHTTP(port: world.port, head + "\nContent-Length: \(most + 1)").status == 413, "\(name)")
      guard controller.takesLongForms else { continue }
      // Who proves at the head that it is a server brings its list.
      let list = Array("A=\(String(repeating: "x", count: most))".utf8)
      let server = try RawHTTP(port: world.port, "\(head)\nAuthorization: Bearer \(world.apiKey)", body: list)
      #expect(server.status == 200, "\(name): \(server.status)")
    }
    #expect(Controller.all.count { $0.takesLongForms } == 3)
  }
}

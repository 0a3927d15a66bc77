import Domain
import Foundation
import PushTransport
import Reactor
import TLS
import TestSupport
import Testing

@testable import FCM

/// What leaves for FCM, as an HTTP/2 server that is not ours receives it: the Python package h2.
@Suite(.serialized) struct OtherServerTests {
  private let authority: CertificateAuthority
  private let server: OtherHTTP2Server

  init() throws {
    authority = try CertificateAuthority()
    server = try OtherHTTP2Server(pem: try authority.issueServer().pem)
  }

  /// A sender to it; its access tokens come from the simulator.
  private func harness(_ style: FCMStyle) throws -> Harness {
    let port = try server.port()
    let ours = authority.certificatePEM
    let harness = try Harness(style: style, isEquipped: false) { configuration in
      configuration.endpoint = Endpoint(host: "127.0.0.1", port: port)
      configuration.trust.pems.append(ours)
    }
    harness.sender.set(try harness.credential(style: style), for: Harness.route.app)
    return harness
  }

  private func requests() throws -> [(headers: [String: String], message: [String: Any])] {
    try server.requests.map { line in
      let request = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let body = try #require(request["body"] as? [String: Any])
      return (try #require(request["headers"] as? [String: String]), try #require(body["message"] as? [String: Any]))
    }
  }

  @Test func `each of Android's fields arrives as it left`() throws {
    let harness = try harness(FCMStyle(content: .notification))
    let message = try harness.makeMessage(
      """
      "alert":{"title":"제목","body":"World"},"collapseId":"c",
      "android":{"channelId":"transfers","icon":"ic_bank","color":"#0a64c8","clickAction":"OPEN_TRANSFER",
        "image":"https://img.example.com/a.png","priority":"normal","tag":"t-1","analyticsLabel":"spring_2026"}
      """)
    #expect(try harness.deliver(["f1:APA91b1"], message) == [.accepted])
    let request = try #require(try requests().first)
    #expect(request.headers[":path"] == "/v1/projects/\(Harness.projectID)/messages:send")
    #expect(request.headers["authorization"]?.hasPrefix("Bearer ") == true)
    #expect(request.message["token"] as? String == "f1:APA91b1")
    let android = try #require(request.message["android"] as? [String: Any])
    #expect(android["priority"] as? String == "normal")
    let shown = try #require(android["notification"] as? [String: Any])
    let fields = shown.compactMapValues { $0 as? String }
    for (name, value) in [
      "channel_id": "transfers", "icon": "ic_bank", "color": "#0a64c8", "click_action": "OPEN_TRANSFER",
      "image": "https://img.example.com/a.png", "tag": "t-1", "title": "제목", "body": "World",
    ] { #expect(fields[name] == value, "\(name)") }
    #expect((request.message["fcm_options"] as? [String: Any])?["analytics_label"] as? String == "spring_2026")
  }

  @Test func `without a notification of its own Android gets priority and label, and the SDK the text`() throws {
    let harness = try harness(FCMStyle())
    let message = try harness.makeMessage(
      #""alert":"World","android":{"channelId":"transfers","priority":"high","analyticsLabel":"spring_2026"}"#)
    #expect(try harness.deliver(["f1:APA91b1"], message) == [.accepted])
    let sent = try #require(try requests().first).message
    let android = try #require(sent["android"] as? [String: Any])
    #expect(android["priority"] as? String == "high" && android["notification"] == nil)
    #expect((android["data"] as? [String: Any])?["message"] is String)
    #expect((sent["fcm_options"] as? [String: Any])?["analytics_label"] as? String == "spring_2026")
  }

  @Test func `a thousand messages arrive once each`() throws {
    let harness = try harness(FCMStyle())
    let names = (0..<1_000).map { "f\($0):APA91b\($0)" }
    #expect(try harness.deliver(names) == Array(repeating: .accepted, count: names.count))
    #expect(try requests().compactMap { $0.message["token"] as? String }.sorted() == names.sorted())
  }
}

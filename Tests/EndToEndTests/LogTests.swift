import Foundation
import Reactor
import Server
import TestSupport
import Testing
import TestTier

/// What an operator finds in the log of a server: the life of each message, each request, and a fault as few lines.
@Suite(.slow) struct LogTests {
  /// The lines of a log in JSON, as its server wrote them.
  private func lines(_ server: ServerProcess) throws -> [[String: Any]] {
    try server.output.split(separator: "\n").compactMap { line in
      guard line.hasPrefix("{") else { return nil }
      return try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    }
  }

  private func start(_ world: World, _ variables: [String: String]) throws -> (ServerProcess, TestClient) {
    world.server.stop()
    let server = try world.process(variables.merging(["UPMC_LOG_FORMAT": "json"]) { $1 })
    try server.start()
    let client = try TestClient(port: server.port)
    _ = try world.poll("it does not serve: \(server.output)") {
      (try? client.call("GET", "/health"))?.status == 200 ? true : nil
    }
    return (server, client)
  }

  @Test func `a campaign's steps are found by its SEQNO, and each request by its id`() throws {
    let world = try World()
    try world.populate(100)
    let (server, client) = try start(world, ["UPMC_LOG_LEVEL": "debug"])
    let sent = try client.call(
      "POST", "/v1/admin/messages", bearer: world.apiKey, idempotencyKey: "a",
      #"{"appId":"\#(World.appID)","audience":{"all":true},"alert":"B"}"#)
    let seqno = try #require(Int(sent.string("seqno") ?? ""))
    let ofMessage = try world.poll("the log does not say that it has ended: \(server.output)") {
      let found = try lines(server).filter { $0["seqno"] as? Int == seqno }
      return found.contains { $0["message"] as? String == "ended" } ? found : nil
    }
    let steps = ofMessage.compactMap { $0["message"] as? String }
    for step in ["message accepted", "planned", "claimed", "written", "ended"] {
      #expect(steps.contains(step), "\(steps)")
    }
    #expect(ofMessage.reduce(0) { $0 + ($1["accepted"] as? Int ?? 0) } == 100)
    #expect(ofMessage.first { $0["message"] as? String == "planned" }?["level"] as? String == "info")

    let missing = try client.call("GET", "/v1/nothing?token=secret")
    let id = try #require(missing.string("requestId"))
    let request = try world.poll("the log does not know the request") {
      try lines(server).first { $0["requestId"] as? String == id && $0["part"] as? String == "access" }
    }
    #expect(request["status"] as? Int == 404 && request["method"] as? String == "GET")
    #expect(request["path"] as? String == "/v1/nothing" && request["level"] as? String == "debug")
    #expect(!server.output.contains("secret"))
    // Also what is answered later, by another thread, when the bytes of the request have gone; and nobody is named.
    _ = try client.call("POST", "/v1/admin/users/kim/badge/no", bearer: world.apiKey, "{}")
    _ = try client.call("GET", "/v1/admin/messages/\(seqno)", bearer: world.apiKey)
    _ = try client.call("POST", "/v1/receipts", #"{"receipts":[{"seqno":"1","psid":"ab","pushkey":"cd"}]}"#)
    let paths = try world.poll("requests are missing") {
      let paths = try lines(server).filter { $0["part"] as? String == "access" }.compactMap { $0["path"] as? String }
      return paths.contains("/v1/receipts") ? paths : nil
    }
    #expect(paths.contains("/v1/admin/messages/\(seqno)") && paths.contains("/v1/admin/users/*/badge/no"), "\(paths)")
    _ = try client.call("POST", "/v1/admin/messages/\(seqno)/cancel", bearer: world.apiKey, "{}")
    #expect(server.stop() == .exited(0))
  }

  @Test func `an access log is written when it is asked for`() throws {
    let world = try World()
    let (server, client) = try start(world, ["UPMC_ACCESS_LOG": "true"])
    for id in ["trace-7:a", "two words", String(repeating: "x", count: 65)] {
      _ = try client.call("GET", "/v1/nothing", headers: [("X-Request-Id", id)])
    }
    let line = try world.poll("no line tells of the request") {
      try lines(server).first { $0["path"] as? String == "/v1/nothing" }
    }
    #expect(line["level"] as? String == "info" && line["microseconds"] as? Int != nil)
    #expect(line["client"] as? String == "127.0.0.1")
    let named = try world.poll("not each request has a line") {
      let all = try lines(server).filter { $0["path"] as? String == "/v1/nothing" }
      return all.count == 3 ? all.map { $0["callerRequestId"] as? String } : nil
    }
    #expect(named == ["trace-7:a", nil, nil])
  }

  @Test func `the access log names the trace that the caller's traceparent belongs to, and ignores a malformed one`()
    throws
  {
    let world = try World()
    let (server, client) = try start(world, ["UPMC_ACCESS_LOG": "true"])
    let trace = "0af7651916cd43dd8448eb211c80319c"
    for text in ["00-\(trace)-b7ad6b7169203331-00", "00-\(trace)-0000000000000000-01"] {
      _ = try client.call("GET", "/v1/nothing", headers: [("traceparent", text)])
    }
    _ = try client.call("GET", "/v1/nothing")
    let named = try world.poll("not each request has a line") {
      let all = try lines(server).filter { $0["path"] as? String == "/v1/nothing" }
      return all.count == 3 ? all.map { $0["traceId"] as? String } : nil
    }
    #expect(named == [trace, nil, nil])
    #expect(server.stop() == .exited(0))
  }
}

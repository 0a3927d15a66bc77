import Domain
import Foundation
import Operations
import Reactor
import Server
import Simulator
import TestSupport
import Testing
import TestTier

/// What an operator finds in the log of a server: the life of each message, each request, and a fault as few lines.
@Suite(.slow) struct LogTests {
  /// The lines of a log in JSON, as its server wrote them.
  private func lines(_ server: ServerProcess) throws -> [[String: Any]] {
    let output = server.output
    // The last one may be half written.
    let whole = output[..<(output.lastIndex(of: "\n") ?? output.startIndex)]
    return try whole.split(separator: "\n").compactMap { line in
      guard line.hasPrefix("{") else { return nil }
      return try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    }
  }

  private func start(_ world: World, _ variables: [String: String]) throws -> (ServerProcess, TestClient) {
    world.server.stop()
    let server = try world.process(variables.merging(["UPMC_LOG_FORMAT": "json"]) { $1 })
    try server.start()
    let client = try TestClient(port: server.port)
    _ = try poll("it does not serve: \(server.output)") {
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
    let all = ["message accepted", "planned", "claimed", "written", "ended"]
    let ofMessage = try life(server, of: seqno, all, accepted: 100)
    #expect(ofMessage.reduce(0) { $0 + ($1["accepted"] as? Int ?? 0) } == 100)
    #expect(ofMessage.first { $0["message"] as? String == "planned" }?["level"] as? String == "info")

    let missing = try client.call("GET", "/v1/nothing?token=secret")
    let id = try #require(missing.string("requestId"))
    let request = try poll("the log does not know the request") {
      try lines(server).first { $0["requestId"] as? String == id && $0["part"] as? String == "access" }
    }
    #expect(request["status"] as? Int == 404 && request["method"] as? String == "GET")
    #expect(request["path"] as? String == "/v1/nothing" && request["level"] as? String == "debug")
    #expect(!server.output.contains("secret"))
    // Also what is answered later, by another thread, when the bytes of the request have gone; and nobody is named.
    _ = try client.call("POST", "/v1/admin/users/kim/badge/no", bearer: world.apiKey, "{}")
    _ = try client.call("GET", "/v1/admin/messages/\(seqno)", bearer: world.apiKey)
    _ = try client.call("POST", "/v1/receipts", #"{"receipts":[{"seqno":"1","psid":"ab","pushkey":"cd"}]}"#)
    let paths = try poll("requests are missing") {
      let paths = try lines(server).filter { $0["part"] as? String == "access" }.compactMap { $0["path"] as? String }
      let wanted = ["/v1/receipts", "/v1/admin/messages/\(seqno)", "/v1/admin/users/*/badge/no"]
      return wanted.allSatisfy { paths.contains($0) } ? paths : nil
    }
    #expect(!paths.contains { $0.contains("kim") }, "\(paths)")
    _ = try client.call("POST", "/v1/admin/messages/\(seqno)/cancel", bearer: world.apiKey, "{}")
    #expect(server.stop() == .exited(0))
  }

  @Test func `an access log is written when it is asked for`() throws {
    let world = try World()
    let (server, client) = try start(world, ["UPMC_ACCESS_LOG": "true"])
    for id in ["trace-7:a", "two words", String(repeating: "x", count: 65)] {
      _ = try client.call("GET", "/v1/nothing", headers: [("X-Request-Id", id)])
    }
    let line = try poll("no line tells of the request") {
      try lines(server).first { $0["path"] as? String == "/v1/nothing" }
    }
    #expect(line["level"] as? String == "info" && line["microseconds"] as? Int != nil)
    #expect(line["client"] as? String == "127.0.0.1")
    let named = try poll("not each request has a line") {
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
    let named = try poll("not each request has a line") {
      let all = try lines(server).filter { $0["path"] as? String == "/v1/nothing" }
      return all.count == 3 ? all.map { $0["traceId"] as? String } : nil
    }
    #expect(named == [trace, nil, nil])
    #expect(server.stop() == .exited(0))
  }

  /// Returns the lines about a message once they contain these steps and so many accepted pushes. Threads write
  /// independently, so the last step may be logged first.
  private func life(
    _ server: ServerProcess, of seqno: Int, _ steps: [String], accepted: Int
  ) throws -> [[String: Any]] {
    try poll("the log does not tell of each of \(steps): \(server.output)") {
      let found = try lines(server).filter { $0["seqno"] as? Int == seqno }
      let told = found.compactMap { $0["message"] as? String }
      let count = found.reduce(0) { $0 + ($1["accepted"] as? Int ?? 0) }
      return steps.allSatisfy { told.contains($0) } && count >= accepted ? found : nil
    }
  }

  @Test func `at debug a single send is found by its SEQNO from its request to its end, at trace each push`() throws {
    let world = try World()
    try world.register("d1", token: World.token("1a"), user: "kim")
    let (server, client) = try start(world, ["UPMC_LOG_LEVEL": "trace"])
    let sent = try client.call(
      "POST", "/v1/admin/messages", bearer: world.apiKey,
      #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim"]},"alert":"B"}"#)
    let seqno = try #require(Int(sent.string("seqno") ?? ""))
    let life = try life(server, of: seqno, ["message accepted", "claimed", "pushed", "written", "ended"], accepted: 1)
    // From the message to its request, and from there to method, path and status.
    let id = try #require(life.first { $0["message"] as? String == "message accepted" }?["requestId"] as? String)
    #expect(id == sent.header("x-request-id"))
    let request = try poll("the log does not know the request") {
      try lines(server).first { $0["part"] as? String == "access" && $0["requestId"] as? String == id }
    }
    #expect(request["status"] as? Int == 202 && request["path"] as? String == "/v1/admin/messages")
    #expect(life.first { $0["message"] as? String == "written" }?["accepted"] as? Int == 1)
    // A push that found no connection yet is logged, too, and repeated.
    let push = try #require(
      life.first { $0["message"] as? String == "pushed" && $0["result"] as? String == "accepted" }, "\(life)")
    #expect(push["level"] as? String == "trace")
    // The device has an id of its own; neither user nor token is in the log.
    #expect(!server.output.contains("kim") && !server.output.contains(World.token("1a")))
    #expect(server.stop() == .exited(0))
  }

  @Test func `a message that the SDK's protocol sends once more is found by its SEQNO, too`() throws {
    let world = try World()
    try world.register("d1", token: World.token("1a"), user: "kim")
    let first = try world.send(#"{"clientUids":["kim"]}"#)
    _ = try world.finished(first)
    let (server, _) = try start(world, [:])
    let sdk = SDKClient(port: server.port, appID: World.appID, psid: "", deviceID: "")
    sdk.common = ["APP_ID": World.appID, "APIKEY": world.apiKey]
    let answer = try sdk.post("rcv_retry_message.ctl", ["SEQNO": first, "RETRY_TYPE": "3"])
    let second = try #require(answer.row["SENDMSG_SEQNO"] as? String, "\(answer)")
    let line = try poll("the log does not say that it was accepted: \(server.output)") {
      try lines(server).first { $0["message"] as? String == "message accepted" && $0["seqno"] as? Int == Int(second) }
    }
    #expect(line["requestId"] as? String != nil && line["level"] as? String == "info")
    #expect(server.stop() == .exited(0))
  }

  @Test func `what is changed at the command line while the server runs is in its log`() throws {
    let world = try World()
    try world.register("d1", token: World.token("1a"), user: "kim")
    let (server, _) = try start(world, [:])
    func told(_ action: String) throws -> [String: Any] {
      try poll("the log does not tell of \(action): \(server.output)") {
        try lines(server).first {
          $0["message"] as? String == "changed at the command line" && $0["action"] as? String == action
        }
      }
    }
    let (connection, caller) = (world.connection, Caller.commandLine(of: "lee"))
    _ = try Administration.resumeApp(World.appID, by: caller, on: connection)
    let resumed = try told("app.resume")
    #expect(resumed["app"] as? String == World.appID && resumed["caller"] as? String == "command line (lee)")
    #expect(resumed["level"] as? String == "info")
    let key = world.started.providerKey
    _ = try Administration.setCredential(
      Administration.APNsKey(pem: key.privateKeyPEM, keyID: key.keyID, teamID: key.teamID), of: World.appID,
      master: World.master, by: caller, on: connection)
    #expect(try told("credential.set")["object"] as? String == "\(World.appID) APNS")
    guard
      case .accepted(let sent) = try SendService.send(
        SendRequest(
          body: Array(#"{"appId":"\#(World.appID)","audience":{"all":true},"alert":"B"}"#.utf8), idempotencyKey: nil,
          caller: caller), on: connection, now: SystemClock().wallTime)
    else {
      Issue.record("the message was not accepted")
      return
    }
    #expect(try told("message.send")["seqno"] as? Int == Int(sent.seqno.number))
    _ = try life(server, of: Int(sent.seqno.number), ["planned", "ended"], accepted: 0)
    // Each once, and nothing from before the start.
    let all = try lines(server).filter { $0["message"] as? String == "changed at the command line" }
    #expect(all.compactMap { $0["action"] as? String } == ["app.resume", "credential.set", "message.send"])
    #expect(server.stop() == .exited(0))
  }

  @Test func `a database that goes away and comes back is two lines, and so is the next time`() throws {
    let proxy = try DatabaseProxy()
    let world = try World()
    world.server.stop()
    let server = try world.process(["UPMC_DATABASE_URL": proxy.url(of: world.database), "UPMC_LOG_FORMAT": "json"])
    try server.start()
    let client = try TestClient(port: server.port)
    func about() throws -> [String] {
      try lines(server).filter { $0["fault"] as? String == "database" }.compactMap { $0["message"] as? String }
    }
    _ = try poll("it does not serve") { (try? client.call("GET", "/ready"))?.status == 200 ? true : nil }
    let (clock, began) = (SystemClock(), SystemClock().now)
    for round in 1...2 {
      let before = try about().count
      proxy.refuse(true)
      // The node knows, an admin's request is refused, and the threads have tried again.
      _ = try poll("the node does not notice") {
        (try? client.call("GET", "/v1/admin/apps", bearer: world.apiKey))?.status == 503 ? true : nil
      }
      _ = try poll("the log does not say it: \(server.output)") { try about().count > before ? true : nil }
      proxy.refuse(false)
      _ = try poll("the log does not say that it is over: \(server.output)") {
        try about().filter { $0 == "the database answers again" }.count == round ? true : nil
      }
      _ = try poll("it does not serve again") { (try? client.call("GET", "/ready"))?.status == 200 ? true : nil }
    }
    let all = try about()
    // One more for each minute that it was away.
    let minutes = Int((clock.now - began).nanoseconds / 60_000_000_000)
    #expect((4...4 + minutes).contains(all.count), "\(all)")
    #expect(server.stop() == .exited(0))
  }
}

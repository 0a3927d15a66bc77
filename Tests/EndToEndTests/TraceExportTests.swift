import Foundation
import HTTPClient
import Maintenance
import Reactor
import Simulator
import Store
import TestSupport
import Testing

@testable import Server

/// What a tracing system receives: from the caller's span to the push and the webhook.
@Suite struct TraceExportTests {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"
  private static let caller = "b7ad6b7169203331"
  private static let sampled = "00-\(trace)-\(caller)-01"

  private func world(
    _ collector: TraceCollector, ratio: Double = 0, _ change: (inout Configuration.Export) -> Void = { _ in }
  ) throws -> World {
    var export = try collector.export
    export.metricsInterval = nil
    export.traceRatio = ratio
    change(&export)
    let world = try World(server: { configuration in
      configuration.export = export
      World.tell(&configuration, pauses: [1], networks: ["127.0.0.0/8"])
    })
    try world.register("6c1f1a9e-0d0b-4f6e-8a55-00000000000a", token: World.token("1a"), user: "kim")
    // A send that is left to the planner has other spans.
    try world.waitForLease()
    return world
  }

  private func send(
    _ world: World, _ body: String, traceparent: String?, key: String? = nil
  ) throws -> Reply {
    try world.client.call(
      "POST", "/v1/admin/messages", bearer: world.apiKey, idempotencyKey: key,
      body, headers: traceparent.map { [("traceparent", $0)] } ?? [])
  }

  private func otp(_ text: String = "Code 1234") -> String {
    #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim"]},"alert":"\#(text)"}"#
  }

  /// The spans of a trace, once these names are all among them. Pushes that found no connection yet, or waited too long for
  /// one, are left out: on a busy machine the first one may take longer than a message to open, and the push is repeated.
  private func spans(
    _ world: World, _ collector: TraceCollector, _ names: Set<String>, of trace: String = trace
  ) throws -> [TraceCollector.Span] {
    try poll("the collector lacks spans: \(collector.spans)") {
      let found = collector.spans.filter {
        $0.trace == trace && !["not_processed", "stale"].contains($0.attributes["error.type"])
      }
      return names.isSubset(of: found.map(\.name)) ? found : nil
    }
  }

  @Test func `a trace of one OTP goes from the caller's span to the push and the webhook`() throws {
    let (collector, receiver) = (try TraceCollector(), try EventReceiver())
    let world = try world(collector)
    _ = try world.webhook(receiver, #""message.finished""#)
    let sent = try send(world, otp(), traceparent: Self.sampled)
    #expect(sent.status == 202, "\(sent.text)")
    let spans = try spans(world, collector, ["POST /v1/admin/messages", "commit", "push apns", "POST"])
    #expect(spans.count == 4, "\(spans)")
    let byName = Dictionary(uniqueKeysWithValues: spans.map { ($0.name, $0) })

    let request = try #require(byName["POST /v1/admin/messages"])
    #expect(request.parent == Self.caller && request.kind == 2)
    // The id of the answer is found in the traces.
    #expect(request.id == sent.header("x-request-id") && request.attributes["upmc.request_id"] == request.id)
    #expect(
      request.attributes["http.request.method"] == "POST" && request.attributes["http.response.status_code"] == "202")
    #expect(request.attributes["http.route"] == "/v1/admin/messages" && request.attributes["url.scheme"] == "http")

    let commit = try #require(byName["commit"])
    #expect(commit.parent == request.id && commit.kind == 1 && commit.attributes["db.operation.batch.size"] == "1")
    let push = try #require(byName["push apns"])
    #expect(push.parent == request.id && push.kind == 3 && !push.isFault)
    #expect(push.attributes["upmc.seqno"] == sent.string("seqno") && push.attributes["upmc.pushes.accepted"] == "1")
    let webhook = try #require(byName["POST"])
    #expect(webhook.parent == request.id && webhook.kind == 3)
    #expect(webhook.attributes["http.response.status_code"] == "204")
    #expect(webhook.attributes["server.port"] == "\(receiver.port)")
    // The receiver goes on with the trace below the span of its call.
    #expect(receiver.told.first?.header("traceparent") == "00-\(Self.trace)-\(webhook.id)-01")

    #expect(Set(spans.map(\.id)).count == 4)
    for span in spans { #expect(span.began <= span.ended && span.began > 1_600_000_000_000_000_000) }
    #expect(request.began <= commit.began && commit.ended <= request.ended && commit.began <= push.began)
    // Nothing of what people are or read is in it.
    for request in collector.requests("traces") {
      let text = String(decoding: request.body, as: UTF8.self)
      for secret in ["kim", "Code 1234", "hook?x", World.token("1a"), world.apiKey] { #expect(!text.contains(secret)) }
    }
  }

  @Test func `a campaign's claims hang on its request, and each push on its claim`() throws {
    let collector = try TraceCollector()
    let world = try world(collector)
    let sent = try send(
      world, #"{"appId":"\#(World.appID)","audience":{"all":true},"alert":"B"}"#, traceparent: Self.sampled)
    #expect(sent.status == 202, "\(sent.text)")
    let request = try #require(
      try spans(world, collector, ["POST /v1/admin/messages"]).first { $0.name == "POST /v1/admin/messages" })
    // On a busy machine the first push may find no connection yet. Its repetition hangs on the request; the first one
    // hangs on its claim, whatever became of it.
    let push = try poll("no first push: \(collector.spans)") {
      collector.spans.first { $0.name == "push apns" && $0.attributes["upmc.is_repeat"] == "false" }
    }
    let claim = try poll("the push has no claim: \(collector.spans)") {
      collector.spans.first { $0.name == "claim" && $0.id == push.parent }
    }
    #expect(request.parent == Self.caller && claim.parent == request.id)
    #expect(claim.attributes["upmc.devices"] == "1" && claim.attributes["upmc.seqno"] == sent.string("seqno"))
  }

  @Test func `a push that the network refuses is a fault, with its reason`() throws {
    let collector = try TraceCollector()
    let world = try world(collector)
    var fault = Fault(.answer)
    (fault.status, fault.reason) = (400, "BadCollapseId")
    try world.simulator.add(fault)
    _ = try send(world, otp(), traceparent: Self.sampled)
    let push = try #require(try spans(world, collector, ["push apns"]).first { $0.name == "push apns" })
    #expect(push.isFault && push.attributes["error.type"] == "BadCollapseId", "\(push)")
    #expect(push.attributes["upmc.pushes.rejected"] == "1")
  }

  @Test func `who is not sampled is not recorded, but the trace is passed on`() throws {
    let (collector, receiver) = (try TraceCollector(), try EventReceiver())
    let world = try world(collector)
    _ = try world.webhook(receiver, #""message.finished""#)
    let unsampled = "00-\(Self.trace)-\(Self.caller)-00"
    _ = try send(world, otp("one"), traceparent: unsampled)
    _ = try poll("the webhook is not called") { receiver.told.count == 1 ? true : nil }
    #expect(receiver.told[0].header("traceparent") == unsampled)
    _ = try send(world, otp("two"), traceparent: nil)
    _ = try send(world, otp("three"), traceparent: "00-\(Self.trace)-0000000000000000-01")
    _ = try poll("the webhook is not called") { receiver.told.count == 3 ? true : nil }
    #expect(receiver.told[1].header("traceparent").isEmpty && receiver.told[2].header("traceparent").isEmpty)
    // Later than all of these, and alone in the collector.
    let sent = try send(world, otp("four"), traceparent: Self.sampled)
    let recorded = try spans(world, collector, ["POST /v1/admin/messages", "commit", "push apns", "POST"])
    #expect(recorded.count == 4 && collector.spans.allSatisfy { $0.trace == Self.trace }, "\(collector.spans)")
    let request = try #require(recorded.first { $0.kind == 2 })
    #expect(collector.spans.count { $0.kind == 2 } == 1 && request.id == sent.header("x-request-id"))
  }

  @Test func `a share of the requests without a caller's trace begins one`() throws {
    let collector = try TraceCollector()
    let world = try world(collector, ratio: 1)
    let sent = try send(world, otp(), traceparent: nil)
    let id = try #require(sent.header("x-request-id"))
    let request = try poll("the request is not recorded") { collector.spans.first { $0.id == id } }
    #expect(request.parent == nil && request.trace.count == 32)
    let spans = try spans(world, collector, ["commit", "push apns"], of: request.trace)
    #expect(spans.filter { $0.id != id }.allSatisfy { $0.parent == id })
    // The caller's own decision goes before the share.
    let silent = try send(world, otp(), traceparent: "00-\(Self.trace)-\(Self.caller)-00")
    let asked = try world.client.call("GET", "/v1/admin/messages/\(sent.string("seqno") ?? "")", bearer: world.apiKey)
    let later = try #require(asked.header("x-request-id"))
    let read = try poll("the question is not recorded") { collector.spans.first { $0.id == later } }
    #expect(read.name == "GET /v1/admin/messages/{seqno}")
    #expect(!collector.spans.contains { $0.id == silent.header("x-request-id") || $0.trace == Self.trace })
  }

  @Test func `without a collector the message still carries the caller's trace to the webhook`() throws {
    let receiver = try EventReceiver()
    let world = try World(webhookPauses: [1])
    try world.register("6c1f1a9e-0d0b-4f6e-8a55-00000000000a", token: World.token("1a"), user: "kim")
    _ = try world.webhook(receiver, #""message.finished""#)
    _ = try send(world, otp(), traceparent: Self.sampled)
    _ = try poll("the webhook is not called") { receiver.told.count == 1 ? true : nil }
    #expect(receiver.told[0].header("traceparent") == Self.sampled)
  }

  @Test func `a message that the SDK's protocol sends once more carries the caller's trace, too`() throws {
    let world = try World()
    try world.register("d1", token: World.token("1a"), user: "kim")
    let first = try world.send(#"{"clientUids":["kim"]}"#)
    _ = try world.finished(first)
    let sdk = SDKClient(port: world.port, appID: World.appID, psid: "", deviceID: "")
    sdk.common = ["APP_ID": World.appID, "APIKEY": world.apiKey]
    sdk.headers = ["traceparent: \(Self.sampled)"]
    let answer = try sdk.post("rcv_retry_message.ctl", ["SEQNO": first, "RETRY_TYPE": "3"])
    let second = try #require(answer.row["SENDMSG_SEQNO"] as? String, "\(answer)")
    #expect(try world.count("SELECT count(*) FROM messages WHERE seqno = \(second) AND trace IS NOT NULL") == 1)
  }

  @Test func `the doctor asks the collector, and says why it takes nothing`() throws {
    let collector = try TraceCollector()
    func finding() throws -> Finding {
      var found: [Finding] = []
      let doctor = Doctor { found.append($0) }
      doctor.examine(environment: [
        "UPMC_OTLP_URL": "http://127.0.0.1:\(collector.port)/otel", "UPMC_DATA_DIR": "/nonexistent",
        "UPMC_OTLP_HEADERS": "authorization=Bearer%20x",
      ])
      return try #require(found.first { $0.subject == "collector" })
    }
    #expect(try finding().severity == .ok)
    for signal in ["traces", "metrics"] {
      let request = try #require(collector.requests(signal).first)
      #expect(request.headers.contains { $0.name.lowercased() == "authorization" && $0.value == "Bearer x" })
    }
    #expect(collector.spans.isEmpty)
    collector.answer(401)
    let refused = try finding()
    #expect(refused.severity == .warning && refused.what.contains("/otel/v1/traces: it answered 401"), "\(refused)")
  }
}

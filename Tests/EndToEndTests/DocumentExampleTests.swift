import JSON
import Domain
import HTTPServer
import Operations
import Reactor
import TestTier
import Testing

@testable import API

/// The API's document against a running server: what it shows as an example is taken, and what comes back is as it says.
@Suite(.slow, .serialized) struct DocumentExampleTests {
  @Test func `every example of the document is accepted, and answered as documented`() throws {
    let stage = try ExampleStage()
    var calls = 0
    for operation in Endpoint.all where operation.pattern.hasPrefix("/v1/") || operation.pattern == "/health" {
      // These need a browser's session, which AuditWalkTests has, or a client that reads on, as StreamTests have it.
      if [
        "signIn", "signOut", "choosePassword", "listSessions", "endSession", "endOtherSessions", "showSecondFactor",
        "beginSecondFactor", "confirmSecondFactor", "renewRecoveryCodes", "removeSecondFactor", "beginOpenID",
        "signInByOpenID", "watchMessage", "watchOverview", "showApproval", "approveMessage",
        "rejectMessage",
      ].contains(operation.id) {
        continue
      }
      let bodies = operation.body?.examples.map { ($0.name, Optional($0.json)) } ?? [("no body", nil)]
      for (name, body) in bodies {
        let reply = try stage.call(operation, body.map(ExampleStage.withComingDays))
        calls += 1
        #expect(
          operation.answers.contains { $0.status == reply.status },
          "\(operation.id), \(name): \(reply.status) \(reply.text)")
        #expect(stage.faults(of: reply, to: operation) == [], "\(operation.id), \(name): \(reply.text)")
      }
    }
    #expect(calls > Endpoint.all.count { !$0.pattern.hasSuffix(".ctl") } - 8)
  }

  @Test func `every example of an answer is as its schema says`() throws {
    let document = Document.make()
    let check = SchemaCheck(document: document)
    for operation in Endpoint.all {
      for answer in operation.answers {
        guard let schema = answer.schema, let example = answer.example, answer.type == "application/json" else {
          continue
        }
        #expect(check.faults(.json(example), JSONSchema.reference(schema)) == [], "\(operation.id) \(answer.status)")
      }
      for example in operation.body?.examples ?? [] {
        guard operation.body?.type == "application/json" else { continue }
        let schema = JSONSchema.reference(operation.body?.schema ?? "")
        #expect(check.faults(.json(example.json), schema) == [], "\(operation.id), \(example.name)")
      }
    }
  }

  @Test func `every example of an event is as its schema says`() throws {
    let webhooks = Document.make()["webhooks"]?.members ?? []
    #expect(Set(webhooks.map(\.name)) == Set(EventKind.allCases.map(\.rawValue)))
    for (kind, item) in webhooks {
      let example = item["post"]?["requestBody"]?["content"]?["application/json"]?["example"]
      #expect(DocumentedWire.faults(ofEvent: example?.bytes ?? [], kind) == [], "\(kind)")
    }
  }

  @Test func `what is refused is refused with a documented problem`() throws {
    let stage = try ExampleStage()
    for operation in Endpoint.all where operation.pattern.hasPrefix("/v1/") {
      var replies = [
        try stage.call(operation, "{}", bearer: .some(nil)), try stage.call(operation, "{}", bearer: "wrong"),
      ]
      let nowhere = operation.pattern.replacing(#/\{\w+\}/#, with: "999999999")
        // Its answer would go on and on.
        .replacing("/overview/events", with: "/overview/events?appId=nobody")
      replies.append(try stage.call(operation, operation.body?.examples.first?.json, path: nowhere))
      if operation.body != nil {
        for body in [
          "", "{", "[]", "null", "7", "{}", #"{"nobody":1}"#, #"{"a":{"b":[[[[[[[[[[]]]]]]]]]]}}"#, "{\"a\":\"\u{1}\"}",
          #"{"appId":"\u0000"}"#, #"{"appId":7,"receipts":{},"reads":{},"badge":"1","clientUid":[],"to":1,"pace":7}"#,
        ] {
          replies.append(try stage.call(operation, body))
        }
      }
      for reply in replies where reply.status >= 400 {
        #expect(stage.faults(of: reply, to: operation) == [], "\(operation.id): \(reply.text)")
      }
    }
  }

  @Test func `other methods and other paths are refused with problems`() throws {
    let stage = try ExampleStage()
    // Controllers say it in the envelope of their own.
    for pattern in Set(Endpoint.all.map(\.pattern)) where !pattern.hasSuffix(".ctl") {
      let known = Endpoint.all.filter { $0.pattern == pattern }.map(\.method.rawValue)
      for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND"]
      where !known.contains(method) {
        let path = pattern.replacing(#/\{\w+\}/#, with: "1")
        let reply = try stage.world.client.call(method, path, bearer: stage.world.apiKey)
        #expect(
          reply.status == 405 && reply.string("type") == "upmc:method-not-allowed", "\(method) \(path): \(reply.text)")
      }
    }
    for path in [
      "/v1", "/v1/", "/v2", "/v2/devices", "/v17/x", "/v1/nothing", "/v1/devices/", "/v1/admin", "/v1/admin/",
      "/v1/admin/messages/1/2/3",
    ] {
      let reply = try stage.world.client.call("GET", path, bearer: stage.world.apiKey)
      #expect(reply.status == 404 && reply.string("type") == "upmc:not-found", "\(path): \(reply.text)")
    }
  }
}

import Domain
import HTTPServer
import Operations
import Postgres
import TestTier
import TestSupport
import Testing
import Time

@testable import API

/// Both lists side by side: every operation of the document that changes something, made by a person at the console, and
/// the line that it leaves in the audit log. That each of the console's actions is an operation of the document,
/// `ConsoleTests` shows.
@Suite(.slow, .serialized) struct AuditWalkTests {
  /// What stands in the log for each operation. One that is missing here fails the test.
  private static let actions = [
    "changeAdRules": "app.ad-rules", "sendMessage": "message.send", "resendMessage": "message.resend",
    "pauseMessage": "message.pause", "resumeMessage": "message.resume", "cancelMessage": "message.cancel",
    "changePace": "message.pace", "replaceMessage": "message.send", "signIn": "session.sign-in",
    "signOut": "session.sign-out",
    "choosePassword": "account.password", "endSession": "session.end", "endOtherSessions": "session.end-others",
    "confirmSecondFactor": "account.second-factor", "renewRecoveryCodes": "account.recovery-codes",
    "removeSecondFactor": "account.second-factor-off", "resetSecondFactor": "account.second-factor-reset",
    "createAccount": "account.create", "changeAccount": "account.change",
    "linkAccount": "account.link", "approveMessage": "approval.approve", "rejectMessage": "approval.reject",
    "createWebhook": "webhook.create", "changeWebhook": "webhook.change", "deleteWebhook": "webhook.delete",
    "testWebhook": "webhook.test", "replayEvents": "webhook.replay", "eraseUser": "user.erase",
    "makeVoucher": "user.vouch",
    "setUserBadge": "user.badge", "createGroup": "group.create", "changeGroup": "group.change",
    "deleteGroup": "group.delete", "addMembers": "group.add-members", "removeMembers": "group.remove-members",
    "upload": "upload.create", "changeTags": "tags.change", "createSegment": "segment.create",
    "createChannel": "channel.create", "deleteChannel": "channel.delete", "publishOnChannel": "channel.publish",
    "changeSegment": "segment.change", "deleteSegment": "segment.delete", "uploadAudience": "audience.upload",
    "deleteUpload": "upload.delete", "deleteAudience": "audience.delete", "changeTestGroups": "app.test-groups",
    "beginImport": "import.begin", "putImportPart": "import.finish",
    "cancelImport": "import.cancel", "createApp": "app.create",
    "changeApp": "app.change", "resumeApp": "app.resume", "deleteApp": "app.delete", "restoreApp": "app.restore",
    "setCredential": "credential.set",
    "deleteCredential": "credential.delete", "createAPIKey": "api-key.create", "revokeAPIKey": "api-key.revoke",
    "restoreQuarantine": "quarantine.restore", "createTemplate": "template.create",
    "replaceTemplate": "template.change", "deleteTemplate": "template.delete", "createDraft": "draft.create",
    "replaceDraft": "draft.change", "deleteDraft": "draft.delete", "createSender": "sender.create",
    "replaceSender": "sender.change", "deleteSender": "sender.delete", "replaceClientKey": "app.client-key",
    "endFormerClientKey": "app.client-key.end",
  ]
  /// Asks only, or changes nothing before its second half, though its method is another.
  private static let questions: Set = ["countConditions", "beginSecondFactor", "beginOpenID"]
  /// Needs an identity provider, which `OpenIDTests` and `SignInStoryTests` have.
  private static let elsewhere: Set = ["signInByOpenID"]

  @Test func `every operation that changes something leaves its line in the audit log, under who did it`() throws {
    let stage = try ExampleStage()
    let world = stage.world
    let kim = try account("jung@example.com", stage)
    stage.session = kim
    var walked: Set<String> = []
    for operation in Endpoint.all where operation.method != .get && operation.pattern.hasPrefix("/v1/admin/") {
      if Self.questions.contains(operation.id) || Self.elsewhere.contains(operation.id) { continue }
      let action = try #require(Self.actions[operation.id], "\(operation.id) says nothing of the audit log")
      walked.insert(operation.id)
      let before = try lastEntry(world)
      let reply = try act(operation, stage, kim)
      try #require((200..<300).contains(reply.status), "\(operation.id): \(reply.status) \(reply.text)")
      #expect(stage.faults(of: reply, to: operation) == [], "\(operation.id): \(reply.text)")
      let lines = try world.connection.run(
        Statement(
          "test-walk-\(operation.id)",
          "SELECT actor, origin <> '', request_id <> '' FROM audit_log WHERE entry > \(before) AND action = '\(action)'"
        ))
      #expect(lines.count >= 1, "\(operation.id) leaves no \(action) in the audit log")
      guard lines.count > 0 else { continue }
      let actor = lines.text(lines.count - 1, 0)
      #expect(actor.hasSuffix("@example.com"), "\(operation.id): \(actor)")
      #expect(lines.bool(0, 1) && lines.bool(0, 2), "\(operation.id): from where, by which request")
      try walkFurtherExamples(of: operation, action, stage)
    }
    #expect(walked == Set(Self.actions.keys), "\(Set(Self.actions.keys).subtracting(walked)) are no operations")
  }

  /// One operation has several ways in, and each leaves its line.
  private func walkFurtherExamples(of operation: Endpoint, _ action: String, _ stage: ExampleStage) throws {
    // An app has one former client key at most.
    if operation.id == "replaceClientKey" { return }
    for example in operation.body?.examples.dropFirst() ?? [] where !Self.isQuestion(example.json) {
      if operation.id == "restoreQuarantine" { try putAside(stage.world) }
      let before = try lastEntry(stage.world)
      let reply = try stage.call(operation, ExampleStage.withComingDays(example.json))
      #expect((200..<300).contains(reply.status), "\(operation.id), \(example.name): \(reply.text)")
      let lines = try stage.world.connection.run(
        Statement(
          "test-example-\(operation.id)-\(example.name)",
          "SELECT count(*) FROM audit_log WHERE entry > \(before) AND action = '\(action)'"))
      #expect(lines.int64(0, 0) >= 1, "\(operation.id), \(example.name): no \(action) in the audit log")
    }
  }

  /// Asks what would become of it, or needs a browser of its own.
  private static func isQuestion(_ json: String) -> Bool {
    json.contains(#""dryRun":true"#) || json.contains(#""login":"#) || json.contains(#""link":"#)
  }

  private func lastEntry(_ world: World) throws -> Int64 {
    try world.connection.run(Statement("test-last-entry", "SELECT coalesce(max(entry), 0) FROM audit_log")).int64(0, 0)
  }

  private func account(_ login: String, _ stage: ExampleStage) throws -> TestClient.Session {
    let link = try ConsoleAccounts.create(
      login, name: login, role: .admin, appID: nil, by: .commandLine, on: stage.world.connection, now: stage.world.now)
    return try stage.world.client.signIn(link.path)
  }

  /// Does it as somebody at the console would; most as the document's first example says.
  private func act(_ operation: Endpoint, _ stage: ExampleStage, _ kim: TestClient.Session) throws -> Reply {
    let world = stage.world
    func call(_ path: String, _ body: String?, as session: TestClient.Session?) throws -> Reply {
      try world.client.call(operation.method.rawValue, path, body, session: session)
    }
    switch operation.id {
    case "signIn":
      let link = try ConsoleAccounts.create(
        "lee@example.com", name: "Lee", role: .admin, appID: nil, by: .commandLine, on: world.connection,
        now: world.now)
      return try call(operation.pattern, #"{"link":"\#(link.path.split(separator: "=").last ?? "")"}"#, as: nil)
    case "signOut": return try call(operation.pattern, nil, as: try account("park@example.com", stage))
    case "choosePassword":
      let choi = try account("choi@example.com", stage)
      return try call(operation.pattern, #"{"new":"correct horse battery"}"#, as: choi)
    case "endSession", "endOtherSessions":
      let (here, _) = (
        try account("\(operation.id)@example.com", stage), try again("\(operation.id)@example.com", stage)
      )
      let list = try world.client.call("GET", "/v1/admin/sessions", session: here).text
      let other = try #require(list.matches(of: /"sessionId":"(\d+)"/).last).1
      return try call(operation.pattern.replacing("{sessionId}", with: other), nil, as: here)
    case "confirmSecondFactor", "renewRecoveryCodes", "removeSecondFactor", "resetSecondFactor":
      return try actOnFactor(operation, stage, kim)
    case "approveMessage", "rejectMessage":
      // Who approves was there before the request.
      let other = try account("\(operation.id)@example.com", stage)
      let approval = try waiting(stage, kim)
      let path = operation.pattern.replacing("{approvalId}", with: approval)
      return try call(path, operation.id == "rejectMessage" ? "{}" : nil, as: other)
    case "putImportPart":
      let begun = try world.client.call(
        "POST", "/v1/admin/imports", #"{"appId":"\#(World.appID)","kind":"users"}"#, session: kim)
      let path = "/v1/admin/imports/\(try #require(begun.string("importId")))/parts/1?last=true"
      return try world.client.call("PUT", path, "clientUid\nkim01\n", type: "text/csv", session: kim)
    case "changeGroup":
      let made = try world.client.call(
        "POST", "/v1/admin/groups", #"{"appId":"\#(World.appID)","name":"Old"}"#, session: kim)
      let path = operation.pattern.replacing("{groupSeq}", with: try #require(made.string("groupSeq")))
      return try call(path, #"{"name":"New"}"#, as: kim)
    case "restoreQuarantine":
      try world.register("aside", token: World.token("a5"), user: "aside")
      try putAside(world)
      return try stage.call(operation, operation.body?.examples.first?.json)
    case "upload":
      // The beginning of a sound, all in letters.
      let path = "\(operation.pattern)?appId=\(World.appID)"
      return try world.client.call(
        "POST", path, "RIFF\u{24}\u{1}\u{1}\u{1}WAVEfmt ", type: "application/octet-stream", session: kim)
    default:
      return try stage.call(operation, operation.body?.examples.first.map { ExampleStage.withComingDays($0.json) })
    }
  }

  /// The same account signs in once more.
  private func again(_ login: String, _ stage: ExampleStage) throws -> TestClient.Session {
    let world = stage.world
    let number = try world.connection.run(
      Statement("test-number-\(login)", "SELECT account FROM accounts WHERE login = '\(login.lowercased())'")
    ).int32(0, 0)
    let link = try ConsoleAccounts.link(number, by: .commandLine, on: world.connection, now: world.now)
    return try world.client.signIn(link.path)
  }

  /// Sets up a second factor for a new account, and does with it what the operation says.
  private func actOnFactor(_ operation: Endpoint, _ stage: ExampleStage, _ kim: TestClient.Session) throws -> Reply {
    let world = stage.world
    let login = "\(operation.id)@example.com"
    let owner = try account(login, stage)
    let path = "/v1/admin/session/second-factor"
    let secret = try #require(try world.client.call("POST", path, session: owner).string("secret"))
    func callWithCode(_ method: String, _ path: String) throws -> Reply {
      while true {
        try world.connection.script("UPDATE accounts SET factor_step = 0")
        let now = world.now.seconds
        let body = #"{"code":"\#(try TestAuthenticator.code(secret, seconds: now))"}"#
        let reply = try world.client.call(method, path, body, session: owner)
        // A code lasts for half a minute and more: only one that took longer than that to arrive is tried again.
        if (200..<300).contains(reply.status) || world.now.seconds - now < 30 { return reply }
      }
    }
    let confirmed = try callWithCode("PUT", path)
    switch operation.id {
    case "confirmSecondFactor": return confirmed
    case "resetSecondFactor":
      let number = try world.connection.run(
        Statement("test-factor-account", "SELECT max(account) FROM accounts WHERE factor IS NOT NULL")
      ).int32(0, 0)
      return try world.client.call("DELETE", "/v1/admin/accounts/\(number)/second-factor", session: kim)
    default:
      return try callWithCode(operation.method.rawValue, operation.pattern)
    }
  }

  private func putAside(_ world: World) throws {
    try world.connection.script(
      "UPDATE devices SET quarantined_at = now(), quarantine_reason = 'BadDeviceToken' WHERE user_key = 'uaside'")
  }

  /// A message that waits for a second person.
  private func waiting(_ stage: ExampleStage, _ kim: TestClient.Session) throws -> String {
    let world = stage.world
    for number in 1...2 {
      try world.register("waiting-\(number)", token: World.token("d\(number)"), user: "waiting\(number)")
    }
    let app = "/v1/admin/apps/\(World.appID)"
    #expect(try world.client.call("PATCH", app, #"{"approvalAbove":1}"#, session: kim).status == 200)
    // The server learns of it a moment later.
    let approval = try poll("nothing waits for a second person") {
      try world.client.call(
        "POST", "/v1/admin/messages", #"{"appId":"\#(World.appID)","audience":{"all":true},"alert":"x"}"#, session: kim
      ).string("approvalId")
    }
    #expect(try world.client.call("PATCH", app, #"{"approvalAbove":null}"#, session: kim).status == 200)
    let show = try #require(Endpoint.all.first { $0.id == "showApproval" })
    let shown = try world.client.call("GET", "/v1/admin/approvals/\(approval)", session: kim)
    #expect(stage.faults(of: shown, to: show) == [], "\(shown.text)")
    return approval
  }
}

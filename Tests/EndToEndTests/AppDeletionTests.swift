import Domain
import Foundation
import Operations
import Postgres
import TestSupport
import TestTier
import Testing
import Time

/// An app that is deleted: refused while its grace lasts, back as it was, or gone.
@Suite(.slow, .serialized) struct AppDeletionTests {
  private static let path = "/v1/admin/apps/\(World.appID)"
  private static let token = World.token("a1")

  private func delete(_ world: World, days: Int, key: String? = nil) throws -> Reply {
    try world.client.call(
      "DELETE", "\(Self.path)?confirm=\(World.appID)&graceDays=\(days)", bearer: key ?? world.apiKey)
  }

  /// The loops learn of it a moment later.
  private func awaitRefusal(_ world: World) throws -> Reply {
    try poll("devices are not refused") {
      let reply = try world.register("d1", token: Self.token, user: "kim")
      return reply.status == 409 ? reply : nil
    }
  }

  /// Everything that a grace must leave as it is.
  private func picture(_ world: World) throws -> String {
    let rows = try world.connection.run(
      Statement(
        "test-picture",
        """
        SELECT json_build_array(
          (SELECT json_agg(json_build_array(device, user_key, psid, state, auth_epoch, tags) ORDER BY device) FROM devices),
          (SELECT json_agg(u ORDER BY user_key) FROM users u),
          (SELECT json_agg(json_build_array(groupseq, user_key) ORDER BY groupseq, user_key) FROM group_members),
          (SELECT json_agg(json_build_array(seqno, state, due_at, request) ORDER BY seqno) FROM messages),
          (SELECT json_agg(s ORDER BY schedule) FROM schedules s),
          (SELECT json_agg(json_build_array(paused_reason, client_key)) FROM apps))::text
        """))
    return rows.text(0, 0)
  }

  @Test func `within the grace nothing is sent or changed, what is there can be read, and the app comes back`() throws {
    let world = try World()
    let device = try world.register("d1", token: Self.token, user: "kim")
    let authKey = device.string("authKey")
    let devicePath = "/v1/devices/\(try #require(device.string("device")))"
    let group = try world.client.call(
      "POST", "/v1/admin/groups", bearer: world.apiKey, #"{"appId":"\#(World.appID)","name":"News"}"#)
    let groupPath = "/v1/admin/groups/\(try #require(group.string("groupSeq")))"
    _ = try world.client.call(
      "POST", "\(groupPath)/members", bearer: world.apiKey, #"{"clientUids":["kim"]}"#)
    #expect(try world.client.call("PUT", "\(devicePath)/badge", bearer: authKey, #"{"badge":7}"#).status == 200)
    let seqno = try world.send(#"{"clientUids":["kim"]}"#)
    _ = try world.finished(seqno)
    _ = try world.send(
      #"{"all":true}"#, #","sendAt":"\#((world.now + .seconds(86_400)).description)""#)
    let before = try picture(world)
    let sdk = SDKClient(port: world.port, appID: World.appID, psid: Self.token, deviceID: "d1", cuid: "kim")

    // Only who administers the whole server, and types it again.
    let limited = try Administration.createKey(
      .admin, appID: World.appID, by: .commandLine, on: world.connection
    ).apiKey
    #expect(try delete(world, days: 3, key: limited).status == 403)
    let operatorKey = try Administration.createKey(.operator, appID: nil, by: .commandLine, on: world.connection).apiKey
    #expect(try delete(world, days: 3, key: operatorKey).status == 403)
    #expect(try world.client.call("DELETE", "\(Self.path)?confirm=bank", bearer: world.apiKey).status == 422)
    #expect(try delete(world, days: 366).status == 400)
    #expect(try delete(world, days: 3).string("state") == "deleting")
    #expect(try delete(world, days: 3).status == 409)

    #expect(try awaitRefusal(world).string("detail")?.contains("is deleting") == true)
    #expect(try sdk.call("rcv_register_service.ctl", ["APNS_MODE": "PRD"]).code == "4444")
    let send = ["TYPE": "E", "CUID": "kim", "MESSAGE": "B", "APIKEY": world.apiKey]
    let file = SDKClient.File(name: "upload_file", content: "kim,Kim\n")
    for answer in [
      try sdk.call("rcv_init_badgeNo.ctl", ["BADGENO": "1"]), try sdk.call("rcv_register_user.ctl"),
      try sdk.post("rcv_register_message.ctl", send), try sdk.post("rcv_register_csvmessage.ctl", send, file: file),
      try sdk.post("rcv_register_message.ctl", send.merging(["RESERVEDATE": "20990101120000"]) { $1 }),
    ] {
      #expect(answer.status == 200 && answer.code == "4444", "\(answer)")
      #expect(answer.reason?.hasPrefix("The app \(World.appID) is deleting: ") == true, "\(answer)")
    }
    #expect(try world.client.call("PUT", "\(devicePath)/badge", bearer: authKey, #"{"badge":1}"#).status == 409)
    #expect(try world.client.call("GET", devicePath, bearer: authKey).status == 200)
    #expect(try world.receipt(seqno, Self.token).status == 200)
    for (method, path, body) in [
      ("POST", "/v1/admin/messages", #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim"]},"alert":"B"}"#),
      ("PATCH", Self.path, #"{"name":"Other"}"#), ("POST", "\(Self.path)/resume", nil),
      ("PATCH", groupPath, #"{"name":"Other"}"#), ("DELETE", groupPath, nil),
      ("PUT", "/v1/admin/users/kim/badge", #"{"appId":"\#(World.appID)","badge":1}"#),
    ] {
      let reply = try world.client.call(method, path, bearer: world.apiKey, body)
      #expect(reply.status == 409, "\(method) \(path): \(reply.text)")
    }
    for path in [
      "users?appId=\(World.appID)", "exports/users?appId=\(World.appID)", "exports/devices?appId=\(World.appID)",
      "exports/deliveries?seqno=\(seqno)", "groups?appId=\(World.appID)", "credentials?appId=\(World.appID)",
    ] {
      let reply = try world.client.call("GET", "/v1/admin/\(path)", bearer: world.apiKey)
      #expect(reply.status == 200 && reply.text.count > 10, "\(path): \(reply.text)")
    }
    #expect(try world.client.call("POST", "\(Self.path)/restore", bearer: limited).status == 403)
    let back = try world.client.call("POST", "\(Self.path)/restore", bearer: world.apiKey)
    #expect(back.string("state") == "active" && back.string("purgeAfter") == nil, "\(back.text)")
    #expect(try picture(world) == before)
    #expect(try world.client.call("POST", "\(Self.path)/restore", bearer: world.apiKey).status == 409)
    _ = try poll("devices are refused") {
      try world.register("d1", token: Self.token, user: "kim").status == 200 ? true : nil
    }
    #expect(try world.finished(try world.send(#"{"clientUids":["kim"]}"#)).int("accepted") == 1)
    #expect(try world.count("SELECT count(*) FROM audit_log WHERE action IN ('app.delete', 'app.restore')") == 2)
  }

  @Test func `after its grace nothing of the app is left but its id, and its keys open nothing`() throws {
    let world = try World()
    try world.populate(5)
    _ = try world.finished(try world.send(#"{"all":true}"#))
    _ = try world.send(#"{"all":true}"#, #","sendAt":"\#((world.now + .seconds(86_400)).description)""#)
    _ = try Administration.createApp(
      "com.example.shop", name: "Shop", timeZone: "UTC", by: .commandLine, on: world.connection)
    let limited = try Administration.createKey(
      .viewer, appID: World.appID, by: .commandLine, on: world.connection
    ).apiKey
    #expect(try world.client.call("GET", "/v1/admin/apps", bearer: limited).status == 200)
    #expect(try delete(world, days: 0).status == 200)
    _ = try poll("the app is not removed") {
      // The nodes know of it by now.
      try world.connection.script("UPDATE app_purges SET begun_at = begun_at - interval '1 hour'")
      return try world.client.call("GET", Self.path, bearer: world.apiKey).status == 404 ? true : nil
    }
    for table in ["devices", "psids", "users", "messages", "credentials", "outcomes", "blocks", "statistics_minutes"] {
      #expect(try world.count("SELECT count(*) FROM \(table)") == 0, "\(table)")
    }
    _ = try poll("the key is still known") {
      try world.client.call("GET", "/v1/admin/apps", bearer: limited).status == 401 ? true : nil
    }
    let again = try world.client.call(
      "POST", "/v1/admin/apps", bearer: world.apiKey, #"{"appId":"\#(World.appID)","name":"Bank"}"#)
    #expect(again.status == 409 && again.string("detail")?.contains("never used again") == true, "\(again.text)")
    let log = try world.client.call("GET", "/v1/admin/audit?action=app&limit=10", bearer: world.apiKey).text
    for action in ["app.delete", "app.purge", "app.purged"] { #expect(log.contains("\"\(action)\""), "\(log)") }
    #expect(log.contains(World.appID))
    #expect(try world.client.call("GET", "/v1/admin/apps/com.example.shop", bearer: world.apiKey).status == 200)
  }

  @Test func `the command line exports an app into files with a manifest, deletes it and takes that back`() throws {
    let world = try World()
    try world.register("d1", token: Self.token, user: "kim")
    let seqno = try world.send(#"{"clientUids":["kim"]}"#)
    _ = try world.finished(seqno)
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    #expect(try world.command("app", "delete", World.appID, "--grace-days", "2", "--yes").status == 0)
    for (name, run) in [
      ("here", try world.command("app", "export", World.appID, "--to", "\(directory)/here")),
      ("there", try world.remote(world.apiKey, ["app", "export", World.appID, "--to", "\(directory)/there"])),
    ] {
      #expect(run.status == 0, "\(run.complaint)")
      let manifest = TemporaryDirectory.read("\(directory)/\(name)/manifest.json") ?? ""
      for part in [#""users.csv":1"#, #""devices.csv":1"#, #""messages.ndjson":1"#, #""deliveries":1"#] {
        #expect(manifest.contains(part), "\(manifest)")
      }
      #expect(TemporaryDirectory.read("\(directory)/\(name)/deliveries/\(seqno).csv")?.contains("accepted") == true)
      let devices = TemporaryDirectory.read("\(directory)/\(name)/devices.csv") ?? ""
      #expect(devices.contains("kim") && !devices.contains(Self.token))
    }
    #expect(try world.command("app", "export", World.appID, "--to", directory).status != 0)
    let back = try world.command("app", "restore", World.appID)
    #expect(back.status == 0 && back.lines == ["\(World.appID) is back."], "\(back.complaint)")
  }
}

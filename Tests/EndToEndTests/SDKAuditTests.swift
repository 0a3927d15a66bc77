import TestSupport
import TestTier
import Testing

@testable import Server

/// What a server does by the existing SDK's protocol stands in the audit log like what it does by the admin API.
@Suite(.slow, .serialized) struct SDKAuditTests {
  @Test func `a server without a key is known by its address, and so is what it has read and deleted`() throws {
    let world = try World.with("UPMC_CTL_TRUSTED_SENDERS", "127.0.0.0/8")
    try world.register("d1", token: World.token("a1"), user: "kim")
    let server = SDKClient(port: world.port, appID: World.appID, psid: "", deviceID: "")
    server.common = ["APP_ID": World.appID]
    let made = try server.post("rcv_register_usergroup.ctl", ["GROUPNAME": "뉴스"])
    let group = try #require(made.row["GROUPSEQ"] as? String)
    try world.script(
      """
      INSERT INTO group_members (app, user_key, groupseq, joined_at)
      SELECT app, 'ukim', \(group), now() - interval '1 min' FROM apps
      """)
    for _ in 1...2 { #expect(try server.post("rcv_get_usergroup_user.ctl", ["GROUPSEQ": group]).isOK) }
    #expect(try server.post("rcv_delete_usergroup.ctl", ["GROUPSEQ": group]).isOK)
    let entries = "SELECT count(*) FROM audit_log WHERE actor = '' AND origin = '127.0.0.1' AND request_id <> ''"
    #expect(try world.count("\(entries) AND action = 'group.create'") == 1)
    // Once in each hour of the clock.
    let read = "AND action = 'people.read' AND object = 'group-members'"
    let hours = entries.replacing("count(*)", with: "count(DISTINCT date_trunc('hour', at))")
    let reads = try world.count("\(entries) \(read)")
    #expect(try reads > 0 && reads == world.count("\(hours) \(read)"))
    let known = "before->>'name' = '뉴스' AND before->>'members' = '1'"
    #expect(try world.count("\(entries) AND action = 'group.delete' AND \(known)") == 1)
  }
}

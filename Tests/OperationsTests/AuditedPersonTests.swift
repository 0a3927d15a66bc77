import Domain
import Postgres
import Store
import Testing

@testable import Operations

/// What the audit log, which keeps every entry for ever, says of persons.
@Suite struct AuditedPersonTests {
  @Test func `no entry names a person, who may be erased later`() throws {
    let world = try BatchWorld()
    try world.populate()
    try world.connection.script("INSERT INTO groups (app, name) VALUES (\(world.app.number), 'g')")
    _ = try UserDirectory.setBadge(
      UserDirectory.NewBadge(appID: "com.example.bank", badge: 7), of: "kim", by: .commandLine, on: world.connection,
      now: world.now)
    var tags = TagService.Change()
    tags.add = ["vip"]
    _ = try TagService.change(tags, of: .users(["kim"]), in: "com.example.bank", by: .commandLine, on: world.connection)
    for adding in [true, false] {
      _ = try GroupService.changeMembers(
        of: 1, adding: adding, ["kim"], by: .commandLine, on: world.connection, now: world.now)
    }
    let trace = PersonRights.trace("kim")
    #expect(
      try world.count("SELECT count(*) FROM audit_log WHERE object = '\(trace)' OR after::text LIKE '%\(trace)%'") == 4)
    #expect(
      try world.count("SELECT count(*) FROM audit_log WHERE object = 'kim' OR after::text LIKE '%\"kim\"%'") == 0)
    // Whoever looks for a person finds the entries all the same, of one app or of all.
    for appID in [nil, "com.example.bank"] {
      for object in ["kim", trace] {
        let found = try AuditTrail.list(
          AuditTrail.Question(appID: appID, object: object), PageRequest(), by: .commandLine, on: world.connection)
        #expect(found.items.map(\.record.action) == ["tags.change", "user.badge"])
      }
    }
  }
}

import Domain
import HTTPClient
import Operations
import Postgres
import Store
import Testing

@testable import API

/// Lists of people: who reads one is in the audit log.
@Suite struct ReadingTests {
  private let world: AdminWorld

  init() throws { world = try AdminWorld() }

  private func entries() throws -> [String] {
    let rows = try world.connection.run(
      Statement(
        "test-readings", "SELECT api_key || ' ' || object FROM audit_log WHERE action = 'people.read' ORDER BY entry"))
    return rows.map { rows.text($0, 0) }
  }

  /// The clock cannot be stopped: a reading in the next hour is noted in the one in which the test has begun.
  private func stayInThisHour() throws {
    try world.connection.script(
      """
      CREATE TABLE test_began AS SELECT date_trunc('hour', now()) AS hour;
      CREATE FUNCTION test_stay() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        NEW.hour = NEW.hour - (date_trunc('hour', now()) - (SELECT hour FROM test_began));
        RETURN NEW;
      END; $$;
      CREATE TRIGGER test_stay BEFORE INSERT ON audit_readings FOR EACH ROW EXECUTE FUNCTION test_stay()
      """)
  }

  @Test func `one entry for each reader, list and hour`() throws {
    try stayInThisHour()
    let (kim, lee) = (try world.key(.viewer), try world.key(.admin))
    func read(_ path: String, _ key: String) throws {
      let response = try world.call("GET", path, key: key, type: nil)
      #expect(response.status == 200, "\(response.text)")
    }
    let users = "/v1/admin/users?appId=com.example.bank"
    for _ in 1...3 { try read(users, kim) }
    try read(users, lee)
    try read("/v1/admin/devices?appId=com.example.bank", kim)
    try read("/v1/admin/quarantine?appId=com.example.bank", lee)
    #expect(try entries() == ["1 users", "2 users", "1 devices", "2 quarantine"])
    try world.connection.script("UPDATE audit_readings SET hour = hour - interval '1 hour'")
    try read(users, kim)
    #expect(try entries().last == "1 users")
    // What is refused was not read.
    #expect(try world.call("GET", "/v1/admin/users?appId=other", key: kim, type: nil).isProblem(.unknownApp))
    #expect(try entries().count == 5)
  }

  @Test func `whoever looks up for whom short messages stood in leaves an entry`() throws {
    try stayInThisHour()
    let admin = try world.key(.admin)
    #expect(try world.call("POST", "/v1/admin/messages", key: admin, AdminWorld.send).status == 202)
    for _ in 1...2 {
      let response = try world.call("GET", "/v1/admin/messages/1/fallbacks", key: admin, type: nil)
      #expect(response.status == 200, "\(response.text)")
    }
    #expect(try world.call("GET", "/v1/admin/messages/2/fallbacks", key: admin, type: nil).isProblem(.unknownMessage))
    #expect(try entries() == ["1 fallbacks"])
  }
}

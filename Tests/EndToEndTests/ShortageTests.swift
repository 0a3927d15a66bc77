import Foundation
import Operations
import Postgres
import Reactor
import Server
import TestSupport
import TestTier
import Testing

/// A database that is there and cannot do what is asked of it.
@Suite(.slow) struct ShortageTests {
  private static let full = """
    CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
    END $$;
    CREATE TRIGGER no_space BEFORE INSERT ON devices FOR EACH ROW EXECUTE FUNCTION no_space();
    """

  @Test func `a full disk is told as something that passes, and in ready`() throws {
    let world = try World()
    #expect(try world.register("d1", token: World.token("01"), user: "u1").status == 201)
    try world.connection.script(Self.full)
    let refused = try world.register("d2", token: World.token("02"), user: "u2")
    #expect(refused.status == 503, "\(refused.text)")
    #expect(refused.string("type") == "upmc:busy" && refused.text.contains("disk"), "\(refused.text)")
    let ready = try world.client.call("GET", "/ready")
    #expect(ready.status == 200 && ready.string("status") == "degraded", "\(ready.text)")
    #expect(ready.text.contains("The database's disk is full"), "\(ready.text)")
    try world.connection.script("DROP TRIGGER no_space ON devices")
    #expect(try world.register("d2", token: World.token("02"), user: "u2").status == 201)
    #expect(try !world.client.call("GET", "/ready").text.contains("disk is full"))
  }

  @Test func `a full disk is no fault of an admin request either`() throws {
    let world = try World()
    try world.connection.script(Self.full.replacing("ON devices", with: "ON groups"))
    let refused = try world.client.call(
      "POST", "/v1/admin/groups", bearer: world.apiKey,
      #"{"appId":"\(World.appID)","name":"n"}"#
        .replacing("\\(World.appID)", with: World.appID))
    #expect(refused.status == 503 && refused.text.contains("disk"), "\(refused.text)")
  }

  @Test func `a node that gets no connection for its admin requests is not ready, until it gets one`() throws {
    let world = try World()
    let role = "few_\(world.database.name)"
    try world.connection.script(
      """
      CREATE ROLE \(role) LOGIN IN ROLE pg_signal_backend; GRANT ALL ON SCHEMA public TO \(role);
      GRANT ALL ON ALL TABLES IN SCHEMA public TO \(role); GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO \(role)
      """)
    let url = world.database.url.replacing("postgres@", with: "\(role)@")
    let server = try world.process(["UPMC_DATABASE_URL": url])
    try server.start()
    func call(_ path: String, _ bearer: String? = nil) -> Int? {
      (try? TestClient(port: server.port).call("GET", path, bearer: bearer))?.status
    }
    _ = try poll("it is not ready: \(server.output.suffix(2000))") { call("/ready") == 200 ? true : nil }
    #expect(call("/v1/admin/apps", world.apiKey) == 200)
    // No more than it has, and those of its admin threads are gone.
    try world.connection.script(
      """
      ALTER ROLE \(role) CONNECTION LIMIT 1;
      SELECT pg_terminate_backend(pid, 300000) FROM pg_stat_activity
      WHERE usename = '\(role)' AND application_name = 'upmc admin'
      """)
    #expect(call("/v1/admin/apps", world.apiKey) == 503)
    let ready = try TestClient(port: server.port).call("GET", "/ready")
    #expect(ready.status == 503 && ready.text.contains("max_connections"), "\(ready.text)")
    #expect(call("/health") == 200)
    try world.connection.script("ALTER ROLE \(role) CONNECTION LIMIT -1")
    _ = try poll("it is not ready again") { call("/ready") == 200 ? true : nil }
    #expect(call("/v1/admin/apps", world.apiKey) == 200)
    #expect(server.stop() == .exited(0))
  }
}

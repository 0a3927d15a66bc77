import Maintenance
import Postgres
import TestTier
import Testing

/// What the doctor tells of an app that works, and yet does not do what its operators expect.
@Suite(.slow, .serialized) struct AppStandingTests {
  @Test func `an extension that has not confirmed one of the last 1,000 alerts`() throws {
    let world = try MaintenanceWorld()
    try world.connection.script(
      """
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at)
      SELECT ('00000000-0000-8000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, app, 'u' || n, 1, 1, 1, n::text, n::text,
        now(), now(), now() FROM apps, generate_series(1, 1000) n;
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, created_at, expires_at, finished_at)
      SELECT 1, app, 4, 2, '{"alert":"hi"}', '', now() - interval '1 hour', now(), now() FROM apps;
      INSERT INTO outcomes (seqno, device, at, status, attempts, user_key)
      SELECT 1, device, now() - interval '1 hour', 1, 1, user_key FROM devices;
      """)
    let silent = try #require(world.findings().first { $0.subject == "extension" })
    #expect(silent.severity == .warning && silent.what.contains("the app's extension does not report"), "\(silent)")
    #expect(silent.remedy.contains("unless: read"))
    for end in [
      "INSERT INTO row_receipts SELECT 1, device, now() FROM devices LIMIT 1",
      "DELETE FROM row_receipts; DELETE FROM outcomes",
    ] {
      try world.connection.script(end)
      #expect(!world.findings().contains { $0.subject == "extension" })
    }
  }

  @Test func `devices of users that became guests with a new token`() throws {
    let world = try MaintenanceWorld()
    #expect(!world.findings().contains { $0.what.contains("became guests") })
    try world.connection.script(
      """
      INSERT INTO identity_refusals (app, day, writer, refreshed)
      SELECT app, (now() AT TIME ZONE 'UTC')::date - d * 20, d, 4 FROM apps, generate_series(0, 2) d
      """)
    let found = try #require(world.findings().first { $0.what.contains("became guests") })
    #expect(found.severity == .warning && found.what.contains("8 devices"), "\(found)")
    #expect(found.remedy.contains("answers C"))
  }
}

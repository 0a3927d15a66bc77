import Foundation
import TestSupport
import TestTier
import Testing

/// The page on the server's health says each thing that is wrong, and what to do.
@Suite(.slow, .serialized) struct ServerPageTests {
  /// Of each alert: what the server would have to say.
  private static let alerts: [(key: String, change: String)] = [
    ("database", "sample('upmc_database_up', 0)"), ("lease", "sample('upmc_lease_held', 0)"),
    ("clock", "sample('upmc_clock_ahead_seconds', -2)"),
    ("urgent", "sample('upmc_messages_oldest_seconds', 61, { lane: 'urgent', state: 'queued' })"),
    ("paused", "sample('upmc_apps_paused', 1)"),
    ("network", "sample('upmc_push_held_back', 1, { network: 'apns' })"),
    ("credential", "sample('upmc_credential_usable', 0, { app: 'a', network: 'apns' })"),
    ("ends", "sample('upmc_certificate_expiry_timestamp_seconds', Date.now() / 1000 + 86400)"),
    ("overdue", "sample('upmc_overdue_deliveries', 1001)"), ("partitions", "sample('upmc_seqnos_left', 99999)"),
    ("history", "sample('upmc_history_drop_waiting_seconds', 86401)"),
    ("settings", "sample('upmc_settings_differ', 1)"),
    ("webhooks", "sample('upmc_events_oldest_seconds', 901)"), ("dead", "sample('upmc_events_dead', 1)"),
    ("versions", "state.nodes.push({ ...state.nodes[0], nodeId: 'b', version: '0.9.0' })"),
    (
      "stranded",
      """
      state.nodes.push({ ...state.nodes[0], nodeId: 'b', isAlive: false, aliveUntil: '2026-01-01T00:00:00Z', claims: 3 })
      """
    ),
    ("connections", "state.database.connections = state.database.maxConnections"),
  ]

  @Test(arguments: ["en", "ko"])
  func `each alert appears with its cause and goes with it`(language: String) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter(language)
    try browser.script(
      """
      window.change = '';
      const real = window.fetch;
      window.fetch = async (address, options) => {
        const answer = await real(address, options);
        if (!String(address).endsWith('/v1/admin/server')) return answer;
        const state = await answer.json();
        state.complaints = [];
        // A busy machine has alerts of its own, and a node that is late with its lease.
        const own = ['upmc_clock_ahead_seconds', 'upmc_lease_held', 'upmc_database_up'];
        state.samples = state.samples.filter((one) => !own.includes(one.name));
        for (const one of state.nodes) one.isAlive = true;
        window.seen?.(state);
        return new Response(JSON.stringify(state), { status: 200, headers: { 'Content-Type': 'application/json' } });
      };
      """)
    func show(_ change: String) throws {
      // No text becomes code under the console's policy: the test brings the function itself.
      try browser.script(
        """
        window.seen = (state) => {
          const sample = (name, value, labels = {}) => {
            state.samples = state.samples.filter((one) => one.name !== name);
            state.samples.push({ name, value, labels });
          };
          \(change);
        };
        """)
      try browser.show("/server")
    }
    try show("")
    try browser.waitFor("main .note.good")
    let catalogue = URL(filePath: "\(TestDatabase.migrationsDirectory)/../Public/assets/words/\(language).json")
    let words = try #require(
      JSONSerialization.jsonObject(with: try Data(contentsOf: catalogue)) as? [String: String])
    for (key, change) in Self.alerts {
      try show(change)
      let advice = try #require(words["server.alert.\(key).do"])
      let shown = try browser.script("return document.querySelector('main .notes').innerText") as? String ?? ""
      #expect(shown.contains(advice), "\(key): \(shown)")
      #expect(try browser.count("main .notes .note") == 1, "\(key): \(shown)")
    }
    try show("")
    try browser.waitFor("main .note.good")
    try browser.text("#breakers-closed")
    let nodes = try browser.script("return document.querySelector('main table').innerText") as? String ?? ""
    #expect(nodes.contains("1.0.0"), "\(nodes)")
    for finding in try browser.accessibilityFindings() { Issue.record("\(finding)") }
    try browser.screenshot("server-\(language)-1280")
    try browser.expectSilence("the server's page")
  }
}

import Domain
import Operations
import Postgres
import Store
import TestSupport
import Testing
import Time

@testable import Operations

@Suite struct ExplanationServiceTests {
  private let connection: Connection
  private let now: Timestamp = 1_772_325_000_000_000

  init() throws {
    connection = try TestDatabase.make().connect()
    _ = try Administration.createApp("a", name: "a", timeZone: "UTC", identity: .open, by: .commandLine, on: connection)
    try connection.script(
      """
      INSERT INTO messages (app, state, lane, request, request_sha256, created_at, expires_at, frozen_at, finished_at,
        targeted, planned)
      VALUES (1, 4, 1, '{"appId":"a","audience":{"all":true},"alert":"hi"}', '\\x00', '2026-03-01T00:00:00Z',
        '2026-03-02T00:00:00Z', '2026-03-01T00:00:01Z', '2026-03-01T00:00:09Z', 4, true);
      INSERT INTO users (app, user_key, name, badge) VALUES (1, 'ukim', 'Kim', 1);
      """)
  }

  private func device(_ number: Int, boundAt: String = "2026-02-01", quarantine: String? = nil) throws {
    try connection.script(
      """
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at, quarantined_at, quarantine_reason)
      VALUES ('00000000-0000-8000-8000-00000000000\(number)', 1, 'ukim', 1, 1, 1, 'p\(number)', 'd\(number)',
        '\(boundAt)', now(), now(), \(quarantine.map { "'2026-03-01', '\($0)'" } ?? "NULL, NULL"))
      """)
  }

  private func outcome(_ number: Int, _ status: Int, _ reason: String?, attempts: Int = 1, user: String = "ukim") throws
  {
    try connection.script(
      """
      INSERT INTO outcomes (seqno, device, at, status, attempts, user_key, reason)
      VALUES (1, '00000000-0000-8000-8000-00000000000\(number)', '2026-03-01T00:00:0\(number + 2)Z', \(status), \(attempts),
        '\(user)', \(reason.map { "'\($0)'" } ?? "NULL"))
      """)
  }

  private func explain(_ user: String = "kim", _ language: String? = nil) throws -> String {
    let answer = try ExplanationService.explain(
      1, for: user, language: language, by: .commandLine, on: connection)
    return String(decoding: answer.json, as: UTF8.self)
  }

  private func codes(_ user: String = "kim") throws -> [String] {
    try explain(user).split(separator: "\"code\":\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
  }

  @Test func `a delivery that was read tells every step in its order`() throws {
    try device(1)
    try outcome(1, 1, nil, attempts: 3)
    try connection.script(
      """
      INSERT INTO row_receipts SELECT seqno, device, '2026-03-01T00:01:00Z' FROM outcomes;
      INSERT INTO row_reads SELECT seqno, device, '2026-03-01T00:02:00Z' FROM outcomes;
      INSERT INTO badge_ledger (app, user_key, seqno, increment, deliveries, read_option) VALUES (1, 'ukim', 1, 1, 1, 0)
      """)
    #expect(
      try codes() == [
        "requested", "frozen", "tried-again", "accepted", "received", "read", "badge-added", "badge-read", "finished",
      ])
    let text = try explain()
    #expect(text.contains("APNs (production) accepted it for this device."))
    #expect(text.contains(#""code":"read","at":"2026-03-01T00:02:00.000Z""#))
  }

  @Test func `each device has its own reason and advice, in either language`() throws {
    for number in 1...4 { try device(number, quarantine: number == 2 ? "BadDeviceToken" : nil) }
    try outcome(1, 2, "Unregistered")
    try outcome(2, 5, "quarantine")
    try outcome(3, 5, "no-provider")
    try outcome(4, 2, "SomethingNew")
    #expect(
      try codes() == ["requested", "frozen", "rejected", "skipped", "skipped", "rejected", "in-quarantine", "finished"])
    let english = try explain()
    for part in [
      "refused it for this device. The app was removed from the device.", "so the device is in quarantine.",
      "Add the credential of the app.", "The reason given is SomethingNew.",
    ] { #expect(english.contains(part), "\(part)") }
    let korean = try explain("kim", "fr-FR, ko-KR;q=0.9, en;q=0.8")
    #expect(korean.contains(#""language":"ko""#) && korean.contains("단말에서 앱이 삭제되었습니다."))
    #expect(!korean.contains("The "))
    #expect(try explain("kim", "ko;q=0, en").contains(#""language":"en""#))
    #expect(try explain("kim", "de").contains(#""language":"en""#))
  }

  @Test func `who got nothing is told why`() throws {
    #expect(try codes("nobody") == ["requested", "frozen", "unknown-user", "finished"])
    #expect(try codes() == ["requested", "frozen", "no-device", "finished"])
    try device(1, boundAt: "2026-03-01T12:00:00Z")
    #expect(try codes() == ["requested", "frozen", "joined-later", "finished"])
    try device(2)
    #expect(try codes().contains("not-in-audience"))
  }

  @Test func `a device that has changed hands is still told of`() throws {
    try outcome(1, 1, nil)
    #expect(try codes() == ["requested", "frozen", "accepted", "finished"])
  }

  @Test func `what is under way, held back or waits says so`() throws {
    for number in 1...3 { try device(number) }
    try connection.script(
      """
      UPDATE messages SET state = 3, finished_at = NULL, state_reason = 'an operator paused it';
      UPDATE apps SET paused_reason = 'InvalidProviderToken';
      INSERT INTO claims (seqno, node, devices, user_keys)
      VALUES (1, gen_random_uuid(), ARRAY['00000000-0000-8000-8000-000000000001'::uuid], ARRAY['ukim'])
      """)
    try outcome(2, 6, "TooManyRequests")
    #expect(
      try codes() == [
        "requested", "frozen", "message-paused", "app-paused", "under-way", "not-yet", "waits-for-retry",
      ])
  }

  @Test func `an increment that was taken back is told`() throws {
    try device(1)
    try outcome(1, 2, "BadDeviceToken")
    try connection.script(
      "INSERT INTO badge_ledger (app, user_key, seqno, increment, deliveries, negatives) VALUES (1, 'ukim', 1, 2, 1, 1)"
    )
    #expect(try codes().suffix(3) == ["badge-added", "badge-taken-back", "finished"])
  }

  @Test func `a message whose history is not kept says so once it is dropped, others are unknown`() throws {
    #expect(try explain().contains("no-device"))
    try connection.script("UPDATE messages SET forgotten_at = now()")
    #expect { try explain() } throws: { ($0 as? Problem)?.code == .notKept }
    try connection.script("UPDATE messages SET forgotten_at = NULL; UPDATE seqno_ranges SET closed_at = now()")
    #expect { try explain() } throws: { ($0 as? Problem)?.code == .notKept }
    #expect(throws: Problem.self) {
      try ExplanationService.explain(2, for: "kim", language: nil, by: .commandLine, on: connection)
    }
  }

  @Test func `every reason has words in both languages, and none is a copy of the other`() {
    for (reason, entry) in ReasonWords.table {
      for phrase in [entry.meaning] + (entry.advice.map { [$0] } ?? []) {
        #expect(!phrase.english.isEmpty && !phrase.korean.isEmpty && phrase.english != phrase.korean, "\(reason)")
      }
    }
    for reason in SkipReasons.all { #expect(ReasonWords.table[reason] != nil, "\(reason)") }
  }

  private enum SkipReasons {
    static let all: [String] = [
      SkipReason.gone, .rebound, .unknownNotResent, .quarantine, .noProvider,
    ].map(\.rawValue)
  }
}

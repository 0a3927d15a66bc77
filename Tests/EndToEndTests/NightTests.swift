import Foundation
import Postgres
import Simulator
import TestTier
import TestSupport
import Testing

/// Ads wait for the morning, and say that they are ads.
@Suite(.slow, .serialized) struct NightTests {
  /// A zone in which it is now about this hour.
  private static func zone(hour: Int) -> String {
    let utc = Int(Date().timeIntervalSince1970 / 3600) % 24
    var offset = hour - utc
    if offset < -11 { offset += 24 }
    if offset > 12 { offset -= 24 }
    // The names of these zones count to the west.
    return offset == 0 ? "Etc/GMT" : "Etc/GMT\(offset > 0 ? "-" : "+")\(abs(offset))"
  }

  private static let ad = #""alert":{"title":"(광고) T","body":"B"},"kind":"ad","badge":{"increment":1}"#

  private func send(_ world: World, _ members: String) throws -> Reply {
    try world.client.call(
      "POST", "/v1/admin/messages", bearer: world.apiKey,
      #"{"appId":"\#(World.appID)","audience":{"all":true},\#(members)}"#)
  }

  /// 1 and 3 have noon, 2, 4 and 6 midnight; all but 6 agreed to ads, 4 to ads at night.
  private func makeDevices(_ world: World) throws {
    try world.populate(6, zones: [Self.zone(hour: 12), Self.zone(hour: 0)])
    try world.connection.script(
      """
      DELETE FROM devices WHERE device_id = '5';
      UPDATE devices SET consent_ad = device_id <> '6', consent_night_ad = CASE device_id WHEN '4' THEN true WHEN '2' THEN false END;
      """)
  }

  private func deferred(_ world: World) throws -> Int64 {
    try world.count("SELECT count(*) FROM outcomes WHERE status = 6 AND due_at IS NOT NULL AND reason = 'night'")
  }

  @Test func `an ad waits where it is night, and is not lost`() throws {
    let world = try World()
    try makeDevices(world)
    let reply = try send(world, Self.ad)
    #expect(reply.status == 202, "\(reply.text)")
    let seqno = try #require(reply.string("seqno"))
    _ = try poll("nobody waits for the morning") {
      try world.checkAccount(seqno)
      let funnel = try world.funnel(seqno)
      return try deferred(world) == 1 && funnel.int("accepted") == 3 && funnel.int("skipped") == 1 ? funnel : nil
    }
    #expect(try world.payloads(World.token(number: 2)).isEmpty)
    #expect(try world.payloads(World.token(number: 4)).count == 1)
    // Until eight o'clock there.
    #expect(
      try world.count(
        """
        SELECT count(*) FROM outcomes o JOIN devices d USING (device)
        WHERE status = 6 AND (due_at AT TIME ZONE d.time_zone)::time = '08:00' AND due_at < now() + interval '11 hours'
        """) == 1)

    // Found again while it is still night, it waits on.
    try world.connection.script("UPDATE outcomes SET due_at = now(), reason = 'x' WHERE status = 6")
    _ = try poll("it does not wait again") { try deferred(world) == 1 ? true : nil }
    #expect(try world.payloads(World.token(number: 2)).isEmpty)

    // It is morning.
    let rules = try world.client.call(
      "PUT", "/v1/admin/apps/\(World.appID)/ad-rules", bearer: world.apiKey, #"{"night":null}"#)
    #expect(rules.status == 200, "\(rules.text)")
    try world.connection.script("UPDATE outcomes SET due_at = now() WHERE status = 6")
    let ended = try world.finishedExactly(seqno)
    #expect(ended.int("accepted") == 4 && ended.int("skipped") == 1 && ended.int("resent") == 0, "\(ended.text)")
    #expect(try world.badges(World.token(number: 2)) == [1])
  }

  @Test func `where it is night by its deadline, the short message of an ad waits for the morning too`() throws {
    let world = try World(webhookPauses: [1])
    let (day, night) = (Self.zone(hour: 12), Self.zone(hour: 0))
    try world.populate(4, zones: [day])
    try world.connection.script("UPDATE devices SET consent_ad = true, consent_night_ad = device_id = '3'")
    let fallback = #","sms":true,"fallback":{"after":"PT1H"}"#
    let ad = try #require(try send(world, Self.ad + fallback).string("seqno"))
    #expect(try world.finishedExactly(ad).int("accepted") == 4)
    let notice = try #require(try send(world, #""alert":"B""# + fallback).string("seqno"))
    #expect(try world.finishedExactly(notice).int("accepted") == 4)
    // Night has come for all but the first, and the third agreed to ads then; the fourth has left.
    try world.connection.script(
      """
      UPDATE apps SET time_zone = '\(night)';
      UPDATE devices SET time_zone = '\(night)' WHERE device_id <> '1';
      DELETE FROM devices WHERE device_id = '4';
      UPDATE fallbacks SET due_at = now();
      """)
    func decided(_ seqno: String) throws -> Int64 {
      try world.count("SELECT count(*) FROM fallbacks WHERE seqno = \(seqno) AND decision = 2")
    }
    _ = try poll("the deadlines have not come") {
      let (ads, notices) = (try decided(ad), try decided(notice))
      let waiting = try world.count(
        """
        SELECT count(*) FROM fallbacks WHERE decision IS NULL
          AND (due_at AT TIME ZONE '\(night)')::time = '08:00' AND due_at < now() + interval '11 hours'
        """)
      return ads == 2 && notices == 4 && waiting == 2 ? true : nil
    }
    #expect(try world.count("SELECT count(*) FROM events WHERE event_kind = 'sms.requested'") == 6)
    // It is morning.
    try world.connection.script(
      """
      UPDATE apps SET ad_night_from = NULL, ad_night_to = NULL;
      UPDATE fallbacks SET due_at = now() WHERE decision IS NULL;
      """)
    _ = try poll("they wait on") { try decided(ad) == 4 ? true : nil }
  }

  @Test func `an ad reserved for the night has its hour in the morning`() throws {
    let world = try World()
    try makeDevices(world)
    let night = Self.zone(hour: 0)
    try world.connection.script("UPDATE apps SET time_zone = '\(night)'")
    let sendAt = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 600))
    let seqno = try #require(try send(world, Self.ad + #","sendAt":"\#(sendAt)""#).string("seqno"))
    #expect(
      try world.count(
        """
        SELECT count(*) FROM messages WHERE seqno = \(seqno) AND put_off_until < now() + interval '11 hours'
          AND (put_off_until AT TIME ZONE '\(night)')::time = '08:00'
        """) == 1)
  }

  @Test func `what is no ad goes out at night`() throws {
    let world = try World()
    try makeDevices(world)
    let reply = try send(world, #""alert":"B""#)
    let ended = try world.finishedExactly(try #require(reply.string("seqno")))
    #expect(ended.int("accepted") == 5, "\(ended.text)")
  }

  @Test func `an ad without its label, or the words about refusing, is refused and not stored`() throws {
    let world = try World()
    let path = "/v1/admin/apps/\(World.appID)/ad-rules"
    let bare = try send(world, #""alert":{"title":"T","body":"B"},"kind":"ad""#)
    #expect(bare.status == 422 && bare.text.contains("/alert/title"), "\(bare.text)")
    let unchecked = try send(world, #""alert":"(광고) B","kind":"ad","dryRun":true"#)
    #expect(unchecked.status == 200 && unchecked.text.contains("--opt-out"), "\(unchecked.text)")
    let change = try world.client.call("PUT", path, bearer: world.apiKey, #"{"optOut":"무료수신거부"}"#)
    #expect(change.status == 200 && change.string("label") == "(광고)", "\(change.text)")
    let silent = try send(world, Self.ad)
    #expect(silent.status == 422 && silent.text.contains("/alert/body"), "\(silent.text)")
    #expect(try world.count("SELECT count(*) FROM messages") == 0)
    let good = try send(world, #""alert":{"title":"(광고) T","body":"B 무료수신거부 080-1"},"kind":"ad""#)
    #expect(good.status == 202, "\(good.text)")
    let tried = try send(world, #""alert":"(광고) B 무료수신거부","kind":"ad","dryRun":true"#)
    #expect(tried.text.contains("nightAd") && !tried.text.contains("--opt-out"), "\(tried.text)")
    #expect(!tried.text.contains("lies within these hours"), "\(tried.text)")
    let nightly = try send(
      world,
      #""alert":"(광고) B 무료수신거부","kind":"ad","window":{"from":"22:00","to":"23:30"},"dryRun":true"#)
    #expect(nightly.status == 200 && nightly.text.contains("lies within these hours"), "\(nightly.text)")
    for wrong in [
      "{}", #"{"night":{"from":"21:00"}}"#, #"{"night":{"from":"8:00","to":"21:00"}}"#, #"{"label":7}"#,
      #"{"label":"\#(String(repeating: "x", count: 65))"}"#,
    ] {
      #expect(try world.client.call("PUT", path, bearer: world.apiKey, wrong).status == 400, "\(wrong)")
    }
    let never = #"{"night":{"from":"21:00","to":"21:00"}}"#
    #expect(try world.client.call("PUT", path, bearer: world.apiKey, never).status == 422)
  }
}

import Foundation
import Postgres
import Reactor
import Server
import TestSupport
import Testing

/// A machine loses its power in the middle of a transaction: nobody tells PostgreSQL.
@Suite(.serialized) struct VanishedHostTests {
  @Test func `what a vanished machine had locked is free again in seconds`() throws {
    let proxy = try DatabaseProxy()
    defer { proxy.close() }
    let world = try World()
    let lost = try world.startNode(through: proxy)
    let port = lost.address.port
    let body =
      #"{"appId":"\#(World.appID)","pnsId":"APNS","environment":"production","psid":"\#(World.token("a1"))","#
      + #""deviceId":"d1"}"#
    let key = world.clientKey
    // In the middle of a registration, with the token's row locked.
    proxy.fallSilent(after: "device-tokens-find")
    _ = try Thread(name: "phone") { _ = try? TestClient(port: port).call("POST", "/v1/devices", bearer: key, body) }
    _ = try world.poll("it did not fall silent") { proxy.isSilent ? true : nil }
    let idle = """
      SELECT count(*) FROM pg_stat_activity a JOIN pg_locks l USING (pid)
      WHERE a.state = 'idle in transaction' AND l.relation = 'psids'::regclass AND l.mode = 'RowExclusiveLock'
      """
    _ = try world.poll("nothing is locked") { try world.number(idle) > 0 ? true : nil }
    // The phone asks the other node, again and again.
    _ = try world.poll("its lock is held for ever") {
      try world.register("d1", token: World.token("a1"), user: nil).status == 201 ? true : nil
    }
    #expect(try world.number(idle) == 0)
    proxy.close()
    lost.stop()
  }

  @Test func `every session of ours ends by itself when its machine has gone`() throws {
    let world = try World()
    for (name, value) in [
      ("idle_in_transaction_session_timeout", "10s"), ("tcp_keepalives_idle", "15"), ("tcp_keepalives_interval", "5"),
      ("tcp_keepalives_count", "3"), ("tcp_user_timeout", "15s"), ("client_connection_check_interval", "5s"),
    ] {
      // Without a network there is nothing to keep alive: the server says 0 then.
      let setting = try world.connection.run(Statement("show \(name)", "SHOW \(name)")).text(0, 0)
      #expect(name.hasPrefix("tcp") ? ["0", value].contains(setting) : setting == value, "\(name): \(setting)")
    }
  }
}

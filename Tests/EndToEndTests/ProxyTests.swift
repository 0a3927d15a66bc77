import Domain
import Foundation
import HTTPClient
import Operations
import Postgres
import Reactor
import Server
import Simulator
import TestSupport
import TestTier
import Testing

/// The only way out is a proxy. No name here ends in anything that a name server knows.
@Suite(.slow, .serialized) struct ProxyTests {
  private static let apple = "push.invalid:443"
  private static let google = "fcm.invalid:443"
  private static let tokens = "tokens.invalid:8081"

  /// A world whose networks are behind a proxy, under names that only the proxy knows.
  private static func world(
    _ proxy: ConnectProxy, user: String = "", change: (inout Simulator.Configuration) -> Void = { _ in },
    server: (inout Configuration) throws -> Void = { _ in }
  ) throws -> World {
    let world = try World(
      { simulator in
        simulator.serverNames += ["push.invalid", "fcm.invalid"]
        change(&simulator)
      },
      server: { setting in
        proxy.know([
          apple: setting.apnsProduction.port, google: setting.fcm.port,
          tokens: try #require(setting.fcmTokenURL.flatMap { HTTPURL($0) }).port,
        ])
        setting.apnsProduction = Configuration.ServiceAddress(host: "push.invalid", port: 443)
        setting.fcm = Configuration.ServiceAddress(host: "fcm.invalid", port: 443)
        setting.fcmTokenURL = "http://\(tokens)/token"
        setting.proxy = try OutboundProxy("http://\(user)127.0.0.1:\(proxy.port)")
        setting.benchmarkOverrides.webhookRetrySeconds = []
        // There is one attempt: it is not given up because the machine is busy.
        setting.benchmarkOverrides.webhookTimeout = .patience
        try server(&setting)
      })
    return world
  }

  @Test func `a campaign and a message by FCM go through it, by names that nobody here can look up`() throws {
    let proxy = try ConnectProxy()
    defer { proxy.close() }
    proxy.want("up mc", "p@ss:w%rd")
    let world = try Self.world(proxy, user: "up%20mc:p%40ss%3Aw%25rd@")
    try world.populate(2_000)
    let campaign = try world.finishedExactly(try world.send(#"{"all":true}"#))
    #expect(campaign.int("targeted") == 2_000 && campaign.int("accepted") == 2_000, "\(campaign.text)")

    _ = try Administration.setCredential(
      Administration.FCMServiceAccount(
        json: world.started.serviceAccount.json(tokenURI: TokenAddress.google), settings: .init()),
      of: World.appID, master: World.master, tokens: TokenAddress(configured: "http://\(Self.tokens)/token"),
      by: .commandLine, on: world.connection)
    try world.waitForCredentials(2)
    _ = try world.client.call(
      "POST", "/v1/devices", bearer: world.clientKey,
      #"{"appId":"\#(World.appID)","pnsId":"FCM","psid":"fabc:APA91b1","deviceId":"a1","clientUid":"android"}"#)
    let message = try world.finished(try world.send(#"{"clientUids":["android"]}"#))
    #expect(message.int("accepted") == 1, "\(message.text)")
    #expect(Set(proxy.asked) == [Self.apple, Self.google, Self.tokens], "\(Set(proxy.asked))")
    #expect(proxy.faults.isEmpty, "\(proxy.faults)")
    #expect(world.simulator.counters().serverNames.keys.sorted() == ["fcm.invalid", "push.invalid"])
  }

  @Test func `a wrong password and a host that is refused keep messages, which leave when that is mended`() throws {
    let proxy = try ConnectProxy()
    defer { proxy.close() }
    proxy.want("user", "right")
    let world = try Self.world(proxy, user: "user:wrong@")
    try world.populate(50)
    let seqno = try world.send(#"{"all":true}"#)
    _ = try poll("the proxy was not asked again") { proxy.asked.count >= 2 ? true : nil }
    var account = try world.checkAccount(seqno)
    #expect(account.decided == 0 && world.simulator.counters().requests == 0, "\(account)")
    // Others do not wait for it: the server answers.
    #expect(try world.client.call("GET", "/v1/admin/apps", bearer: world.apiKey).status == 200)
    proxy.refuse(Self.apple)
    proxy.want("user", "wrong")
    let asked = proxy.asked.count
    _ = try poll("the proxy was not asked again") { proxy.asked.count > asked ? true : nil }
    account = try world.checkAccount(seqno)
    #expect(account.decided == 0, "\(account)")
    proxy.refuse(Self.apple, with: nil)
    let ended = try world.finishedExactly(seqno)
    #expect(ended.int("accepted") == 50 && ended.int("targeted") == 50, "\(ended.text)")
    #expect(world.simulator.counters().deliveries == 50, "somebody got it twice")
  }

  @Test(arguments: [
    "", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 200 OK\r\nX: \(String(repeating: "y", count: 40_000))",
    "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
  ]) func `a proxy that falls silent, or talks nonsense, loses nothing`(words: String) throws {
    let proxy = try ConnectProxy()
    defer { proxy.close() }
    proxy.say(Array(words.utf8))
    let world = try Self.world(proxy)
    try world.populate(20)
    let seqno = try world.send(#"{"all":true}"#)
    _ = try poll("the proxy was not asked again") { proxy.asked.count >= 2 ? true : nil }
    #expect(try world.checkAccount(seqno).decided == 0 && world.simulator.counters().connectionsOpened == 0)
    proxy.say(nil)
    let ended = try world.finishedExactly(seqno)
    #expect(ended.int("accepted") == 20 && world.simulator.counters().deliveries == 20, "\(ended.text)")
    #expect(proxy.faults.isEmpty, "\(proxy.faults)")
  }

  @Test func `a proxy that dies under a campaign loses nothing, and it goes on when the proxy is back`() throws {
    let proxy = try ConnectProxy()
    defer { proxy.close() }
    let world = try Self.world(proxy, change: { $0.latency = .milliseconds(20) })
    let count = 4_000
    try world.populate(count)
    let seqno = try world.send(#"{"all":true}"#, #","pace":{"perSecond":1000}"#)
    for died in 1...2 {
      try world.delivered(died * 800) { try world.checkAccount(seqno) }
      proxy.die()
      _ = try poll("tunnels stay open without a proxy") {
        try world.checkAccount(seqno)
        return proxy.open == 0 ? true : nil
      }
      let asked = proxy.asked.count
      try proxy.comeBack()
      _ = try poll("nobody came back") { proxy.asked.count > asked ? true : nil }
    }
    let ended = try world.finishedExactly(seqno)
    #expect(ended.string("state") == "completed" && ended.int("targeted") == count, "\(ended.text)")
    #expect(ended.int("accepted") == count, "\(ended.text)")
    // What was under way when the proxy died is sent again with its id, and replaces itself.
    let shown = (1...count).map { world.simulator.shown(on: World.token(number: $0)).count }
    #expect(
      shown.allSatisfy { $0 == 1 }, "\(shown.count { $0 == 0 }) got nothing, \(shown.count { $0 > 1 }) show it twice")
  }

  @Test func `what the exceptions name goes straight`() throws {
    let proxy = try ConnectProxy()
    defer { proxy.close() }
    let world = try World(server: { setting in
      setting.proxy = try OutboundProxy(proxy.url, without: try ProxyExceptions("127.0.0.0/8"))
    })
    try world.register("d1", token: World.token("a1"), user: "kim")
    #expect(try world.finished(try world.send(#"{"clientUids":["kim"]}"#)).int("accepted") == 1)
    #expect(proxy.asked.isEmpty, "\(proxy.asked)")
  }

  // MARK: Webhooks

  private func told(_ world: World, _ webhook: String) throws -> [String: Any] {
    let test = try world.client.call("POST", "/v1/admin/webhooks/\(webhook)/test", bearer: world.apiKey)
    let id = try #require(test.string("id"), "\(test.text)")
    return try poll("the event is under way for ever") {
      let path = "/v1/admin/webhooks/\(webhook)/deliveries"
      let reply = try world.client.call("GET", path, bearer: world.apiKey)
      let items = reply["items"] as? [[String: Any]] ?? []
      return items.first { $0["id"] as? String == id && $0["state"] as? String != "waiting" }
    }
  }

  private func webhook(_ world: World, _ url: String) throws -> String {
    let reply = try world.client.call(
      "POST", "/v1/admin/webhooks", bearer: world.apiKey,
      #"{"appId":"\#(World.appID)","url":"https://sms.example.com/","kinds":["sms.requested"]}"#)
    let number = try #require(reply.string("webhookId"), "\(reply.text)")
    // What is refused by its text when it is given is refused again where it is connected to.
    try world.connection.script("UPDATE webhooks SET url = '\(url)' WHERE webhook = \(number)")
    return number
  }

  @Test func `a webhook's address is looked up and checked here, and the proxy is told that address`() throws {
    let proxy = try ConnectProxy()
    defer { proxy.close() }
    let receiver = try EventReceiver()
    let world = try Self.world(proxy, server: { $0.webhookNetworks = [try #require(IPBlock("127.0.0.1"))] })
    let good = try told(world, try webhook(world, "http://localhost:\(receiver.port)/x"))
    #expect(good["state"] as? String == "delivered", "\(good)")
    #expect(receiver.told.first?.header("host") == "localhost:\(receiver.port)")
    #expect(proxy.asked == ["127.0.0.1:\(receiver.port)"], "\(proxy.asked)")
    proxy.refuse("127.0.0.1:\(receiver.port)")
    let again = try EventReceiver()
    proxy.refuse("127.0.0.1:\(again.port)")
    let refused = try told(world, try webhook(world, "http://127.0.0.1:\(again.port)/x"))
    let reason = refused["reason"] as? String ?? ""
    #expect(reason == "the proxy did not connect", "a tenant is told of the operator's network: \(reason)")
    #expect(proxy.asked.last == "127.0.0.1:\(again.port)" && again.told.isEmpty)
  }

  @Test func `nothing of a webhook with a private address is told to the proxy`() throws {
    let proxy = try ConnectProxy()
    defer { proxy.close() }
    let receiver = try EventReceiver()
    let world = try Self.world(proxy)
    for host in ["127.0.0.1", "localhost", "127.1", "[::1]", "10.0.0.1", "169.254.169.254"] {
      let answer = try told(world, try webhook(world, "https://\(host):\(receiver.port)/x"))
      let reason = answer["reason"] as? String ?? ""
      #expect(answer["state"] as? String == "dead" && reason.contains("not public"), "\(host): \(reason)")
    }
    #expect(proxy.asked.isEmpty && receiver.told.isEmpty, "\(proxy.asked)")
  }

  @Test func `without DNS the proxy is told the name, but no address in disguise`() throws {
    let proxy = try ConnectProxy()
    defer { proxy.close() }
    let world = try Self.world(
      proxy, server: { $0.proxy = try OutboundProxy(proxy.url, resolvesNames: true) })
    proxy.refuse("hooks.invalid:443")
    let named = try told(world, try webhook(world, "https://hooks.invalid/x"))
    let reason = named["reason"] as? String ?? ""
    #expect(reason == "the proxy did not connect", "\(reason)")
    for host in ["2130706433", "intranet", "127.0.0.1%31", "printer.local"] {
      let disguised = try told(world, try webhook(world, "https://\(host)/x"))
      #expect((disguised["reason"] as? String)?.contains("not public") == true, "\(disguised)")
    }
    #expect(proxy.asked == ["hooks.invalid:443"], "\(proxy.asked)")
  }
}

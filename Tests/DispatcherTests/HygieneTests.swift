import Postgres
import Reactor
import Store
import TestSupport
import Testing
import Time

@testable import Dispatcher
@testable import Domain

/// Refused tokens, with the real database.
@Suite struct HygieneTests {
  private static let bad = SubmissionResult.badToken(reason: "BadDeviceToken", since: nil)

  @Test func `a device of the other environment is reached there, and remembered there`() throws {
    let world = try DispatcherWorld { route, _, _ in route.environment == .sandbox ? .accepted : Self.bad }
    try world.makeDevices(1..<3)
    let first = try world.finished(try world.send())
    #expect(first.funnel.accepted == 2 && first.reasons == "{}")
    #expect(try world.record(1)?.environment == .sandbox)
    let second = try world.finished(try world.send())
    #expect(second.funnel.accepted == 2)
    #expect(
      world.network.log.map(\.route.environment) == [.production, .production] + Array(repeating: .sandbox, count: 4))
    #expect(try world.quarantine().isEmpty)
  }

  @Test func `a key of the other environment is asked about there, and stops nobody else`() throws {
    let world = try DispatcherWorld { route, target, _ in
      if route.environment == .sandbox { return .wrongEnvironment(reason: "BadEnvironmentKeyIdInToken") }
      return DispatcherWorld.number(target) == 1 ? Self.bad : .accepted
    }
    try world.makeDevices(1..<3, environment: .sandbox)
    try world.makeDevices(3..<5)
    let ended = try world.finished(try world.send())
    // Device 1 is a development build that this key cannot reach; device 2 was registered wrongly.
    #expect(ended.funnel.accepted == 3 && ended.funnel.rejected == 1)
    #expect(ended.reasons == #"{ "BadEnvironmentKeyIdInToken" : 1 }"#)
    #expect(try world.record(2)?.environment == .production)
    #expect(try world.quarantine().isEmpty, "the key was refused, not the device")
    #expect(try world.connection.run(AppPauses.reason(of: world.app)) == nil)
  }

  @Test func `a key that was refused by mistake costs no device its message or its place`() throws {
    let world = try DispatcherWorld { route, _, attempt in
      if route.environment == .sandbox { return Self.bad }
      return attempt == 1 ? .wrongEnvironment(reason: "BadEnvironmentKeyIdInToken") : .accepted
    }
    try world.makeDevices(1..<61)
    let ended = try world.finished(try world.send())
    #expect(ended.funnel.accepted == 60 && ended.reasons == "{}", "\(ended)")
    #expect(try world.quarantine().isEmpty)
    #expect(try world.record(1)?.environment == .production)
  }

  @Test func `a lesson is lost when the device has another token by then`() throws {
    let world = try DispatcherWorld { route, _, _ in route.environment == .sandbox ? .accepted : Self.bad }
    try world.makeDevices(1..<2)
    let url = world.databaseURL
    world.network.answer { route, _, _ in
      guard route.environment == .sandbox else { return Self.bad }
      // Between the question and its answer.
      try? TestDatabase.connect(to: url).script("UPDATE devices SET psid = 'ffff'")
      return .accepted
    }
    #expect(try world.finished(try world.send()).funnel.accepted == 1)
    #expect(try world.record(1)?.environment == .production)
  }

  @Test func `a token that is refused everywhere puts its device aside, and later audiences skip it`() throws {
    let world = try DispatcherWorld { _, target, _ in DispatcherWorld.number(target) == 1 ? Self.bad : .accepted }
    try world.makeDevices(1..<4)
    let seqno = try world.send()
    let first = try world.finished(seqno)
    #expect(first.funnel.accepted == 2 && first.funnel.rejected == 1 && first.reasons == #"{ "BadDeviceToken" : 1 }"#)
    let aside = try #require(try world.quarantine().first)
    #expect(aside.device == DispatcherWorld.device(1) && aside.reason == "BadDeviceToken" && aside.seqno == seqno)
    #expect(try world.record(1)?.state == .active, "nothing is dropped")

    for audience in [#"{"all":true}"#, #"{"devices":["\#(aside.device)"]}"#, #"{"clientUids":["00000001"]}"#] {
      let later = try world.finished(try world.send(audience))
      #expect(later.funnel.skipped == 1 && later.reasons == #"{ "quarantine" : 1 }"#, "\(audience)")
      #expect(later.funnel.targeted == later.funnel.accepted + 1)
    }
    #expect(world.network.log.count { $0.device == aside.device } == 2, "once here, once there, never again")

    _ = try world.connection.run(Quarantine.release([aside.device], since: 0))
    world.network.answer { _, _, _ in .accepted }
    #expect(try world.finished(try world.send()).funnel.accepted == 3)
  }

  @Test(arguments: [(Int64(-60_000), true), (60_000, false)])
  func `a 410 drops a token only if it was registered before`(_ registeredAfter: Int64, _ isDropped: Bool) throws {
    let since = SystemClock().wallTime - .seconds(3_600)
    let world = try DispatcherWorld { _, _, _ in .badToken(reason: "Unregistered", since: since) }
    try world.makeDevices(1..<2)
    try world.connection.script(
      "UPDATE devices SET registered_at = to_timestamp((\(since.milliseconds) + \(registeredAfter)) / 1000.0)")
    let ended = try world.finished(try world.send())
    #expect(ended.funnel.rejected == 1 && ended.reasons == #"{ "Unregistered" : 1 }"#)
    #expect(try world.record(1)?.state == (isDropped ? .tokenRefused : .active))
    #expect(try world.count("devices WHERE refused_at > now() - interval '1 hour'") == (isDropped ? 1 : 0))
    #expect(try world.quarantine().isEmpty)
  }

  @Test func `a registration while the answer is under way keeps the device out of quarantine`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<2)
    let url = world.databaseURL
    world.network.answer { _, _, _ in
      try? TestDatabase.connect(to: url).script(
        "UPDATE devices SET registered_at = clock_timestamp()")
      return Self.bad
    }
    #expect(try world.finished(try world.send()).funnel.rejected == 1)
    #expect(try world.quarantine().isEmpty)
  }

  @Test func `everything for a busy device waits, and nobody else`() throws {
    let world = try DispatcherWorld { _, target, attempt in
      DispatcherWorld.number(target) == 1 && attempt == 1
        ? .deviceBusy(reason: "TooManyRequests", after: nil) : .accepted
    }
    try world.makeDevices(1..<3)
    let first = try world.send()
    // The node writes this after it has processed both answers, so it knows that device 1 is busy.
    _ = try poll("device 2 has not got the first") { try world.funnel(first).funnel.accepted > 0 ? true : nil }
    let second = try world.send()
    _ = try poll("device 2 has not got both") {
      world.network.log.count { $0.device == DispatcherWorld.device(2) } == 2 ? true : nil
    }
    #expect(try world.finished(first).funnel.accepted == 2)
    #expect(try world.finished(second).funnel.accepted == 2)
    let tries = world.network.log.filter { $0.device == DispatcherWorld.device(1) }
    let start = try #require(tries.first).at
    #expect(tries.dropFirst().allSatisfy { $0.at - start >= .seconds(Limits.backOffSeconds) }, "\(tries)")
    #expect(world.network.log.count { $0.device == DispatcherWorld.device(1) && $0.seqno == second } <= 2)
  }

  @Test func `a device of a network that this server cannot send to is skipped, and the app goes on`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<3)
    try world.makeDevices(3..<6, network: .fcm)
    let ended = try world.finished(try world.send())
    #expect(ended.funnel.accepted == 2 && ended.funnel.skipped == 3 && ended.reasons == #"{ "no-provider" : 3 }"#)
    #expect(try world.connection.run(AppPauses.reason(of: world.app)) == nil)
  }

  @Test func `a missing credential stops an app that has no other, and only that`() throws {
    let world = try DispatcherWorld { _, _, _ in .noCredential(reason: "this app has no usable APNs credential") }
    try world.makeDevices(1..<3)
    let waiting = try world.send()
    #expect(try world.paused() == "this app has no usable APNs credential")
    try world.settled(waiting)
    #expect(try world.funnel(waiting).funnel.pending == 2)

    try world.connection.run(
      Secrets.save(Secrets.Credential(app: world.app, network: .fcm, kind: "x", publicPart: "{}", sealed: [1])))
    try world.resume()
    let ended = try world.finished(waiting)
    #expect(ended.funnel.skipped == 2 && ended.reasons == #"{ "no-provider" : 2 }"#)
    #expect(try world.connection.run(AppPauses.reason(of: world.app)) == nil)
  }

  @Test func `a credential at fault holds the app back until it is resumed, and loses nothing`() throws {
    let world = try DispatcherWorld { _, _, _ in .credentialFault(reason: "InvalidProviderToken") }
    try world.makeDevices(1..<51)
    let seqno = try world.send()
    #expect(try world.paused() == "InvalidProviderToken")
    try world.settled(seqno)
    #expect(try world.funnel(seqno).funnel.pending == 50)
    world.network.answer { _, _, _ in .accepted }
    try world.resume()
    #expect(try world.finished(seqno).funnel.accepted == 50)
  }

  @Test func `a fault of a credential that has just been replaced pauses nobody`() throws {
    let world = try DispatcherWorld { _, _, attempt in
      attempt == 1 ? .credentialFault(reason: "InvalidProviderToken") : .accepted
    }
    try world.makeDevices(1..<3)
    world.network.knowsCredentials(asOf: SystemClock().now)
    try world.connection.run(
      Secrets.save(Secrets.Credential(app: world.app, network: .apns, kind: "x", publicPart: "{}", sealed: [1])))
    #expect(try world.finished(try world.send()).funnel.accepted == 2)
    #expect(try world.connection.run(AppPauses.reason(of: world.app)) == nil)
  }

  /// Stores a credential of the app, as long ago as said.
  private func store(secondsAgo seconds: Int, _ world: DispatcherWorld) throws {
    try world.connection.run(
      Secrets.save(Secrets.Credential(app: world.app, network: .apns, kind: "x", publicPart: "{}", sealed: [1])))
    try world.connection.script("UPDATE credentials SET updated_at = now() - interval '\(seconds) seconds'")
  }

  @Test(arguments: [
    SubmissionResult.noCredential(reason: "this app has no usable APNs credential"),
    .credentialFault(reason: "InvalidProviderToken"),
  ])
  func `a node that is late in reading a new credential pauses nobody`(_ first: SubmissionResult) throws {
    let world = try DispatcherWorld { _, _, attempt in attempt == 1 ? first : .accepted }
    try world.makeDevices(1..<3)
    world.network.knowsCredentials(asOf: SystemClock().now + .seconds(-120))
    try store(secondsAgo: 60, world)
    #expect(try world.finished(try world.send()).funnel.accepted == 2)
    #expect(try world.connection.run(AppPauses.reason(of: world.app)) == nil)
  }

  @Test func `a credential that a node has read and cannot use pauses the app`() throws {
    let world = try DispatcherWorld { _, _, _ in .noCredential(reason: "this app has no usable APNs credential") }
    try world.makeDevices(1..<3)
    world.network.knowsCredentials(asOf: SystemClock().now + .seconds(-30))
    try store(secondsAgo: 60, world)
    _ = try world.send()
    #expect(try world.paused() == "this app has no usable APNs credential")
  }

  @Test func `what a paused app handed back ends when it expires`() throws {
    let world = try DispatcherWorld { _, _, _ in .credentialFault(reason: "Forbidden") }
    try world.makeDevices(1..<3)
    let seqno = try world.send()
    _ = try world.paused()
    try world.settled(seqno)
    let network = try world.expire(seqno)
    let ended = try world.finished(seqno)
    #expect(ended.funnel.expired == 2 && ended.funnel.state == .expired && ended.reasons == #"{ "expired" : 2 }"#)
    #expect(world.network.log.count == 2 && network.log.isEmpty)
  }

  @Test func `what a paused app never began ends when it expires`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<3)
    try world.connection.run(AppPauses.pause(world.app, reason: "an operator said so"))
    let ended = try world.finished(try world.send(expiresIn: 2))
    #expect(ended.funnel.expired == 2 && ended.funnel.state == .expired)
    #expect(world.network.log.isEmpty)
  }

  @Test func `retries of a paused app wait in the database, and those of others go on`() throws {
    let world = try DispatcherWorld { _, _, attempt in
      attempt == 1 ? .retry(reason: "ServiceUnavailable", after: nil) : .accepted
    }
    try world.makeDevices(1..<3)
    // Both answers come after the pause, so no retry can leave before it.
    world.network.hold((1..<3).map(DispatcherWorld.device))
    let seqno = try world.send()
    _ = try poll("nothing was tried") { world.network.held == 2 ? true : nil }
    try world.connection.run(AppPauses.pause(world.app, reason: "an operator said so"))
    world.network.answerHeld()
    try world.settled(seqno)
    #expect(try world.count("outcomes WHERE status = 6 AND reason = 'AppPaused' AND attempts = 1") == 2)
    #expect(world.network.log.count == 2)
    try world.resume()
    #expect(try world.finished(seqno).funnel.accepted == 2)
  }
}

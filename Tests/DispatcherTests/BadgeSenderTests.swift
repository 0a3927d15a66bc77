import Postgres
import Reactor
import Store
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

/// What is read before a user's count is sent to the other devices.
@Suite struct BadgeSenderTests {
  @Test func `the counts of a paused app are put off before anything is read of its users`() throws {
    let world = try DispatcherWorld()
    try world.connection.run(AppPauses.pause(world.app, reason: "maintenance"))
    let holder = try TestDatabase.connect(to: world.databaseURL)
    try holder.script("BEGIN; LOCK TABLE users IN ACCESS EXCLUSIVE MODE")
    defer {
      try? holder.script("ROLLBACK")
      world.stop()
    }
    try world.connection.script(
      "INSERT INTO badge_syncs (app, user_key, due_at) VALUES (\(world.app), 'ukim', now())")
    _ = try poll("they wait for the users") {
      try world.count("badge_syncs WHERE attempts = 0 AND due_at > now() + interval '1 minute'") == 1 ? true : nil
    }
    #expect(world.network.log.isEmpty)
  }

  /// - Parameter attempt: the attempt to claim the sick one before whose end the healthy one becomes free.
  @Test(arguments: [1, 2])
  func `the count that fails is dropped, and not the one that another node has just let go`(_ attempt: Int) throws {
    let world = try DispatcherWorld()
    let shared = world.dispatchers[0].shared
    world.stop()
    try world.connection.script(
      """
      \(SickRow.function(waitingAt: attempt))
      CREATE TRIGGER sick BEFORE UPDATE OF attempts ON badge_syncs FOR EACH ROW WHEN (NEW.user_key = 'usick')
        EXECUTE FUNCTION fail();
      INSERT INTO badge_syncs (app, user_key, due_at) VALUES
        (\(world.app), 'uhealthy', now() - interval '2 minutes'), (\(world.app), 'usick', now() - interval '1 minute')
      """)
    let now = SystemClock().wallTime
    // Another node has the one that has been due longest.
    let first = try SickRow.meet(
      in: world.databaseURL, lock: "SELECT FROM badge_syncs WHERE user_key = 'uhealthy' FOR UPDATE"
    ) { try BadgeSender(shared).take(at: now, atMost: 1, $0) }
    let second = try BadgeSender(shared).take(at: now, atMost: 1, world.connection)
    #expect((first + second).map(\.user.userKey.text) == ["uhealthy"])
    #expect(try world.count("badge_syncs WHERE user_key = 'uhealthy'") == 1)
    #expect(try world.count("badge_syncs WHERE user_key = 'usick'") == 0)
  }
}

import Postgres
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
}

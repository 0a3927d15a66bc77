import Postgres
import Reactor
import Testing
import TestSupport

@Suite struct NotificationTests {
  let listener: Connection
  let sender: Connection

  init() throws {
    let database = try TestDatabase.makeEmpty()
    listener = try database.connect()
    sender = try database.connect()
  }

  @Test func `a notification arrives with its payload`() throws {
    try listener.listen("Odd \"channel\"")
    try sender.script("NOTIFY \"Odd \"\"channel\"\"\", 'app 7'")
    let received = try listener.notifications(waitingAtMost: .patience)
    #expect(received == [Notification(channel: "Odd \"channel\"", payload: "app 7", backendPID: sender.backendPID)])
  }

  @Test func `a notification that came with another answer is not lost`() throws {
    try listener.listen("c")
    try listener.script("NOTIFY c, 'own'; SELECT 1")
    #expect(try listener.notifications(waitingAtMost: .patience).map(\.payload) == ["own"])
  }

  @Test func `waiting ends with nothing when the time is over or the wakeup signals`() throws {
    try listener.listen("c")
    #expect(try listener.notifications(waitingAtMost: .zero).isEmpty)
    let wakeup = try Wakeup()
    wakeup.signal()
    #expect(try listener.notifications(waitingAtMost: .patience, or: wakeup).isEmpty)
  }

  @Test func `a cut connection throws, and after a reconnect the channels are heard again`() throws {
    try listener.listen("c")
    try sender.script("SELECT pg_terminate_backend(\(listener.backendPID), 300000)")
    let error = try #require(throws: PostgresError.self) {
      while true { _ = try listener.notifications(waitingAtMost: .patience) }
    }
    #expect(error.isConnectionLost)
    try listener.reconnect()
    #expect(listener.generation == 1)
    try sender.script("NOTIFY c, 'after'")
    #expect(try listener.notifications(waitingAtMost: .patience).map(\.payload) == ["after"])
  }
}

import Postgres
import Reactor
import TestTier
import Testing
import TestSupport

/// What happens when the connection goes away, or is not there.
@Suite(.slow) struct PipelinedReconnectTests {
  private func backend(_ fixture: PipelineFixture) throws -> Int32 {
    try fixture.run((Statement("pid", "SELECT pg_backend_pid()"), Parameters()))[0].int32(0, 0)
  }

  private func cut(_ fixture: PipelineFixture, _ backend: Int32) throws {
    try fixture.database.connect().script("SELECT pg_terminate_backend(\(backend), 300000)")
  }

  @Test func `what is in flight fails as lost, what waits is sent after the reconnect`() throws {
    let fixture = try PipelineFixture()
    let pid = try backend(fixture)
    var lost: PostgresError?
    var next: [Rows]?
    let sleep = Statement("sleep", "SELECT pg_sleep(600)")
    fixture.connection.submit([(sleep, Parameters())]) { if case .failure(let error) = $0 { lost = error } }
    fixture.connection.submit([PipelineFixture.item(1)]) { next = try? $0.get() }
    #expect(fixture.connection.state == .busy)
    try cut(fixture, pid)
    try fixture.turn { next != nil }
    #expect(lost?.isConnectionLost == true)
    #expect(lost?.sqlState == .adminShutdown)
    #expect(next?[0].affected == 1)
    #expect(try backend(fixture) != pid)
  }

  @Test func `a server that takes no writes any more is left, and what it refused can be sent again`() throws {
    let fixture = try PipelineFixture()
    let first = try backend(fixture)
    let demote = Statement("demote", "SELECT set_config('default_transaction_read_only', 'on', false)")
    _ = try fixture.run((demote, Parameters()))
    let refused = try fixture.failure(PipelineFixture.item(1))
    #expect(refused.sqlState == .readOnlyTransaction && refused.isConnectionLost)
    #expect(try fixture.run(PipelineFixture.item(1)).first?.affected == 1)
    #expect(try backend(fixture) != first)
    #expect(try fixture.count() == 1)
  }

  @Test func `a connection cut while idle is made anew, and its statements are prepared anew`() throws {
    let fixture = try PipelineFixture()
    _ = try fixture.run(PipelineFixture.item(1))
    var states: [PipelinedConnection.State] = []
    fixture.connection.onStateChange = { states.append($0) }
    try cut(fixture, try backend(fixture))
    try fixture.turn { states.count == 2 }
    #expect(states.map { "\($0)" } == ["connecting", "ready"])
    _ = try fixture.run(PipelineFixture.item(2))
    #expect(try fixture.count() == 2)
  }

  @Test func `while the server is away submissions fail as lost, and work again when it is back`() throws {
    let cluster = TestCluster()
    defer { cluster.remove() }
    let fixture = try PipelineFixture(url: cluster.url(database: "postgres"))
    let one = (Statement("one", "SELECT 1::int8"), Parameters())
    _ = try fixture.run(one)
    cluster.stop()
    for _ in 1...3 { #expect(try fixture.failure(one).isConnectionLost) }
    #expect(fixture.connection.state == .connecting)
    #expect(fixture.connection.lastError?.isConnectionLost == true)
    cluster.start()
    try fixture.ready()
    #expect(try fixture.run(one)[0].int64(0, 0) == 1)
    #expect(fixture.connection.lastError == nil)
  }

  @Test func `a host that accepts and stays silent does not hide the next one`() throws {
    let silent = try Socket.listen(on: SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
    let port = silent.localAddress?.port ?? 0
    var options = ConnectionOptions()
    options.connectTimeout = .seconds(2)
    let database = try TestDatabase.makeEmpty()
    let url =
      "postgresql://postgres@/\(database.name)?host=127.0.0.1,\(TestCluster.shared.directory)&port=\(port),5432"
    let fixture = try PipelineFixture(url: url, options: options)
    try fixture.ready()
  }

  @Test func `closing fails what waits and what is in flight, and later submissions`() throws {
    let fixture = try PipelineFixture()
    try fixture.ready()
    var failures = 0
    for _ in 1...2 {
      let sleep = Statement("sleep", "SELECT pg_sleep(600)")
      fixture.connection.submit([(sleep, Parameters())]) { if case .failure = $0 { failures += 1 } }
    }
    fixture.connection.close()
    #expect(failures == 2)
    #expect(try fixture.failure(PipelineFixture.item(1)).isConnectionLost)
  }

  @Test func `a database that does not exist is a state with a reason, not a crash`() throws {
    let fixture = try PipelineFixture(url: TestCluster.shared.url(database: "nowhere"))
    let error = try fixture.failure(PipelineFixture.item(1))
    #expect(error.isConnectionLost)
    #expect(error.description.contains("nowhere"))
  }
}

import Domain
import HTTPClient
import Operations
import Postgres
import Reactor
import Store
import TestSupport
import TestTier
import Testing

@testable import API

/// What callers and tenants share, and that none of them can take it from the others. Locks in the database make requests
/// slow on purpose.
@Suite(.slow) struct SharesTests {
  private static func times() -> StreamTimes {
    var times = StreamTimes()
    (times.look, times.slowLook) = (.milliseconds(5), .milliseconds(5))
    // A lock holds them up for as long as a test takes.
    times.exportStatement = .patience
    return times
  }

  private static let live = "/v1/admin/overview/events"
  private static let export = "/v1/admin/exports/users?appId="
  private static let groups = "/v1/admin/groups?appId=com.example.bank"

  /// A second app and a key of it.
  private func neighbour(_ world: AdminWorld, _ role: Role = .admin) throws -> String {
    _ = try Administration.createApp(
      "b", name: "b", timeZone: "UTC", identity: .open, by: .commandLine, on: world.connection)
    return try world.key(role, app: "b")
  }

  /// Nobody gets at the table while the connection that is answered lives.
  private func lock(_ table: String, in world: AdminWorld) throws -> Connection {
    let holder = try world.database.connect()
    try holder.script("BEGIN; LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE")
    return holder
  }

  /// Until a thread has begun what the lock holds up.
  private func waitUntilHeldUp(_ world: AdminWorld) throws {
    _ = try poll("nothing was held up", every: .zero) { () -> Bool? in
      world.loop.turn(atMost: .milliseconds(1))
      return try world.connection.waitingSessions() > 0 ? true : nil
    }
  }

  // MARK: Streams

  @Test func `a viewer has eight live views, and its neighbour all the others`() throws {
    let world = try AdminWorld(streamTimes: Self.times())
    let (viewer, other) = (try world.key(.viewer), try neighbour(world))
    var views = try (0..<8).map { _ in try Watcher(world, Self.live, key: viewer) }
    for view in views { #expect(try view.status() == 200) }
    let ninth = try world.call("GET", Self.live, key: viewer, type: nil)
    #expect(
      ninth.isProblem(.tooManyRequests) && ninth.text.contains("8 live views") && ninth.header("retry-after") == "1")
    #expect(try Watcher(world, Self.live, key: other).status() == 200)
    // A place is free as soon as the one who had it has gone.
    views.removeLast().leave()
    _ = try poll("its place is not free") {
      try Watcher(world, Self.live, key: viewer).status() == 200 ? true : nil
    }
  }

  @Test func `live views and exports do not take each other's places`() throws {
    let world = try AdminWorld(streamTimes: Self.times())
    let key = try world.key(.admin)
    let views = try (0..<8).map { _ in try Watcher(world, Self.live, key: key) }
    for view in views { #expect(try view.status() == 200) }
    #expect(try Watcher(world, Self.export + "com.example.bank", key: key).isWhole())
    // Two files that cannot go on, and a third one that is refused; live numbers come all the same.
    let holder = try lock("users", in: world)
    let files = try (0..<2).map { _ in try Watcher(world, Self.export + "com.example.bank", key: key) }
    for file in files { #expect(try file.status() == 200) }
    let third = try world.call("GET", Self.export + "com.example.bank", key: key, type: nil)
    #expect(third.isProblem(.tooManyRequests) && third.text.contains("2 exports"))
    #expect(try Watcher(world, Self.live, key: try neighbour(world)).next().hasPrefix("event: overview"))
    try holder.script("ROLLBACK")
    for file in files { #expect(try file.isWhole()) }
  }

  // MARK: Threads

  @Test func `slow requests of one caller leave a thread to the others`() throws {
    let world = try AdminWorld()
    let (key, other) = (try world.key(.admin), try neighbour(world))
    for key in [key, other] { #expect(try world.call("GET", "/v1/admin/apps", key: key).status == 200) }
    let holder = try lock("groups", in: world)
    let slow = try (0..<10).map { _ in try Watcher(world, Self.groups, key: key) }
    #expect(try world.call("GET", "/v1/admin/apps", key: other).status == 200)
    try holder.script("ROLLBACK")
    for one in slow { #expect(try one.status() == 200) }
  }

  @Test func `one caller does not fill the line of all`() throws {
    let world = try AdminWorld()
    let (key, other) = (try world.key(.admin), try neighbour(world))
    for key in [key, other] { #expect(try world.call("GET", "/v1/admin/apps", key: key).status == 200) }
    let holder = try lock("groups", in: world)
    var slow = [try Watcher(world, Self.groups, key: key)]
    try waitUntilHeldUp(world)
    slow += try (1..<300).map { _ in try Watcher(world, Self.groups, key: key) }
    #expect(try slow[299].status() == 429)
    #expect(try world.call("GET", "/v1/admin/apps", key: other).status == 200)
    try holder.script("ROLLBACK")
    let statuses = try slow.map { try $0.status() }
    // One at work, the others in line.
    #expect(statuses.count { $0 == 200 } == 65 && statuses.count { $0 == 429 } == 235)
  }

  // MARK: Passwords

  @Test func `sign-ins that hang keep no administrator from working`() throws {
    let world = try AdminWorld()
    let key = try world.key(.admin)
    #expect(try world.call("GET", "/v1/admin/apps", key: key).status == 200)
    let holder = try lock("sign_in_failures", in: world)
    let attempts = try (0..<4).map { number in
      try Watcher(
        world, "POST /v1/admin/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json",
        body: #"{"login":"kim\#(number)","password":"wrong"}"#)
    }
    #expect(try world.call("GET", "/v1/admin/apps", key: key).status == 200)
    try holder.script("ROLLBACK")
    for attempt in attempts { #expect(try attempt.status() == 401) }
  }

  @Test func `an address waits with eight sign-ins, one more is told to come back`() throws {
    let world = try AdminWorld()
    let holder = try lock("sign_in_failures", in: world)
    func attempt() throws -> Watcher {
      try Watcher(
        world, "POST /v1/admin/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json",
        body: #"{"link":"made-up"}"#)
    }
    var attempts = [try attempt()]
    try waitUntilHeldUp(world)
    for _ in 1...9 { attempts.append(try attempt()) }
    #expect(try attempts[9].status() == 429)
    try holder.script("ROLLBACK")
    for attempt in attempts.dropLast() { #expect(try attempt.status() == 401) }
  }

  @Test func `guesses at logins that nobody has leave few rows, and none when their time is over`() throws {
    let world = try AdminWorld()
    let count = Statement("test-rows", "SELECT count(*) FROM sign_in_failures")
    func guess(_ login: String) throws -> HTTPResponse {
      try world.call("POST", "/v1/admin/session", #"{"login":"\#(login)","password":"wrong"}"#)
    }
    for number in 1...60 { _ = try guess("made-up-\(number)") }
    // The address, twenty logins with it and without, and what the log was told.
    #expect(try world.connection.run(count).int64(0, 0) == 43)
    // As many addresses as there may be.
    try world.connection.script(
      """
      UPDATE sign_in_failures SET until = now() - interval '1 second';
      INSERT INTO sign_in_failures SELECT sha256(n::text::bytea), 1, now() + interval '10 minutes' FROM generate_series(1, 12000) n
      """)
    #expect(try guess("made-up").isProblem(.badCredential))
    #expect(try world.connection.run(count).int64(0, 0) == 10_000)
    try world.connection.script("UPDATE sign_in_failures SET until = now() - interval '1 second'")
    for number in 1...12 { _ = try guess("later-\(number)") }
    #expect(try world.connection.run(count).int64(0, 0) == 27)
  }

  // MARK: Bodies

  @Test func `nobody's body comes before it is known whose it is`() throws {
    let world = try AdminWorld()
    let head = "Host: a\r\nContent-Type: application/json\r\nContent-Length: 2000000\r\nExpect: 100-continue"
    for credential in ["Cookie: upmc_session=made-up", "Authorization: Bearer upmc_made_up"] {
      let stranger = try Watcher(world, "POST /v1/admin/messages HTTP/1.1\r\n\(head)\r\n\(credential)")
      #expect(try stranger.status() == 401, "\(credential)")
    }
    // A key that no loop has seen yet, at the first try.
    let known = try Watcher(
      world, "POST /v1/admin/messages HTTP/1.1\r\n\(head)\r\nAuthorization: Bearer \(try world.key(.admin))")
    #expect(try known.status() == 100)
  }

  @Test func `who brings nothing that proves it has little to say, and a made-up credential brings no more`() throws {
    let world = try AdminWorld()
    let key = try world.key(.admin)
    func told(_ bytes: Int, _ credential: String = "") throws -> Int {
      try Watcher(
        world,
        "POST /v1/admin/messages HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
          + "Content-Length: \(bytes)\r\nExpect: 100-continue\(credential)"
      ).status()
    }
    #expect(try told(16_384) == 100)
    #expect(try told(16_385) == 413)
    for credential in ["\r\nCookie: upmc_session=made-up", "\r\nAuthorization: Bearer upmc_made_up"] {
      #expect(try told(16_384, credential) == 100)
      #expect(try told(16_385, credential) == 401, "\(credential)")
    }
    #expect(try told(16_385, "\r\nAuthorization: Bearer \(key)") == 100)
    #expect(try told(4_194_304, "\r\nAuthorization: Bearer \(key)") == 100)
    #expect(try told(4_194_305, "\r\nAuthorization: Bearer \(key)") == 413)
  }

  @Test func `a cookie that is over keeps nobody from signing in, whatever form the body comes in`() throws {
    let world = try AdminWorld()
    let attempt = try Watcher(
      world,
      "POST /v1/admin/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
        + "Expect: 100-continue\r\nCookie: upmc_session=over")
    #expect(try attempt.status() == 100)
  }

  @Test func `who opens and leaves again and again fills no inbox`() throws {
    let world = try AdminWorld(streamTimes: Self.times())
    let (key, other) = (try world.key(.admin), try world.key(.admin))
    let holder = try lock("users", in: world)
    let first = try Watcher(world, Self.export + "com.example.bank", key: other)
    #expect(try first.status() == 200)
    try waitUntilHeldUp(world)
    var left = 0
    _ = try poll("the places are not free", every: .zero) { () -> Bool? in
      let file = try Watcher(world, Self.export + "com.example.bank", key: key)
      // The place of the one before is free when the server knows that it has gone.
      if try file.status() == 200 { left += 1 }
      file.leave()
      return left == 40 ? true : nil
    }
    let last = try Watcher(world, Self.export + "com.example.bank", key: other)
    #expect(try last.status() == 200)
    try holder.script("ROLLBACK")
    #expect(try first.isWhole() && last.isWhole())
  }
}

import Domain
import HTTPServer
import Operations
import Reactor
import Testing

import struct Domain.Problem

@testable import API
@testable import HTTPServer

/// Who is next, and who has to wait outside.
@Suite struct FairQueueTests {
  private let ticket: ResponseTicket

  init() throws {
    ticket = ResponseTicket(replies: try Inbox(capacity: 1), slot: 0, connection: 0, serial: 0)
  }

  private static func key(_ number: Int32, app: App.Number?) -> QuotaHolder {
    QuotaHolder(Caller(role: .admin, app: app, apiKey: number), address: nil)
  }

  private static func stranger(_ address: String) -> QuotaHolder { QuotaHolder(nil, address: IPAddress(address)) }

  private func work(
    _ party: QuotaHolder, _ id: String = "", _ load: Endpoint.Load = .light, bytes: Int = 0
  ) -> AdminWork {
    let body = [UInt8](repeating: 0, count: bytes)
    return AdminWork(.request(OwnedRequest(method: .get, path: "/", body: body, id: id)), of: party, load, ticket)
  }

  private static func id(_ work: AdminWork?) -> String? {
    if case .request(let request) = work?.kind { request.id } else { nil }
  }

  /// Takes and finishes all that waits; the ids in order.
  private static func all(_ line: inout FairQueue) -> [String] {
    var ids: [String] = []
    while let work = line.next() {
      ids.append(id(work) ?? "")
      line.finish(work)
    }
    return ids
  }

  private static func isTaken(_ outcome: FairQueue.Outcome) -> Bool {
    if case .entered = outcome { true } else { false }
  }

  private static func refusal(_ outcome: FairQueue.Outcome) -> Problem.Code? {
    if case .refused(let problem) = outcome { problem.code } else { nil }
  }

  private static func gone(_ outcome: FairQueue.Outcome) -> String? {
    if case .enteredInstead(let gone) = outcome, gone.count == 1 { id(gone[0]) } else { nil }
  }

  // MARK: Turns

  @Test func `tenants take turns, and so do the callers of each; a caller's requests keep their order`() {
    var line = FairQueue(FairQueue.Shares(threads: 9))
    for id in ["a1", "a2", "a3"] { _ = line.enter(work(Self.key(1, app: 1), id)) }
    for id in ["b1", "b2"] { _ = line.enter(work(Self.key(2, app: 1), id)) }
    for id in ["c1", "c2"] { _ = line.enter(work(Self.key(3, app: 2), id)) }
    _ = line.enter(work(Self.key(4, app: nil), "d1"))
    #expect(Self.all(&line) == ["a1", "c1", "d1", "b1", "c2", "a2", "b2", "a3"])
  }

  @Test func `all strangers together have one tenant's turns`() {
    var line = FairQueue(FairQueue.Shares(threads: 9))
    for number in 1...4 { _ = line.enter(work(Self.stranger("192.0.2.\(number)"), "s\(number)")) }
    for id in ["a1", "a2"] { _ = line.enter(work(Self.key(1, app: 1), id)) }
    #expect(Self.all(&line) == ["s1", "a1", "s2", "a2", "s3", "s4"])
  }

  @Test func `an IPv6 client is one, whichever of its addresses it uses`() {
    #expect(Self.stranger("2001:db8::1") == Self.stranger("2001:db8::ffff:2"))
    #expect(Self.stranger("2001:db8::1") != Self.stranger("2001:db8:0:1::1"))
    #expect(Self.stranger("192.0.2.1") != Self.stranger("192.0.2.2"))
  }

  @Test func `whoever comes anew stands behind all others, so nobody waits for ever`() {
    var line = FairQueue(FairQueue.Shares(threads: 9))
    _ = line.enter(work(Self.key(1, app: 1), "a1"))
    _ = line.enter(work(Self.key(1, app: 1), "a2"))
    for number in Int32(2)...5 {
      _ = line.enter(work(Self.key(number, app: number), "x"))
      let next = line.next()
      if Self.id(next) == "a2" { return }
      if let next { line.finish(next) }
    }
    Issue.record("the second request never came to its turn")
  }

  // MARK: Threads

  @Test(arguments: [1, 2, 4]) func `a caller, and an app, hold all threads but one`(threads: Int) {
    let share = max(1, threads - 1)
    for keys in [[1], [1, 2, 3, 4]] as [[Int32]] {
      var line = FairQueue(FairQueue.Shares(threads: threads))
      for key in keys { for _ in 0..<4 { _ = line.enter(work(Self.key(key, app: 1))) } }
      let working = (0..<share).compactMap { _ in line.next() }
      #expect(working.count == share && line.next() == nil)
      _ = line.enter(work(Self.key(9, app: 2), "other"))
      #expect(Self.id(line.next()) == "other")
      line.finish(working[0])
      #expect(line.next() != nil)
    }
  }

  @Test func `administrators of all apps do not hold each other's threads`() {
    var line = FairQueue(FairQueue.Shares(threads: 2))
    for key in Int32(1)...2 { _ = line.enter(work(Self.key(key, app: nil))) }
    #expect(line.next() != nil && line.next() != nil)
  }

  @Test func `what takes long by its nature leaves a thread to the rest, whoever asks`() {
    var line = FairQueue(FairQueue.Shares(threads: 2))
    for key in Int32(1)...3 { _ = line.enter(work(Self.key(key, app: key), "count", .heavy)) }
    let counting = line.next()
    #expect(Self.id(counting) == "count" && line.next() == nil)
    _ = line.enter(work(Self.key(4, app: 4), "pause"))
    #expect(Self.id(line.next()) == "pause")
    if let counting { line.finish(counting) }
    #expect(Self.id(line.next()) == "count")
  }

  // MARK: Places

  @Test func `a caller and an app wait with their share of requests, one more is refused`() {
    var line = FairQueue(FairQueue.Shares(threads: 2))
    for _ in 1...AdminLimits.waitingRequestsOfCaller {
      #expect(Self.isTaken(line.enter(work(Self.key(1, app: 1)))))
    }
    #expect(Self.refusal(line.enter(work(Self.key(1, app: 1)))) == .tooManyRequests)
    for _ in 1...AdminLimits.waitingRequestsOfCaller {
      #expect(Self.isTaken(line.enter(work(Self.key(2, app: 1)))))
    }
    // The app's share is used up; its third key gets a place all the same, for it has none.
    #expect(Self.gone(line.enter(work(Self.key(3, app: 1)))) != nil)
    #expect(Self.isTaken(line.enter(work(Self.key(4, app: 2)))))
  }

  @Test func `in a full line whoever waits with most gives way to whoever waits with less`() {
    var shares = FairQueue.Shares(threads: 2)
    (shares.requests, shares.requestsOfTenant) = (6, 6)
    var line = FairQueue(shares)
    for id in ["a1", "a2", "a3", "a4"] { _ = line.enter(work(Self.key(1, app: 1), id)) }
    for id in ["b1", "b2"] { _ = line.enter(work(Self.key(2, app: 2), id)) }
    #expect(Self.gone(line.enter(work(Self.key(3, app: 3), "c1"))) == "a4")
    #expect(Self.gone(line.enter(work(Self.key(3, app: 3), "c2"))) == "a3")
    // Now all have the same.
    #expect(Self.refusal(line.enter(work(Self.key(3, app: 3), "c3"))) == .busy)
    #expect(Self.refusal(line.enter(work(Self.key(1, app: 1), "a5"))) == .busy)
    #expect(Self.all(&line) == ["a1", "b1", "c1", "a2", "b2", "c2"])
  }

  @Test func `in a full line an app's busy callers give way to its quiet one`() {
    var line = FairQueue(FairQueue.Shares(threads: 2))
    for app in Int32(1)...2 {
      for key in [app * 10, app * 10 + 1] {
        for _ in 1...AdminLimits.waitingRequestsOfCaller { _ = line.enter(work(Self.key(key, app: app), "\(key)")) }
      }
    }
    let quiet = Self.key(1, app: 1)
    #expect(line.refusal(of: quiet, bytes: 0) == nil)
    #expect(["10", "11"].contains(Self.gone(line.enter(work(quiet)))))
    // The same where the app has not used up its share.
    var shares = FairQueue.Shares(threads: 2)
    shares.requests = 4
    line = FairQueue(shares)
    for id in ["a1", "a2", "a3"] { _ = line.enter(work(Self.key(10, app: 1), id)) }
    _ = line.enter(work(Self.key(20, app: 2), "b1"))
    #expect(line.refusal(of: quiet, bytes: 0) == nil)
    #expect(Self.gone(line.enter(work(quiet, "new"))) == "a3")
    #expect(Self.all(&line) == ["a1", "b1", "new", "a2"])
  }

  @Test func `whoever gave way with all it had is forgotten`() {
    var shares = FairQueue.Shares(threads: 2)
    shares.requests = 3
    var line = FairQueue(shares)
    for key in Int32(1)...3 { _ = line.enter(work(Self.key(key, app: 1), "\(key)")) }
    #expect(Self.gone(line.enter(work(Self.key(4, app: 2)))) != nil)
    #expect(Self.all(&line).count == 3 && line.remembered == 0)
  }

  @Test func `one address does not keep the other strangers out`() {
    var shares = FairQueue.Shares(threads: 2)
    (shares.requestsOfTenant, shares.requestsOfCaller) = (8, 8)
    var line = FairQueue(shares)
    for number in 1...8 { _ = line.enter(work(Self.stranger("192.0.2.1"), "\(number)")) }
    #expect(Self.refusal(line.enter(work(Self.stranger("192.0.2.1")))) == .tooManyRequests)
    #expect(Self.gone(line.enter(work(Self.stranger("192.0.2.2"), "new"))) == "8")
  }

  @Test func `bodies have a share too; one that is too long for it comes when nothing of its app waits`() {
    var shares = FairQueue.Shares(threads: 2)
    (shares.bytes, shares.bytesOfTenant) = (1_000, 400)
    var line = FairQueue(shares)
    #expect(Self.isTaken(line.enter(work(Self.key(1, app: 1), bytes: 500))))
    #expect(Self.refusal(line.enter(work(Self.key(2, app: 1), bytes: 1))) == .tooManyRequests)
    #expect(Self.isTaken(line.enter(work(Self.key(3, app: 2), bytes: 400))))
    #expect(Self.refusal(line.enter(work(Self.key(3, app: 2), bytes: 1))) == .tooManyRequests)
    #expect(Self.isTaken(line.enter(work(Self.key(4, app: 3), bytes: 100))))
    #expect(Self.refusal(line.enter(work(Self.key(5, app: 4), bytes: 500))) == .busy)
    if let done = line.next() { line.finish(done) }
    #expect(Self.isTaken(line.enter(work(Self.key(5, app: 4), bytes: 500))))
  }

  @Test func `where bodies fill the line the newest of whoever has most give way, as many as it takes`() {
    var shares = FairQueue.Shares(threads: 2)
    (shares.bytes, shares.bytesOfTenant) = (800, 400)
    var line = FairQueue(shares)
    for app in Int32(1)...2 {
      for number in 1...4 { _ = line.enter(work(Self.key(app, app: app), "\(app).\(number)", bytes: 100)) }
    }
    _ = line.enter(work(Self.key(1, app: 1), "1.5"))
    let quiet = Self.key(3, app: 3)
    #expect(line.refusal(of: quiet, bytes: 150) == nil)
    let outcome = line.enter(work(quiet, "3.1", bytes: 150))
    guard case .enteredInstead(let gone) = outcome else {
      Issue.record("nobody gave way")
      return
    }
    let ids = gone.map { Self.id($0) }
    #expect(ids == ["1.4", "1.3"] || ids == ["2.4", "2.3"])
    #expect(Self.refusal(line.enter(work(quiet, bytes: 250))) == .busy, "that would be as much as anybody has")
    #expect(Self.refusal(line.enter(work(Self.key(1, app: 1), bytes: 300))) != nil)
    #expect(Self.all(&line).count == 8 && line.remembered == 0)
  }

  // MARK: Streams

  @Test func `places for streams are given to callers, apps and all, and come back once`() throws {
    let places = StreamQuota(StreamQuota.Shares(all: 5, ofTenant: 3, ofCaller: 2, name: "views"))
    func code(_ party: QuotaHolder) -> Problem.Code? {
      do throws(Problem) {
        _ = try places.take(party)
        return nil
      } catch {
        return error.code
      }
    }
    let (a, b, c, d) = (Self.key(1, app: 1), Self.key(2, app: 1), Self.key(3, app: 2), Self.key(4, app: nil))
    let first = try places.take(a)
    var taken = [try places.take(a)]
    #expect(code(a) == .tooManyRequests)
    taken.append(try places.take(b))
    #expect(code(b) == .tooManyRequests, "the app has three")
    taken += [try places.take(c), try places.take(c)]
    #expect(code(d) == .busy)
    first.release()
    first.release()
    #expect(code(d) == nil, "and it comes back when nobody has it")
    taken.append(try places.take(a))
    #expect(code(d) == .busy)
    taken = []
    #expect(code(d) == nil && code(a) == nil)
  }

  // MARK: Loads

  @Test func `every route that is called heavy, or a password's, is one`() {
    let names = Set(Endpoint.ofAdmin.map { "\($0.method.rawValue) \($0.pattern)" })
    let called = Endpoint.all.filter { $0.load != .light }.map { "\($0.method.rawValue) \($0.pattern)" }
    #expect(!called.isEmpty && Set(called).isSubset(of: names))
    #expect(
      Set(Endpoint.all.filter { $0.load == .password }.map(\.pattern)) == [
        "/v1/admin/session", "/v1/admin/session/password", "/v1/admin/session/second-factor",
        "/v1/admin/session/second-factor/recovery-codes", "/v1/admin/session/second-factor/removal",
      ])
  }

  @Test(arguments: [
    "POST /v1/admin/tags", "POST /v1/admin/groups/{groupSeq}/members",
    "POST /v1/admin/groups/{groupSeq}/members/remove",
    "PUT /v1/admin/imports/{importId}/parts/{part}", "GET /v1/admin/exports/users",
  ]) func `what is done for thousands is heavy`(name: String) throws {
    let route = try #require(Endpoint.ofAdmin.first { "\($0.method.rawValue) \($0.pattern)" == name })
    #expect(route.load == .heavy)
  }

  @Test func `what brings a long body is heavy, whatever it asks and of whichever API`() {
    for (bytes, load) in [(65_536, Endpoint.Load.light), (65_537, .heavy)] {
      #expect(work(Self.key(1, app: 1), bytes: bytes).load == load)
      let job = AdminWork.Kind.job({ _ in Response(status: .ok) }, bytes: bytes)
      #expect(AdminWork(job, of: Self.key(1, app: 1), .light, ticket).load == load)
    }
    #expect(work(Self.key(1, app: 1), "", .password, bytes: 65_537).load == .password)
  }
}

import FoundationEssentials
import Reactor
import TestSupport
import Testing

@Suite struct ThreadTests {
  /// Names of all threads of this process, as `top -H` shows them.
  private func names() throws -> [String] {
    let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
    return tasks.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
      .map { String($0.prefix { $0 != "\n" }) }
  }

  @Test func `a thread bears its name, up to 15 bytes`() throws {
    let started = try Inbox<Void>(capacity: 1)
    let release = try Inbox<Void>(capacity: 1)
    let thread = try Thread(name: "fifteen-bytes-x") {
      _ = started.offer(())
      _ = release.receive(atMost: .patience)
    }
    _ = started.receive(atMost: .patience)
    #expect(try names().contains("fifteen-bytes-x"))
    release.close()
    thread.join()
  }

  @Test func `join waits for the body`() throws {
    let inbox = try Inbox<Int>(capacity: 1)
    let thread = try Thread(name: "joined") { _ = inbox.offer(1) }
    thread.join()
    #expect(inbox.takeAll() == [1])
  }

  @Test func `a thread that nobody joins gives its memory back`() throws {
    /// Address space in KiB: every stack that is still mapped counts, 8 MiB each.
    func mapped() throws -> Int {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmSize:") })
      return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1]))
    }
    let before = try mapped()
    for _ in 0..<400 {
      let ended = try Inbox<Void>(capacity: 1)
      _ = try Thread(name: "dropped") { _ = ended.offer(()) }
      _ = ended.receive(atMost: .patience)
    }
    // 400 leaked stacks would be 3.2 GiB. Other tests run beside this one, so the bound is generous; and a thread that
    // has reported may not have ended yet.
    _ = try poll("the stacks are still there") { try mapped() - before < 2_000_000 ? true : nil }
  }
}

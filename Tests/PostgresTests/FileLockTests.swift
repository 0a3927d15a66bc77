import Postgres
import Reactor
import TestSupport
import Testing

@Suite struct FileLockTests {
  private let directory = TemporaryDirectory.make()

  @Test func `alone means alone, shared means together`() throws {
    defer { TemporaryDirectory.remove(directory) }
    let one = try FileLock(path: "\(directory)/lock")
    let other = try FileLock(path: "\(directory)/lock")
    #expect(one.tryExclusive())
    #expect(!other.tryExclusive() && !other.tryShared())
    one.unlock()
    #expect(one.tryShared() && other.tryShared())
    #expect(!one.tryExclusive())
    other.unlock()
    #expect(one.tryExclusive())
  }

  @Test func `whoever ends without unlocking has unlocked`() throws {
    defer { TemporaryDirectory.remove(directory) }
    let other = try FileLock(path: "\(directory)/lock")
    do {
      let one = try FileLock(path: "\(directory)/lock")
      #expect(one.tryExclusive())
    }
    #expect(other.tryExclusive())
  }

  @Test func `a lock file that cannot be made is an error that names it`() throws {
    TemporaryDirectory.remove(directory)
    let error = try #require(throws: SystemError.self) { _ = try FileLock(path: "\(directory)/lock") }
    #expect(error.subject == "\(directory)/lock")
  }
}

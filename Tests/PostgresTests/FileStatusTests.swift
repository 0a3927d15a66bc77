import Glibc
import Postgres
import TestSupport
import Testing

@Suite struct FileStatusTests {
  @Test func `two spellings of one directory are the same file`() throws {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    let plain = try #require(FileStatus(directory))
    #expect(FileStatus(directory + "/../" + directory.split(separator: "/").last!)?.identity == plain.identity)
    #expect(FileStatus("/")?.identity != plain.identity)
    #expect(plain.isDirectory && plain.owner == geteuid())
    #expect(FileStatus(directory + "/nothing") == nil)
  }

  @Test func `free space is more than nothing and less than an exabyte`() throws {
    let free = try #require(FileStatus.freeBytes(at: "/tmp"))
    #expect(free > 0 && free < 1 << 60)
    #expect(FileStatus.freeBytes(at: "/nonexistent") == nil)
  }
}

import Glibc
import Reactor
import Testing

@Suite struct FileDescriptorTests {
  /// A name for the open file behind a number that survives `close` and reuse of the number by another test.
  private func identity(_ number: Int32) -> UInt64? {
    var status = stat()
    return fstat(number, &status) == 0 ? UInt64(status.st_ino) : nil
  }

  /// Two connected ends. Closed on exec, so that a program another test starts meanwhile does not keep them open.
  private func connectedEnds() throws -> [Int32] {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    return ends
  }

  @Test func `the owner's end closes the descriptor`() throws {
    let ends = try connectedEnds()
    do {
      let writer = FileDescriptor(owning: ends[1])
      #expect(writer.number == ends[1])
    }
    // With the only writer closed, the reader sees the end of the stream.
    let reader = FileDescriptor(owning: ends[0])
    var byte: UInt8 = 0
    #expect(read(reader.number, &byte, 1) == 0)
  }

  @Test func `a released descriptor stays open`() throws {
    let ends = try connectedEnds()
    let inode = identity(ends[0])
    let number = FileDescriptor(owning: ends[0]).release()
    #expect(number == ends[0])
    #expect(identity(number) == inode)
    close(number)
    close(ends[1])
  }

  @Test func `a system error says what failed, on what, and why`() {
    #expect(
      SystemError(code: EADDRINUSE, operation: "bind", subject: "[::1]:80").description
        == "bind [::1]:80: Address already in use")
    #expect(SystemError(code: ENOENT, operation: "open").description == "open: No such file or directory")
  }
}

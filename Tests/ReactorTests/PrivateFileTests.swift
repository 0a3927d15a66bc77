import Foundation
import Glibc
import TestSupport
import Testing

@testable import Reactor

/// Files with keys: complete or not there, and nobody else's to read.
@Suite struct PrivateFileTests {
  private let directory = TemporaryDirectory.make()

  @Test func `is made once, replaced whole, and leaves nothing else behind`() throws {
    defer { TemporaryDirectory.remove(directory) }
    let path = directory + "/master.key"
    #expect(try PrivateFile.create(path, Array("one".utf8)))
    #expect(try !PrivateFile.create(path, Array("two".utf8)))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "one")
    try PrivateFile.replace(path, Array("three".utf8))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "three")
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["master.key"])
    #expect(chmod(path, 0o640) == 0)
    try PrivateFile.replace(path, Array("four".utf8), keepsOwner: true)
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640, "the server's group still reads it")
  }

  /// In a container the process identifier is the same at each start.
  @Test func `what a crash left under this process's identifier is not in the way`() throws {
    defer { TemporaryDirectory.remove(directory) }
    let path = directory + "/master.key"
    TemporaryDirectory.write("\(path).\(getpid())", "half a k")
    #expect(try PrivateFile.create(path, Array("whole".utf8)))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "whole")
  }
}

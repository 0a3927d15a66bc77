import FoundationEssentials
import Glibc
import Reactor
import TestSupport
import Testing

@Suite struct ChildProcessTests {
  private let soon = Duration.patience

  @Test func `a program's output and its end come back`() throws {
    let report = try ChildProcess.run(["sh", "-c", "echo out; echo err >&2; exit 3"], withErrors: true, atMost: soon)
    #expect(report.text == "out\nerr\n")
    #expect(report.ending == .exited(3))
    #expect(!report.succeeded)
    #expect(try ChildProcess.run(["true"], atMost: soon).succeeded)
  }

  @Test func `a lot of output does not block the program`() throws {
    let report = try ChildProcess.run(["head", "-c", "3000000", "/dev/zero"], atMost: soon)
    #expect(report.output.count == 3_000_000)
  }

  @Test func `what it cost is known at the end`() throws {
    let report = try ChildProcess.run(["sh", "-c", "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done"], atMost: soon)
    #expect(report.cost.processorTime > .milliseconds(1))
    #expect(report.cost.processorTime < soon)
    #expect(report.cost.peakMemoryBytes > 100_000)
    var child = try ChildProcess.start(["sleep", "1000"])
    let before = child.cost == nil
    #expect(before)
    _ = child.stop(timeout: soon)
    let after = child.cost != nil
    #expect(after)
  }

  @Test func `arguments arrive as they are`() throws {
    let report = try ChildProcess.run(["printf", "%s|", "two words", "$HOME", "", "메시지"], atMost: soon)
    #expect(report.text == "two words|$HOME||메시지|")
  }

  @Test func `the environment is ours unless another is given`() throws {
    #expect(try ChildProcess.run(["sh", "-c", "test -n \"$PATH\""], atMost: soon).succeeded)
    #expect(try ChildProcess.run(["/usr/bin/env"], environment: ["ONLY=this"], atMost: soon).text == "ONLY=this\n")
  }

  @Test func `a program that is not there is an error that names it`() {
    #expect {
      _ = try ChildProcess.start(["no-such-program-here"])
    } throws: { error in
      guard let error = error as? SystemError else { return false }
      return error.code == ENOENT && error.subject == "no-such-program-here"
    }
  }

  @Test func `a program that takes too long is killed`() throws {
    #expect {
      _ = try ChildProcess.run(["sleep", "1000"], atMost: .milliseconds(20))
    } throws: {
      ($0 as? SystemError)?.code == ETIMEDOUT
    }
  }

  @Test func `a program is killed once its owner is stopped`() throws {
    #expect {
      _ = try ChildProcess.run(["sleep", "1000"], atMost: soon, unless: { true })
    } throws: {
      ($0 as? SystemError)?.code == ECANCELED
    }
  }

  @Test func `waiting gives up in time, and tells the same end twice`() throws {
    var child = try ChildProcess.start(["sleep", "1000"])
    let early = child.wait(atMost: .milliseconds(5))
    #expect(early == nil)
    child.signal(SIGTERM)
    let ending = child.wait(atMost: soon)
    #expect(ending == .killed(signal: SIGTERM))
    let again = child.wait(atMost: .zero)
    #expect(again == ending)
    child.signal(SIGTERM)
  }

  @Test func `stopping asks first, then kills`() throws {
    var polite = try ChildProcess.start(["sleep", "1000"])
    let asked = polite.stop(timeout: soon)
    #expect(asked == .killed(signal: SIGTERM))
    // Says when it has begun to ignore the signal, else it might be hit before.
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    let reader = FileDescriptor(owning: ends[0])
    let writer = FileDescriptor(owning: ends[1])
    var stubborn = try ChildProcess.start(
      ["sh", "-c", "trap '' TERM; echo ready; exec sleep 1000"], output: .descriptor(writer.number))
    var byte: UInt8 = 0
    #expect(read(reader.number, &byte, 1) == 1)
    let forced = stubborn.stop(timeout: .milliseconds(50))
    #expect(forced == .killed(signal: SIGKILL))
  }

  @Test func `a child that nobody waits for ends with its owner`() throws {
    let identifier: Int32
    do {
      let child = try ChildProcess.start(["sleep", "1000"])
      identifier = child.identifier
      #expect(kill(identifier, 0) == 0)
    }
    // Reaped as well: the process table knows it no more.
    #expect(kill(identifier, 0) == -1)
  }

  @Test func `a child starts with no signal blocked, in a group of its own`() throws {
    let status = try Inbox<String>(capacity: 1)
    let thread = try Thread(name: "blocks") {
      Signals.block()
      _ = status.offer(
        (try? ChildProcess.run(["cat", "/proc/self/status", "/proc/self/stat"], atMost: .patience).text) ?? "")
    }
    thread.join()
    let text = status.takeAll().first ?? ""
    #expect(text.contains("SigBlk:\t0000000000000000"))
    // Of the ignored ones only SIGPIPE is our doing; the C library keeps two of its own.
    let ignored = try #require(text.split(separator: "\n").first { $0.hasPrefix("SigIgn:") }).dropFirst(8)
    #expect(try #require(UInt64(ignored, radix: 16)) & (1 << UInt64(SIGPIPE - 1)) == 0)
    // Fields 1 and 5 of proc(5)'s stat: process and group.
    let fields = try #require(text.split(separator: "\n").last).split(separator: " ")
    #expect(fields[0] == fields[4])
  }

  @Test func `output is appended to a file, or thrown away`() throws {
    var template = Array("/tmp/upmc-child-XXXXXX".utf8CString)
    let directory = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let path = directory + "/log"
    for word in ["one", "two"] {
      var child = try ChildProcess.start(["echo", word], output: .file(path), errors: .discarded)
      let ending = child.wait(atMost: soon)
      #expect(ending == .exited(0))
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "one\ntwo\n")
    var quiet = try ChildProcess.start(
      ["sh", "-c", "echo lost; echo lost >&2"], output: .discarded, errors: .discarded)
    let ending = quiet.wait(atMost: soon)
    #expect(ending == .exited(0))
  }
}

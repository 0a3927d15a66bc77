import Glibc
import Reactor
import TestTier
import Testing

@testable import upmc_benchmark

@Suite(.slow) struct ProgramTests {
  @Test func `a program that ends instead of serving is a failure with its last word`() throws {
    let scratch = try ScratchDirectory()
    // Nobody listens there, and nobody gets it who asks for any port.
    let port: UInt16 = 9
    #expect {
      _ = try Program("nobody", ["sh", "-c", "echo why; exit 1"], port: port, log: scratch.file("log"))
    } throws: {
      "\($0)".contains("nobody ended at once (exited(1)): why")
    }
  }

  @Test func `the processor time of a process counts its children's`() throws {
    // Ticks are 10 ms: wait until the child has burnt a few.
    var child = try ChildProcess.start(["sh", "-c", "sh -c 'while :; do :; done' & while :; do :; done"])
    let tree = ProcessTree(root: child.identifier)
    let deadline = SystemClock().now + .seconds(60)
    while tree.processorSeconds < 0.1, SystemClock().now < deadline { sched_yield() }
    #expect(tree.processorSeconds >= 0.1)
    #expect(tree.residentBytes > 100_000)
    // The group, because the shell's own child would go on.
    kill(-child.identifier, SIGKILL)
    _ = child.wait(atMost: .seconds(60))
    #expect(tree.processorSeconds == 0)
  }

  @Test func `a directory for scratch is gone with its owner`() throws {
    let path: String
    do {
      let scratch = try ScratchDirectory()
      path = try scratch.write("text", to: "file")
      #expect(TextFile.lastLine(of: path) == "text")
    }
    #expect(access(path, F_OK) != 0)
  }
}

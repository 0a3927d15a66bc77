import Testing

@testable import Reactor

@Suite struct MemoryLimitTests {
  private static let machine = 16 << 30

  private func find(_ groups: String, _ files: [String: String]) -> Int {
    MemoryLimit.find(physical: Self.machine, groups: groups) { files[$0] }
  }

  @Test func `without a limit it is the machine's`() {
    #expect(find("", [:]) == Self.machine)
    #expect(find("0::/user.slice\n", ["/sys/fs/cgroup/user.slice/memory.max": "max\n"]) == Self.machine)
    #expect(
      find("4:memory:/\n", ["/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"]) == Self.machine)
  }

  @Test func `the smallest limit of all groups around counts`() {
    let files = [
      "/sys/fs/cgroup/system.slice/upmc.service/memory.max": "max\n",
      "/sys/fs/cgroup/system.slice/memory.max": "805306368\n",
      "/sys/fs/cgroup/memory.max": "1073741824\n",
    ]
    #expect(find("0::/system.slice/upmc.service\n", files) == 768 << 20)
  }

  @Test func `a container sees its limit at the root, whatever the host calls it`() {
    #expect(find("0::/../../docker/abc\n", ["/sys/fs/cgroup/memory.max": "805306368\n"]) == 768 << 20)
    let old = ["/sys/fs/cgroup/memory/memory.limit_in_bytes": "805306368\n"]
    #expect(find("5:cpu,cpuacct:/x\n4:memory:/docker/abc\n", old) == 768 << 20)
  }

  @Test func `what cannot be read is no limit`() {
    for text in ["", "\n", "none", "0\n", "99999999999999999999999\n"] {
      #expect(find("0::/\n", ["/sys/fs/cgroup/memory.max": text]) == Self.machine, "\(text)")
    }
    #expect(find("nonsense\n::\n0:", ["/sys/fs/cgroup/memory.max": "5"]) == Self.machine)
  }

  @Test func `this process has some`() {
    #expect(MemoryLimit.bytes > 64 << 20)
  }
}

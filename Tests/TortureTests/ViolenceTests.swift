import Simulator
import Testing

@testable import upmc_torture

@Suite struct `Violence by seed` {
  private func plan(seed: UInt64, nodes: Int = 2, only: Set<String> = []) -> Plan {
    Plan(
      violence: .seconds(60), seed: seed, devices: 500, nodes: nodes, only: only, life: 60, isCalm: false, keeps: false)
  }

  private func script(_ plan: Plan) -> [String] {
    var violence = Violence(plan)
    return (0..<200).map { _ in String(describing: violence.next()) }
  }

  @Test func `a seed decides everything that happens`() {
    #expect(script(plan(seed: 7)) == script(plan(seed: 7)))
    #expect(script(plan(seed: 7)) != script(plan(seed: 8)))
  }

  @Test func `of one node only that one is applied, and only as asked`() {
    let acts = script(plan(seed: 1, nodes: 1, only: ["kill-server"]))
    #expect(acts.allSatisfy { $0.contains("kill([0]") })
  }

  @Test func `what takes long is left out of a short run, unless it is asked for`() {
    let long = [
      "wrong-clock", "backup", "lock-table", "slow-database", "vanish-host", "read-only", "no-connections",
      "hang-session",
    ]
    var short = plan(seed: 1)
    #expect(Violence.kinds(of: short).isDisjoint(with: long))
    short = plan(seed: 1, only: Set(long))
    #expect(Violence.kinds(of: short) == Set(long) && short.shiftsClocks)
    // A machine that vanishes leaves nobody when it is the only one.
    #expect(!Violence.kinds(of: plan(seed: 1, nodes: 1, only: Set(long))).contains("vanish-host"))
    let done = script(short)
    let acts = [
      "shiftClock", "backUp", "lockTable", "slowDatabase", "vanish", "forbidWrites", "useUpConnections", "hangSession",
    ]
    for act in acts {
      #expect(done.contains { $0.contains(act) }, "\(act)")
    }
  }

  @Test func `a disk that others need is never filled`() {
    let plan = plan(seed: 1, only: ["kill-server", "fill-disk"])
    #expect(!plan.fillsDisk && script(plan).allSatisfy { !$0.contains("fillDisk") })
    #expect(Disk("/no/such/directory") == nil)
  }

  @Test func `every fault that it can think of is one that the simulator has`() throws {
    var dice = SplitMix64(seed: 5)
    let menus = [
      FaultMenu.answers, FaultMenu.streams, FaultMenu.goAways, FaultMenu.connections, FaultMenu.tokens,
      FaultMenu.credentials, FaultMenu.throttles,
    ]
    var kinds: Set<Fault.Kind> = []
    for _ in 0..<400 {
      for menu in menus {
        let (name, faults) = menu(&dice)
        #expect(!name.isEmpty && !faults.isEmpty)
        for fault in faults {
          _ = try fault.effect()
          kinds.insert(fault.kind)
        }
      }
    }
    #expect(kinds == Set(Fault.Kind.allCases))
  }

  @Test func `refused tokens are only those of devices that are there for it`() {
    var dice = SplitMix64(seed: 5)
    for _ in 0..<50 {
      for fault in FaultMenu.tokens(&dice).faults {
        let role = Role.allCases.first { $0.tokenPrefix == fault.tokenPrefix }
        #expect(role == .goneBefore || role == .goneNow || role == .refused)
      }
    }
  }
}

/// Measures two things alternately (A B A B …), so that other load on the machine affects both.
struct PairedRuns {
  let plan: Plan
  let label: String

  /// - Returns: one entry per pair.
  func measure<Ours, Peers>(
    ours: () throws -> Ours, peer: () throws -> Peers, show: (Ours, Peers) -> String
  ) throws -> [(ours: Ours, peers: Peers)] {
    var pairs: [(ours: Ours, peers: Peers)] = []
    for number in 1...plan.pairs {
      try Interruption.check()
      let mine = try ours()
      try Interruption.check()
      let theirs = try peer()
      pairs.append((mine, theirs))
      plan.say("  \(label), pair \(number) of \(plan.pairs): \(show(mine, theirs))")
    }
    return pairs
  }
}

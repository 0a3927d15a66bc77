import Simulator
import Testing

@testable import upmc_torture

@Suite struct `Cast of a run` {
  @Test func `a token tells whose it is and which of its tokens`() throws {
    let cast = Cast(count: 500, seed: 9)
    #expect(cast.devices.count == 500)
    var seen: Set<String> = []
    for number in [0, 1, 80, 499] {
      for generation in [0, 1, 700] {
        let text = cast.token(number, generation: generation)
        let token = try #require(DeviceToken(text))
        #expect(Cast.owner(of: token) == (number, generation))
        #expect(text.count == 64 && text.hasPrefix(cast.devices[number].role.tokenPrefix))
        #expect(seen.insert(text).inserted)
      }
    }
    #expect(cast.token(3, generation: 2) == cast.token(3, generation: 2))
  }

  @Test func `every role is played, and users have one or two devices`() {
    let cast = Cast(count: 500, seed: 9)
    for role in Role.allCases { #expect(!cast.numbers(role).isEmpty) }
    let sizes = Dictionary(grouping: cast.devices.compactMap(\.user)) { $0 }.values.map(\.count)
    #expect(Set(sizes) == [1, 2])
    #expect(cast.devices.contains { $0.user == nil })
  }
}

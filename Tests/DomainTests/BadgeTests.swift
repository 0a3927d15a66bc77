import Testing

@testable import Domain

@Suite struct BadgeTests {
  @Test(
    arguments: [
      (BadgeOption.keep, 3, 2), (.keep, 1, 0), (.keep, 0, 0), (.reset, 7, 0), (.reset, 0, 0), (.update(10), 3, 10),
      (.update(1), 1000, 1), (.force(1000), 0, 1000), (.force(1), 5, 1),
    ] as [(BadgeOption, Int16, Int16)])
  func `each option leaves this count`(option: BadgeOption, before: Int16, after: Int16) {
    #expect(option.apply(to: before) == after)
  }

  @Test func `only force acts each time`() {
    #expect(!BadgeOption.force(1).actsOncePerMessage)
    for option in [BadgeOption.keep, .reset, .update(1)] { #expect(option.actsOncePerMessage) }
  }

  @Test func `options are stored under numbers of their own`() {
    #expect([BadgeOption.keep, .reset, .update(1), .force(1)].map(\.code) == [0, 1, 2, 3])
  }

  @Test(
    arguments: [
      (1, 0, 1), (1, 1000, 1000), (1000, 1000, 1000), (5, 999, 1000), (1000, 0, 1000),
    ] as [(Int16, Int16, Int16)])
  func `a count never passes 1000`(increment: Int16, before: Int16, after: Int16) {
    #expect(BadgeCount.add(increment, to: before) == after)
  }

  @Test func `asking for nothing moves nothing`() {
    #expect(!BadgeRequest.none.movesCount)
    for request in [BadgeRequest.increment(1), .set(1), .clear] { #expect(request.movesCount) }
  }
}

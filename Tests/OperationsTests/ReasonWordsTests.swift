import Domain
import Testing

@testable import Operations

/// People read reasons in words, not the codes that the database stores.
@Suite struct ReasonWordsTests {
  @Test(arguments: SkipReason.allCases)
  func `each reason for which nothing was sent is said in words`(reason: SkipReason) {
    #expect(ReasonWords.table[reason.rawValue] != nil)
  }
}

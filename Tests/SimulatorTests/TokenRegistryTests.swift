import Testing

@testable import Simulator

@Suite struct `Token registry` {
  @Test func `a hundred thousand tokens of all lengths are told apart`() throws {
    var registry = TokenRegistry()
    var dice = SplitMix64(seed: 3)
    var tokens: [DeviceToken] = []
    for number in 0..<100_000 {
      let text = String(dice.next(), radix: 16) + String(dice.next(), radix: 16)
      let even = text.count.isMultiple(of: 2) ? text : text + "0"
      let token = try #require(DeviceToken(number.isMultiple(of: 10) ? String(repeating: even, count: 3) : even))
      tokens.append(token)
      registry.register(token, environment: number.isMultiple(of: 2) ? .production : .sandbox, topic: "com.a")
    }
    #expect(registry.count == 100_000)
    for (number, token) in tokens.enumerated() {
      #expect(registry.index(of: token) == number)
      #expect(registry.token(at: number).description == token.description)
    }
  }

  @Test func `tokens that differ only in length are different`() throws {
    var registry = TokenRegistry()
    let texts = ["00", "0000", String(repeating: "0", count: 64), String(repeating: "0", count: 66)]
    for text in texts { registry.register(try #require(DeviceToken(text)), environment: .sandbox) }
    #expect(registry.count == 4)
    for (number, text) in texts.enumerated() { #expect(registry.token(at: number).description == text) }
  }

  @Test func `registering again changes a token and keeps its number`() throws {
    var registry = TokenRegistry()
    let token = try #require(DeviceToken("abcd"))
    let first = registry.register(token, environment: .sandbox, topic: "com.a", state: .expired(since: 4))
    let second = registry.register(token, environment: .production, topic: "com.b")
    #expect(first == second)
    #expect(registry.state(of: first) == .active)
    #expect(registry.topic(of: first) == Array("com.b".utf8))
    #expect(registry.find(token, in: .sandbox) == nil)
    #expect(registry.find(token, in: .production) == first)
  }

  @Test func `a token written in digits comes back in lower case`() throws {
    #expect(try #require(DeviceToken("0A1b2C")).description == "0a1b2c")
  }
}

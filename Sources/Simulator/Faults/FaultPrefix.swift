/// Device tokens that request a fault for themselves: `fa17fa17`, four digits that select the fault, and any further
/// digits.
///
/// A test needs no control connection for them: it registers a device with such a token and sends to it. The mark has
/// eight digits, because a shorter one would occur by chance among millions of random tokens.
///
/// | digits | fault |
/// | --- | --- |
/// | `4000` `4001` | BadDeviceToken, DeviceTokenNotForTopic |
/// | `4030`…`4037` | the 403s in the order of `forbidden` below |
/// | `4100` `4101` | Unregistered, ExpiredToken, invalid since a second ago |
/// | `4102` `4103` | the same, invalid since a year ago |
/// | `4290` `4291` | TooManyRequests, TooManyProviderTokenUpdates |
/// | `5000` `5030` `5031` `5032` | InternalServerError, ServiceUnavailable, Shutdown, ServiceUnavailable with Retry-After: 1 |
/// | `e0NN` | accepted after NN · 10 ms (NN hexadecimal) |
/// | `e1xx` | never answered |
/// | `e2xx` `e3xx` | RST_STREAM 7; RST_STREAM 7 and then 5 |
/// | `e4xx` | GOAWAY; open streams are answered |
/// | `e5NN` | NN answers (hexadecimal) are held back and sent in reverse order |
/// | `e6xx` | the stream limit drops to 1 for a second |
/// | `e7xx` | TCP reset |
/// | `e8xx` | RST_STREAM 8 (CANCEL), which leaves open whether the push was processed |
package enum FaultPrefix {
  static let mark: UInt64 = 0xFA17_FA17

  /// The 403 reasons selected by `4030`…`4037`.
  static let forbidden: [Reason] = [
    .invalidProviderToken, .expiredProviderToken, .forbidden, .missingProviderToken, .unrelatedKeyIDInToken,
    .badEnvironmentKeyIDInToken, .badCertificate, .badCertificateEnvironment,
  ]

  static func effect(of token: DeviceToken) -> Effect? {
    guard token.words.0 >> 32 == mark else { return nil }
    let code = Int(token.words.0 >> 16 & 0xFFFF)
    return code >= 0xE000 ? behaviour(code >> 8 & 0x0F, parameter: code & 0xFF) : refusal(code).map { .answer($0) }
  }

  private static func refusal(_ code: Int) -> Effect.Answer? {
    switch code {
    case 0x4000: .init(.badDeviceToken)
    case 0x4001: .init(.deviceTokenNotForTopic)
    case 0x4030...0x4037: .init(forbidden[code - 0x4030])
    case 0x4100: .init(.unregistered, age: .seconds(1))
    case 0x4101: .init(.expiredToken, age: .seconds(1))
    case 0x4102: .init(.unregistered, age: .seconds(365 * 86_400))
    case 0x4103: .init(.expiredToken, age: .seconds(365 * 86_400))
    case 0x4290: .init(.tooManyRequests)
    case 0x4291: .init(.tooManyProviderTokenUpdates)
    case 0x5000: .init(.internalServerError)
    case 0x5030: .init(.serviceUnavailable)
    case 0x5031: .init(.shutdown)
    case 0x5032: .init(.serviceUnavailable, retryAfterSeconds: 1)
    default: nil
    }
  }

  private static func behaviour(_ family: Int, parameter: Int) -> Effect? {
    switch family {
    case 0: .slow(.milliseconds(parameter * 10))
    case 1: .silence
    case 2: .reset(code: 7, thenClosed: false)
    case 3: .reset(code: 7, thenClosed: true)
    case 4: .goAway(.init())
    case 5: .reorder(max(2, parameter))
    case 6: .collapse(limit: 1, lasting: .seconds(1))
    case 7: .cut(.reset)
    case 8: .reset(code: 8, thenClosed: false)
    default: nil
    }
  }
}

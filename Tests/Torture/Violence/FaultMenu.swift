import Simulator

/// The ways in which the network misbehaves, chosen by the dice. Covers every fault of the simulator.
enum FaultMenu {
  typealias Dish = (name: String, faults: [Fault])

  /// Refusals, slow, missing and odd responses.
  static func answers(_ dice: inout SplitMix64) -> Dish {
    switch dice.next() % 11 {
    case 0: answer("InternalServerError", &dice)
    case 1: answer("ServiceUnavailable", &dice, retryAfter: 1)
    case 2: answer("ServiceUnavailable", &dice)
    case 3: answer("Shutdown", &dice)
    case 4: answer("TooManyRequests", &dice, retryAfter: 1)
    case 5: answer("ExpiredProviderToken", &dice, often: 0.01)
    case 6: named("slow", make(.slow) { $0.milliseconds = Int(100 + dice.next() % 3000) })
    case 7: named("silence", make(.silence) { ($0.probability, $0.times) = (0.05, 300) })
    case 8: named("reorder", make(.reorder) { $0.count = Int(2 + dice.next() % 60) })
    case 9:
      named("unknown reason", make(.answer) { ($0.reason, $0.status, $0.probability) = ("NewTrouble", 599, 0.1) })
    default: shape(&dice)
    }
  }

  private static func shape(_ dice: inout SplitMix64) -> Dish {
    let forms = Effect.Shape.allCases
    let form = forms[Int(dice.next() % UInt64(forms.count))].rawValue
    return named("answer \(form)", make(.shape) { ($0.form, $0.probability) = (form, 0.3) })
  }

  private static func answer(
    _ reason: String, _ dice: inout SplitMix64, retryAfter: Int? = nil, often: Double? = nil
  ) -> Dish {
    let probability = often ?? [0.05, 0.5, 1][Int(dice.next() % 3)]
    return named(
      "\(reason) \(Int(probability * 100)) %",
      make(.answer) { ($0.reason, $0.retryAfterSeconds, $0.probability) = (reason, retryAfter, probability) })
  }

  /// RST_STREAM of each class, and stream limits.
  static func streams(_ dice: inout SplitMix64) -> Dish {
    let often = [0.01, 0.2][Int(dice.next() % 2)]
    switch dice.next() % 7 {
    case 0: return named("RST_STREAM 7", make(.reset) { ($0.code, $0.probability) = (7, often) })
    case 1: return named("RST_STREAM 7 and 5", make(.reset) { ($0.code, $0.twice, $0.probability) = (7, true, often) })
    case 2: return named("RST_STREAM 8", make(.reset) { ($0.code, $0.probability) = (8, often) })
    case 3: return named("RST_STREAM 2", make(.reset) { ($0.code, $0.probability) = (2, often) })
    case 4: return named("RST_STREAM 11", make(.reset) { ($0.code, $0.probability) = (11, often) })
    case 5:
      return named("limit 1 and back", make(.collapse) { ($0.milliseconds, $0.every) = (300, 500) })
    default: return named("limit violation", make(.violation) { ($0.every, $0.times) = (700, 4) })
    }
  }

  static func goAways(_ dice: inout SplitMix64) -> Dish {
    var fault = Fault(.goAway)
    fault.lastStream = Effect.GoAway.LastStream.allCases[Int(dice.next() % 3)].rawValue
    fault.ending =
      Effect.GoAway.Ending.allCases[Int(dice.next() % UInt64(Effect.GoAway.Ending.allCases.count))].rawValue
    fault.code = [0, 0, 7, 11, 2][Int(dice.next() % 5)]
    fault.twice = dice.roll(0.3)
    fault.debugData = ["", #"{"reason":"Shutdown"}"#, "bye"][Int(dice.next() % 3)]
    fault.every = [100, 700, 3000][Int(dice.next() % 3)]
    return named("GOAWAY \(fault.code ?? 0) \(fault.lastStream ?? "") \(fault.ending ?? "")", fault)
  }

  /// Connections that end midway and new ones that begin badly; open ones are cut so that new ones are made.
  static func connections(_ dice: inout SplitMix64) -> Dish {
    let cut = make(.cut) {
      $0.form = Effect.Cut.allCases[Int(dice.next() % 3)].rawValue
      ($0.every, $0.times) = (400, 6)
    }
    let kinds: [Fault.Kind] = [
      .cut, .refuse, .delayHandshake, .breakHandshake, .wrongHost, .expiredCertificate, .delaySettings,
      .ignoreSettings, .unknownSettings, .withholdWindow,
    ]
    let kind = kinds[Int(dice.next() % UInt64(kinds.count))]
    guard kind != .cut else { return named("cut \(cut.form ?? "")", cut) }
    return (kind.rawValue, [cut, make(kind) { $0.milliseconds = Int(200 + dice.next() % 2500) }])
  }

  /// Tokens that the network rejects: only those of devices with that role.
  static func tokens(_ dice: inout SplitMix64) -> Dish {
    func refuse(_ role: Role, _ reason: String, _ ageSeconds: Double? = nil) -> Fault {
      make(.answer) { ($0.tokenPrefix, $0.reason, $0.ageSeconds) = (role.tokenPrefix, reason, ageSeconds) }
    }
    let year: Double = 365 * 86_400
    let bad = ["BadDeviceToken", "DeviceTokenNotForTopic"][Int(dice.next() % 2)]
    return (
      "410 and \(bad)",
      [
        refuse(.goneBefore, ["Unregistered", "ExpiredToken"][Int(dice.next() % 2)], year),
        refuse(.goneNow, ["Unregistered", "ExpiredToken"][Int(dice.next() % 2)], 0),
        refuse(.refused, bad),
      ]
    )
  }

  /// The network complains that the provider token changed too often.
  static func throttles(_ dice: inout SplitMix64) -> Dish {
    named(
      "TooManyProviderTokenUpdates",
      make(.answer) { ($0.reason, $0.probability, $0.times) = ("TooManyProviderTokenUpdates", 0.01, 1) })
  }

  /// The network refuses the app's credential: the app is blocked until an operator supplies it again.
  static func credentials(_ dice: inout SplitMix64) -> Dish {
    let reasons = [
      "InvalidProviderToken", "Forbidden", "MissingProviderToken", "BadEnvironmentKeyIdInToken",
      "UnrelatedKeyIdInToken", "BadCertificate",
    ]
    let reason = reasons[Int(dice.next() % UInt64(reasons.count))]
    return named(reason, make(.answer) { ($0.reason, $0.probability, $0.times) = (reason, 0.05, 20) })
  }

  private static func named(_ name: String, _ fault: Fault) -> Dish { (name, [fault]) }

  private static func make(_ kind: Fault.Kind, _ change: (inout Fault) -> Void = { _ in }) -> Fault {
    var fault = Fault(kind)
    change(&fault)
    return fault
  }
}

internal import Reactor

/// The judges of the steps. Each returns the faults in the requests that a client sent during the step.
extension ClientExpectations {
  // MARK: Judges

  typealias Judge = @Sendable ([ExpectedRequest], ExpectationFacts) -> [ClientFault]

  static let registration: Judge = { requests, facts in
    guard let first = requests.first(where: \.isRegistration) else { return [.registrationMissing] }
    var faults: [ClientFault] = []
    if first.key != facts.clientKey { faults.append(.registrationKey) }
    let isWhole =
      first.isJSON && first.body.appId == facts.appID && first.body.psid?.lowercased() == firstToken
      && first.body.deviceId?.isEmpty == false
    // The user may follow in a separate request.
    let named = requests.filter { $0.body.clientUid == "kim01" }
    if !isWhole || named.isEmpty { faults.append(.registrationIncomplete) }
    if !named.contains(where: { $0.body.userProof == proof }) { faults.append(.proofMissing) }
    return faults
  }

  /// Requires exactly one request that names the user, with the proof that the app's server made.
  static let unproved: Judge = { requests, _ in
    let named = requests.filter { $0.body.clientUid == "lee02" }
    guard !named.isEmpty else { return [.userMissing] }
    return (named.allSatisfy { $0.body.userProof == "stale-proof" } ? [] : [.proofMissing])
      + (named.count > 1 ? [.repeatsUnproved] : [])
  }

  static let another: Judge = { requests, facts in
    guard let first = requests.first(where: \.isRegistration) else { return [.registrationMissing] }
    var faults: [ClientFault] = []
    if first.body.deviceId != facts.deviceID { faults.append(.tokenAsAnotherDevice) }
    if first.key != facts.authKey { faults.append(.tokenWithoutKey) }
    if first.body.psid?.lowercased() != secondToken { faults.append(.registrationIncomplete) }
    return faults
  }

  /// Returns a judge that requires a correct receipt for each of these messages.
  static func receipts(
    _ seqnos: ClosedRange<Int>, _ token: String, _ missing: ClientFault = .receiptMissing
  ) -> Judge {
    { requests, _ in
      let calls = requests.filter { $0.path == "/v1/receipts" }
      var faults = common(calls)
      let entries = calls.flatMap { $0.confirmations ?? [] }
      let came = Set(entries.compactMap { $0.seqno.flatMap { Int($0) } })
      if !came.isSuperset(of: seqnos) { faults.append(missing) }
      let isRight = entries.filter { $0.seqno.flatMap { Int($0) }.map(seqnos.contains) == true }.allSatisfy {
        $0.pushkey == $0.seqno.flatMap { Int($0) }.map(pushkey) && $0.psid?.lowercased() == token
      }
      if !isRight { faults.append(.receiptWrong) }
      return faults
    }
  }

  static func read(_ seqno: Int, _ token: String, _ options: [String?], _ badge: Int?) -> Judge {
    { requests, _ in
      let calls = requests.filter { $0.path == "/v1/reads" }
      let entries = calls.flatMap { $0.confirmations ?? [] }
      guard let entry = entries.first(where: { $0.seqno == String(seqno) }) else { return [.readMissing] }
      let isRight =
        entry.pushkey == pushkey(seqno) && entry.psid?.lowercased() == token && options.contains(entry.badgeOption)
        && entry.badge == badge
      return common(calls) + (isRight ? [] : [.readWrong])
    }
  }

  static func common(_ calls: [ExpectedRequest]) -> [ClientFault] {
    var faults: [ClientFault] = []
    if calls.contains(where: { $0.key != nil }) { faults.append(.receiptWithKey) }
    if calls.contains(where: { ($0.confirmations?.count ?? 0) > 100 }) { faults.append(.batchTooLarge) }
    return faults
  }

  /// Requires that the client sends no further confirmations to a busy server before its Retry-After is over. Later
  /// ones are allowed: storing 150 receipts may take a phone longer than that.
  static let patience: Judge = { requests, _ in
    let calls = requests.filter { $0.confirmations != nil }
    let isTooSoon = zip(calls, calls.dropFirst()).contains { earlier, later in
      later.arrivedAt - earlier.arrivedAt < .seconds(Limits.expectedRetryAfterSeconds)
    }
    return common(calls) + (isTooSoon ? [.asksTooSoon] : [])
  }

  /// Returns a judge that reports `fault` if any confirmation was sent.
  static func none(_ fault: ClientFault) -> Judge {
    { requests, _ in requests.contains { $0.confirmations?.isEmpty == false } ? [fault] : [] }
  }

  /// Returns a judge that reports `fault` if any request was sent.
  static func nothing(_ fault: ClientFault) -> Judge {
    { requests, _ in requests.isEmpty ? [] : [fault] }
  }

  static func device(_ method: String, _ path: String, _ fault: ClientFault) -> Judge {
    { requests, facts in
      let isThere = requests.contains {
        $0.method == method && $0.path == "/v1/devices/\(facts.device)\(path)" && $0.key == facts.authKey
      }
      return isThere ? [] : [fault]
    }
  }

  static let redirect: Judge = { requests, _ in
    requests.contains { $0.path == ExpectedRequest.elsewhere } ? [.followsRedirect] : []
  }

  // MARK: Strict apps, consents, inbox

  /// Returns a judge that requires a correct possession request for the push, and no confirmation, because the push
  /// shows nothing.
  static func possession(_ seqno: Int, _ token: String, _ missing: ClientFault) -> Judge {
    { requests, facts in
      let silence = none(.confirmsSilent)(requests, facts)
      let calls = requests.filter(\.isPossession)
      guard let call = calls.first else { return silence + [missing] }
      let isRight =
        call.path == "/v1/devices/\(facts.device)/possession" && call.key == facts.formerKey ?? facts.authKey
        && call.body.seqno == String(seqno) && call.body.pushkey == pushkey(seqno)
        && call.body.psid?.lowercased() == token
      return silence + (isRight ? [] : [.possessionWrong])
    }
  }

  static let lastKey: Judge = { requests, facts in
    let calls = requests.filter { $0.path == "/v1/devices/\(facts.device)/badge" }
    guard !calls.isEmpty else { return [.badgeMissing] }
    return calls.allSatisfy { $0.key == facts.authKey } ? [] : [.keyNotTaken]
  }

  static let consent: Judge = { requests, facts in
    guard
      let call = requests.first(where: { $0.method == "PUT" && $0.path == "/v1/devices/\(facts.device)/consent" }),
      call.key == facts.authKey
    else { return [.consentMissing] }
    let isRight = call.body.notification == true && call.body.ad == false && call.body.nightAd == nil
    return isRight ? [] : [.consentWrong]
  }

  static let inbox: Judge = { requests, facts in
    let pages = requests.filter {
      $0.method == "GET" && $0.path == "/v1/devices/\(facts.device)/inbox" && $0.key == facts.authKey
    }
    guard !pages.isEmpty else { return [.inboxMissing] }
    return pages.contains { $0.isNextPage } ? [] : [.inboxNotWhole]
  }
}

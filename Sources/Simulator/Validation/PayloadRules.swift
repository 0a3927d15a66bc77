/// The body. The real service takes any bytes within the limit; whether they are JSON it does not say.
enum PayloadRules {
  /// - Parameter isStrict: also demand what the device would need, key by key (`PayloadKeys`).
  static func check(_ request: PushRequest, _ pushType: PushType?, isStrict: Bool) -> Rejection? {
    if request.bodyBytes == 0 { return Rejection(.payloadEmpty) }
    let limit = pushType?.payloadLimitBytes ?? Limits.payloadBytes
    if request.bodyBytes > limit { return Rejection(.payloadTooLarge) }
    guard isStrict, !PayloadKeys.isWellFormed(request.withBody { ASCII.array($0) }, pushType) else { return nil }
    return Rejection(.badRequestPayload)
  }
}

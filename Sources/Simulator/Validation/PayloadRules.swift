/// Validates the body. The real service limits its size; whether it requires JSON is undocumented.
enum PayloadRules {
  /// Validates the payload of a request. Returns the first error; nil if it is valid.
  /// - Parameter isStrict: true to also check the keys that the device needs (`PayloadKeys`).
  static func check(_ request: PushRequest, _ pushType: PushType?, isStrict: Bool) -> Rejection? {
    if request.bodyBytes == 0 { return Rejection(.payloadEmpty) }
    let limit = pushType?.payloadLimitBytes ?? Limits.payloadBytes
    if request.bodyBytes > limit { return Rejection(.payloadTooLarge) }
    guard isStrict, !PayloadKeys.isWellFormed(request.withBody { ASCII.array($0) }, pushType) else { return nil }
    return Rejection(.badRequestPayload)
  }
}

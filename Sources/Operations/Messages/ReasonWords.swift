/// Meanings and remedies of failure reasons of APNs, FCM and UPMC, based on the networks' documentation. A reason that
/// is not listed here is shown as it was reported, without advice.
enum ReasonWords {
  struct Entry: Sendable {
    let meaning: Phrase
    let advice: Phrase?

    init(_ english: String, _ korean: String, advice: Phrase? = nil) {
      meaning = Phrase(english, korean)
      self.advice = advice
    }
  }

  static func of(_ reason: String) -> Entry {
    table[reason] ?? Entry("The reason given is %.", "사유: %.")
  }

  static let table: [String: Entry] =
    own.merging(tokens) { first, _ in first }.merging(credentials) { first, _ in first }
    .merging(requests) { first, _ in first }.merging(service) { first, _ in first }

  // MARK: Our own reasons

  private static let own: [String: Entry] = [
    "gone": Entry("The device unregistered, or lost its token, before its turn.", "차례가 되기 전에 단말이 등록을 해지했거나 토큰을 잃었습니다."),
    "rebound": Entry(
      "The device belongs to another user now.", "단말이 지금은 다른 사용자에게 연결되어 있습니다."),
    "unknown-not-resent": Entry(
      "The network's answer was lost, and the message asked not to send twice.",
      "푸시 서버의 응답을 받지 못했고, 중복 발송을 하지 않도록 요청된 메시지입니다.",
      advice: Phrase(
        "It may have arrived. Use onUnknown \"resend\" where a duplicate is better than a gap.",
        "도착했을 수도 있습니다. 누락보다 중복이 나은 메시지라면 onUnknown을 \"resend\"로 보내세요.")),
    "quarantine": Entry(
      "Its token was refused before, so the device is in quarantine.", "이전에 토큰이 거부되어 발송에서 제외된 단말입니다.",
      advice: Phrase(
        "It comes back when the app registers again; or release it in the quarantine list.",
        "앱이 다시 등록하면 자동으로 해제되며, 발송 제외 단말 목록에서 직접 해제할 수도 있습니다.")),
    "no-provider": Entry(
      "The app has no credential for this device's push network.", "이 단말의 푸시 서버에 대한 인증 정보가 앱에 없습니다.",
      advice: Phrase("Add the credential of the app.", "앱의 인증 정보를 등록하세요.")),
    "no-token": Entry(
      "The device has registered no token for messages of this kind.", "이 종류의 메시지를 받을 토큰이 단말에 등록되어 있지 않습니다.",
      advice: Phrase(
        "The app registers it when it needs it, for example when an activity begins.",
        "앱이 필요할 때 등록합니다. 예: 실시간 현황을 시작할 때.")),
    "consent": Entry(
      "The user has not consented to messages of this kind.", "사용자가 이런 종류의 메시지 수신에 동의하지 않았습니다.",
      advice: Phrase("Respect it; the app can ask again.", "동의를 존중해야 하며, 앱에서 다시 동의를 받을 수 있습니다.")),
    "unproved": Entry(
      "The message is confidential, and nobody has vouched for the user of this device.",
      "기밀 메시지이며, 이 단말의 사용자가 확인되지 않았습니다.",
      advice: Phrase(
        "It gets the next one after the app's server has vouched for the user (a proof or a voucher at log-in).",
        "앱 서버가 로그인 시 증명(userProof)이나 바우처로 사용자를 확인하면 다음 메시지부터 받습니다.")),
    "cancelled": Entry("An operator cancelled the message.", "운영자가 메시지를 취소했습니다."),
    "expired": Entry(
      "Its time to live (expiresIn) was over.", "유효 기간(expiresIn)이 지났습니다.",
      advice: Phrase("Give it longer, or send faster.", "유효 기간을 늘리거나 발송 속도를 높이세요.")),
    "late": Entry(
      "Its time was more than 60 minutes ago before anything of it could be sent.",
      "예약 시각에서 60분이 넘도록 발송을 시작하지 못했습니다.",
      advice: Phrase(
        "Resend it to \"failed\" if it is still worth something.", "아직 유효한 내용이라면 \"failed\" 대상으로 재발송하세요.")),
    "paused": Entry("The message is paused.", "메시지가 일시 정지되었습니다."),
    "AppPaused": Entry("The app is paused.", "앱의 발송이 정지되었습니다."),
    "window": Entry("The send window of the day is closed.", "발송 허용 시간대가 아닙니다."),
    "local-time": Entry(
      "The message's local time has not come where the device is.", "단말의 시간대에서는 아직 발송 시각이 되지 않았습니다."),
    "night": Entry(
      "It is an ad, and night where the device is.", "광고 메시지이며 단말의 현재 시각이 야간입니다."),
    "NotProcessed": Entry(
      "The push network was away, or the connection ended before it processed the push; it is tried again by itself.",
      "푸시 서버에 연결되지 않았거나, 처리하기 전에 연결이 끝났습니다. 자동으로 다시 시도합니다."),
  ]

  // MARK: Token errors

  private static let register = Phrase(
    "Nothing: it gets messages again when the app registers.", "조치가 필요 없습니다. 앱이 다시 등록하면 메시지를 받습니다.")

  private static let tokens: [String: Entry] = [
    "BadDeviceToken": Entry(
      "The token is not one of this environment or this app (both hosts were asked).",
      "이 환경 또는 이 앱의 토큰이 아닙니다(두 서버에 모두 확인했습니다).",
      advice: Phrase(
        "Check that the app registers the environment it was built for: development builds are sandbox, App Store and TestFlight are production.",
        "앱이 빌드에 맞는 환경으로 등록하는지 확인하세요. 개발 빌드는 sandbox, App Store와 TestFlight는 production입니다.")),
    "Unregistered": Entry("The app was removed from the device.", "단말에서 앱이 삭제되었습니다.", advice: register),
    "ExpiredToken": Entry("The token has expired.", "토큰이 만료되었습니다.", advice: register),
    "DeviceTokenNotForTopic": Entry(
      "The token belongs to another app.", "다른 앱의 토큰입니다.",
      advice: Phrase("Check that APP_ID is the app's bundle identifier.", "APP_ID가 앱의 번들 ID와 같은지 확인하세요.")),
    "MissingDeviceToken": Entry("The token was missing.", "토큰이 없습니다."),
    "UNREGISTERED": Entry(
      "The app was removed, or its token is dead.", "앱이 삭제되었거나 토큰이 더 이상 유효하지 않습니다.", advice: register),
    "SENDER_ID_MISMATCH": Entry(
      "The token belongs to another Firebase project.", "다른 Firebase 프로젝트의 토큰입니다.",
      advice: Phrase(
        "Check that the service account is of the project that the app was built with.",
        "서비스 계정이 앱을 빌드한 프로젝트의 것인지 확인하세요.")),
  ]

  // MARK: Credential errors

  private static let renew = Phrase(
    "Check the key, its key id and its team id, and set the credential again.",
    "키, 키 ID, 팀 ID를 확인하고 인증 정보를 다시 등록하세요.")

  private static let credentials: [String: Entry] = [
    "InvalidProviderToken": Entry("The key is not valid.", "키가 유효하지 않습니다.", advice: renew),
    "ExpiredProviderToken": Entry(
      "The provider token was too old.", "인증 토큰이 만료되었습니다.",
      advice: Phrase("Check the server's clock.", "서버의 시계를 확인하세요.")),
    "MissingProviderToken": Entry("No credential was sent.", "인증 정보가 전송되지 않았습니다.", advice: renew),
    "Forbidden": Entry("The credential does not allow it.", "인증 정보의 권한이 없습니다.", advice: renew),
    "TopicDisallowed": Entry("The credential is not for this app.", "이 앱에 대한 인증 정보가 아닙니다.", advice: renew),
    "BadCertificate": Entry("The certificate is bad.", "인증서가 잘못되었습니다.", advice: renew),
    "BadCertificateEnvironment": Entry(
      "The certificate is for the other environment.", "다른 환경의 인증서입니다.", advice: renew),
    "BadEnvironmentKeyIdInToken": Entry("The key is for the other environment.", "다른 환경의 키입니다.", advice: renew),
    "BadEnvironmentKeyInToken": Entry("The key is for the other environment.", "다른 환경의 키입니다.", advice: renew),
    "UnrelatedKeyIdInToken": Entry("The key belongs to another team.", "다른 팀의 키입니다.", advice: renew),
    "TooManyProviderTokenUpdates": Entry("The provider token changed too often.", "인증 토큰이 너무 자주 바뀌었습니다."),
    "THIRD_PARTY_AUTH_ERROR": Entry(
      "Firebase could not open APNs for this device.", "Firebase가 이 단말의 APNs에 접속하지 못했습니다.",
      advice: Phrase(
        "Set the APNs key in the Firebase project.", "Firebase 프로젝트에 APNs 키를 등록하세요.")),
  ]

  // MARK: Request errors

  private static let report = Phrase("Check the content of the message.", "메시지 내용을 확인하세요.")

  private static let requests: [String: Entry] = [
    "PayloadTooLarge": Entry("The payload was too large.", "페이로드가 너무 큽니다.", advice: report),
    "PayloadEmpty": Entry("The payload was empty.", "페이로드가 비어 있습니다.", advice: report),
    "BadTopic": Entry("The topic is not valid.", "토픽이 올바르지 않습니다.", advice: report),
    "MissingTopic": Entry("The topic was missing.", "토픽이 없습니다.", advice: report),
    "BadCollapseId": Entry("The collapse id is too long.", "collapse id가 너무 깁니다.", advice: report),
    "BadExpirationDate": Entry("The expiration is not valid.", "만료 시각이 올바르지 않습니다.", advice: report),
    "BadMessageId": Entry("The id is not valid.", "ID가 올바르지 않습니다.", advice: report),
    "BadPriority": Entry("The priority is not valid.", "우선순위가 올바르지 않습니다.", advice: report),
    "InvalidPushType": Entry("The push type is not valid.", "푸시 종류가 올바르지 않습니다.", advice: report),
    "DuplicateHeaders": Entry("A header was sent twice.", "헤더가 중복되었습니다.", advice: report),
    "BadPath": Entry("The request was malformed.", "요청 형식이 올바르지 않습니다.", advice: report),
    "MethodNotAllowed": Entry("The request was malformed.", "요청 형식이 올바르지 않습니다.", advice: report),
    "INVALID_ARGUMENT": Entry("The request or the token was malformed.", "요청이나 토큰의 형식이 올바르지 않습니다.", advice: report),
  ]

  // MARK: Service errors

  private static let waits = Phrase("Nothing: it is tried again by itself.", "조치가 필요 없습니다. 자동으로 다시 시도합니다.")

  private static let service: [String: Entry] = [
    "TooManyRequests": Entry("This device got too much in a short time.", "이 단말로 짧은 시간에 너무 많이 발송했습니다.", advice: waits),
    "InternalServerError": Entry("The push network had an internal error.", "푸시 서버 내부 오류입니다.", advice: waits),
    "ServiceUnavailable": Entry("The push network was not available.", "푸시 서버를 사용할 수 없습니다.", advice: waits),
    "Shutdown": Entry("The push network's server was shutting down.", "푸시 서버가 종료 중이었습니다.", advice: waits),
    "IdleTimeout": Entry("The connection was idle for too long.", "연결이 오래 사용되지 않았습니다.", advice: waits),
    "QUOTA_EXCEEDED": Entry("The project's quota was exceeded.", "프로젝트의 할당량을 초과했습니다.", advice: waits),
    "UNAVAILABLE": Entry("FCM was not available.", "FCM을 사용할 수 없습니다.", advice: waits),
    "INTERNAL": Entry("FCM had an internal error.", "FCM 내부 오류입니다.", advice: waits),
    "UNSPECIFIED_ERROR": Entry("FCM gave no reason.", "FCM이 사유를 알리지 않았습니다.", advice: waits),
  ]
}

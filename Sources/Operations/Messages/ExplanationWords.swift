internal import Domain

/// The sentences of explanations, in English and Korean: one per step, with advice where something can be done.
package enum ExplanationWords {
  /// Push network and environment of a device.
  package struct Place: Equatable, Sendable {
    let network: PushNetwork
    let environment: PushEnvironment

    var name: String { network == .apns ? "APNs (\(environment.name))" : "FCM" }
  }

  /// Returns the text of a step: its sentence and, if the step has a reason, what the reason means. Also returns the
  /// advice for the reason, or else for the step; nil if there is none.
  /// - Parameter place: network and environment of the step's device; nil if unknown, so that a dash replaces its name.
  package static func of(
    _ step: ExplanationService.Step, on place: Place?, in language: Phrase.Language
  ) -> (text: String, advice: String?) {
    let reason = step.reason.map { ReasonWords.of($0) }
    let why = reason.map { " " + $0.meaning.text(language, step.reason ?? "") } ?? ""
    let text = sentence(step, place).text(language, value(step, place)) + why
    let advice = reason?.advice ?? advice(step)
    return (text, advice?.text(language))
  }

  private static func value(_ step: ExplanationService.Step, _ place: Place?) -> String {
    switch step.code {
    case .accepted, .rejected: place?.name ?? "–"
    default: step.value ?? ""
    }
  }

  private static func sentence(_ step: ExplanationService.Step, _ place: Place?) -> Phrase {
    switch step.code {
    case .requested:
      step.value.map { _ in Phrase("The message was requested with the API key \"%\".", "API 키 \"%\"로 발송이 요청되었습니다.") }
        ?? Phrase("The message was requested.", "발송이 요청되었습니다.")
    case .scheduled: Phrase("It is reserved for this time.", "이 시각으로 예약되었습니다.")
    case .waitingToBePlanned: Phrase("Its audience has not been determined yet.", "아직 발송 대상이 확정되지 않았습니다.")
    case .frozen:
      step.value.map { _ in Phrase("The audience was frozen: % devices.", "발송 대상이 확정되었습니다: 단말 %대.") }
        ?? Phrase("The audience was frozen.", "발송 대상이 확정되었습니다.")
    case .messagePaused: Phrase("The message is paused. %", "메시지가 일시 정지되었습니다. %")
    case .appPaused: Phrase("Sending for the whole app is paused: %", "앱 전체의 발송이 정지되었습니다: %")
    case .unknownUser: Phrase("The app knows no such user.", "앱에 등록되지 않은 사용자입니다.")
    case .noDevice: Phrase("The user has no registered device.", "사용자에게 등록된 단말이 없습니다.")
    case .joinedLater:
      Phrase(
        "This device came to the user after the audience was frozen, so it does not get the message.",
        "발송 대상이 확정된 뒤에 사용자에게 연결된 단말이므로 이 메시지를 받지 않습니다.")
    case .notYet: Phrase("It is not this device's turn yet.", "아직 이 단말의 차례가 아닙니다.")
    case .notInAudience: Phrase("This device was not in the audience.", "이 단말은 발송 대상이 아니었습니다.")
    case .underWay: Phrase("It is on its way to this device at this moment.", "지금 이 단말로 발송되는 중입니다.")
    case .accepted: Phrase("% accepted it for this device.", "%가 이 단말로의 발송을 수락했습니다.")
    case .rejected: Phrase("% refused it for this device.", "%가 이 단말로의 발송을 거부했습니다.")
    case .expired: Phrase("It expired before it could be delivered.", "전달되기 전에 유효 기간이 지났습니다.")
    case .cancelled: Phrase("The message was cancelled before it went to this device.", "이 단말로 발송되기 전에 취소되었습니다.")
    case .skipped: Phrase("It was not sent to this device.", "이 단말로는 발송하지 않았습니다.")
    case .waitsForRetry: Phrase("It waits and is tried again at this time.", "대기 중이며 이 시각에 다시 시도합니다.")
    case .triedAgain: Phrase("It took % attempts so far.", "지금까지 %번 시도했습니다.")
    case .received: Phrase("The device confirmed that it arrived.", "단말이 수신을 확인했습니다.")
    case .read: Phrase("The user opened it.", "사용자가 메시지를 읽었습니다.")
    case .badgeAdded: Phrase("The user's badge count grew by %.", "사용자의 배지 수가 % 늘었습니다.")
    case .badgeTakenBack:
      Phrase(
        "Every delivery failed, so the badge count was taken back by %.", "모든 단말에 전달되지 못해 배지 수를 % 되돌렸습니다.")
    case .badgeRead: Phrase("Reading it changed the badge count (%).", "읽음 처리로 배지 수가 바뀌었습니다(%).")
    case .inQuarantine: Phrase("This device is in quarantine since then.", "이 단말은 이때부터 발송에서 제외되어 있습니다.")
    case .finished: Phrase("The message ended: %.", "메시지가 종료되었습니다: %.")
    }
  }

  private static func advice(_ step: ExplanationService.Step) -> Phrase? {
    switch step.code {
    case .messagePaused: Phrase("Resume it when it may go on.", "계속하려면 메시지를 재개하세요.")
    case .appPaused:
      Phrase("Fix what the reason names, then resume the app.", "사유를 해결한 뒤 앱을 재개하세요.")
    case .unknownUser:
      Phrase(
        "Check the CUID, and that the app registers its users.", "CUID가 맞는지, 앱이 사용자를 등록하는지 확인하세요.")
    case .noDevice:
      Phrase("The user must open the app once, so that it registers.", "사용자가 앱을 한 번 실행하여 단말을 등록해야 합니다.")
    case .joinedLater, .notInAudience:
      Phrase("Send to the user again, if it is still worth it.", "필요하다면 이 사용자에게 다시 발송하세요.")
    default: nil
    }
  }
}

internal import Domain
internal import HTTPServer

/// `RESULT_CODE` of an answer: a string, as the SDK compares it.
enum ResultCode: String {
  case ok = "0000"
  /// The push token cannot be one, or belongs to no registered device.
  case notRegistered = "400"
  case serverError = "500"
  case targetNotRegistered = "4400"
  case reservedTargetNotRegistered = "4401"
  case appDeleted = "4444"
  case reservedTooLate = "5500"
  case reservedFailed = "5600"
  /// Whatever is wrong with the key, none or an old one included: the protocol has codes of their own for these (40000, -500),
  /// but on this one alone clients ask for a key and repeat the call.
  case authenticationFailed = "40100"
  case userMismatch = "40300"
  /// In the manner of the others; the original knows no limit.
  case tooMany = "42900"
  case unauthorizedServer = "50300"

  /// The code that says most nearly what a problem is. Whatever has no code of its own is `500`, with the reason in
  /// words.
  init(_ code: Problem.Code) {
    self =
      switch code {
      case .unknownApp: .appDeleted
      case .unknownDevice: .notRegistered
      case .noCredential, .badCredential: .authenticationFailed
      case .userMismatch: .userMismatch
      case .forbidden: .unauthorizedServer
      case .tooManyRequests: .tooMany
      default: .serverError
      }
  }
}

/// Why a call is not carried out.
struct LegacyRefusal: Error {
  let code: ResultCode
  let text: String
  /// 200 nearly always: clients of this protocol read the code.
  var status = 200
  var retryAfterSeconds: Int?

  init(_ code: ResultCode, _ text: String, status: Int = 200) {
    self.code = code
    self.text = text
    self.status = status
  }

  /// A field that is missing or not what it should be.
  init(field: String, _ fault: String) {
    self.init(.serverError, "\(field) \(fault).")
  }

  /// Reads the word of a field, refusing what is none.
  static func reading<Word>(
    _ field: String, _ read: () throws(SDKWords.Objection) -> Word
  ) throws(LegacyRefusal) -> Word {
    do {
      return try read()
    } catch {
      throw LegacyRefusal(field: field, error.text)
    }
  }

  init(_ problem: Problem) {
    self.init(ResultCode(problem.code), problem.detail)
    retryAfterSeconds = problem.retryAfterSeconds
    if problem.code.status == 503 {
      status = 503
      retryAfterSeconds = Response.retryAfterSeconds
    }
  }
}

internal import Domain
internal import HTTPServer

/// RESULT_CODE of an answer. It is a string, because the SDK compares strings. Decision 105.
enum ResultCode: String {
  case ok = "0000"
  /// The push token is invalid, or belongs to no registered device.
  case notRegistered = "400"
  case serverError = "500"
  case targetNotRegistered = "4400"
  case reservedTargetNotRegistered = "4401"
  /// The app is unknown, or is being deleted.
  case appDeleted = "4444"
  case reservedTooLate = "5500"
  case reservedFailed = "5600"
  /// The key is missing, expired or invalid. The protocol has separate codes for some of these (40000, -500), but only
  /// on this one do clients request a new key and repeat the call.
  case authenticationFailed = "40100"
  case userMismatch = "40300"
  /// Too many requests. The original protocol has no rate limit; the code follows the pattern of the others.
  case tooMany = "42900"
  case unauthorizedServer = "50300"

  /// Creates the code that is closest to a problem's; `.serverError` if the protocol has none for the problem.
  init(_ problem: Problem) {
    self =
      switch problem.code {
      case .unknownApp: .appDeleted
      case .conflict where problem.isOfDeletedApp: .appDeleted
      case .unknownDevice: .notRegistered
      case .noCredential, .badCredential: .authenticationFailed
      case .userMismatch: .userMismatch
      case .forbidden: .unauthorizedServer
      case .tooManyRequests: .tooMany
      default: .serverError
      }
  }
}

/// A refused call: the result code, the reason in words, and the HTTP status.
struct LegacyRefusal: Error {
  let code: ResultCode
  let text: String
  /// The HTTP status. Usually 200, because clients of this protocol read the code.
  var status = 200
  var retryAfterSeconds: Int?

  init(_ code: ResultCode, _ text: String, status: Int = 200) {
    self.code = code
    self.text = text
    self.status = status
  }

  /// Creates the refusal, with code 500, of a missing or invalid field.
  /// - Parameter fault: what is wrong, as the predicate of a sentence without a period, such as "is needed".
  init(field: String, _ fault: String) {
    self.init(.serverError, "\(field) \(fault).")
  }

  /// Calls `read` and returns its result, or throws its objection as a refusal that names `field`.
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
    self.init(ResultCode(problem), problem.detail)
    retryAfterSeconds = problem.retryAfterSeconds
    if problem.code.status == 503 {
      status = 503
      retryAfterSeconds = Response.retryAfterSeconds
    }
  }
}

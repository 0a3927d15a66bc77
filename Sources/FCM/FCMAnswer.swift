internal import Domain
internal import JSON
internal import PlainText

/// An FCM error response, parsed as far as possible ("Error codes for FCM"; `google.rpc.Status`).
///
/// The top-level `status` is the canonical google.rpc code; FCM's own code, if any, is among the details. Only FCM's
/// own codes say anything about a registration.
package struct FCMAnswer: Equatable, Sendable {
  /// The action that the sender must take after an error.
  package enum Action: Equatable, Sendable {
    /// Fail the message: it was encoded wrongly and can never be delivered.
    case refuseMessage
    /// Fail the registration: it is not valid for this project, and may never have been.
    case refuseRegistration
    /// Fail the registration: it was valid once.
    case retireRegistration
    /// Retry this device after a delay: only it is throttled.
    case retryDevice
    /// Reduce the rate and retry: the project's quota is exhausted.
    case retryPaced
    /// Retry after a delay: the service has a problem.
    case retryLater
    /// Fetch a new access token, once: the present one is refused.
    case renewAccessToken
    /// Pause the app: the service account, the project or its settings at Google are wrong, and an operator must fix
    /// them.
    case pauseApp
    /// Pause sending to the app's iOS devices only: the project's APNs key or certificate is wrong.
    case pauseForApple
  }

  package private(set) var status: Int
  /// The canonical code of Google, `error.status`; empty if the body is not in Google's format.
  package private(set) var canonical = ""
  package private(set) var message = ""
  /// The error code of FCM itself; empty if there is none.
  package private(set) var code = ""
  /// The status of Apple's response, for an iOS device; 0 if there is none.
  package private(set) var apnsStatus = 0
  package private(set) var apnsReason = ""
  /// The invalid fields that a `BadRequest` detail names.
  package private(set) var fields: [String] = []
  /// The subjects whose quota is exhausted, as Google names them.
  package private(set) var quotaSubjects: [String] = []
  package private(set) var retryAfter: Int?

  package init(status: Int, body: [UInt8], retryAfter: Int? = nil) {
    self.status = status
    self.retryAfter = retryAfter
    guard !body.isEmpty else { return }
    var answer = self
    var reader = JSONReader(body)
    // Keep what was read before a syntax error.
    try? reader.readObject { (reader, name) throws(JSONError) in
      guard name == "error" else { return try reader.skip() }
      try answer.readError(&reader)
    }
    self = answer
  }

  private mutating func readError(_ reader: inout JSONReader) throws(JSONError) {
    var answer = self
    defer { self = answer }
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "status": answer.canonical = try reader.readString()
      case "message": answer.message = try reader.readString()
      case "details": try reader.readArray { (reader, _) throws(JSONError) in try answer.readDetail(&reader) }
      default: try reader.skip()
      }
    }
  }

  private mutating func readDetail(_ reader: inout JSONReader) throws(JSONError) {
    var answer = self
    defer { self = answer }
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "errorCode": answer.code = try reader.readString()
      case "statusCode": answer.apnsStatus = Int(try reader.readInteger())
      case "reason": answer.apnsReason = try reader.readString()
      case "fieldViolations", "violations":
        try reader.readArray { (reader, _) throws(JSONError) in try answer.readViolation(&reader) }
      default: try reader.skip()
      }
    }
    // `ErrorInfo` has a `reason` field too, which is not Apple's.
    if answer.apnsStatus == 0 { answer.apnsReason = "" }
  }

  private mutating func readViolation(_ reader: inout JSONReader) throws(JSONError) {
    var answer = self
    defer { self = answer }
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "field": answer.fields.append(try reader.readString())
      case "subject": answer.quotaSubjects.append(try reader.readString())
      case "description" where answer.status == 429: answer.quotaSubjects.append(try reader.readString())
      default: try reader.skip()
      }
    }
  }

  // MARK: Interpretation

  /// The FCM error code, or else Google's canonical one; "other" if it is not documented.
  package var documentedWord: String {
    let word = code.isEmpty ? canonical : code
    return Self.documentedWords.contains(word) ? word : "other"
  }

  private static let documentedWords: Set<String> = [
    "UNREGISTERED", "SENDER_ID_MISMATCH", "THIRD_PARTY_AUTH_ERROR", "QUOTA_EXCEEDED", "UNAVAILABLE", "INTERNAL",
    "INVALID_ARGUMENT", "UNAUTHENTICATED", "PERMISSION_DENIED", "NOT_FOUND", "RESOURCE_EXHAUSTED",
  ]

  package var action: Action {
    switch code {
    case "UNREGISTERED": return .retireRegistration
    case "SENDER_ID_MISMATCH": return .refuseRegistration
    case "THIRD_PARTY_AUTH_ERROR": return .pauseForApple
    case "QUOTA_EXCEEDED": return isDeviceRate ? .retryDevice : .retryPaced
    case "UNAVAILABLE", "INTERNAL": return .retryLater
    case "INVALID_ARGUMENT": return invalidArgument
    default: break
    }
    switch status {
    case 400: return invalidArgument
    case 401: return .renewAccessToken
    // A 404 without FCM's own code concerns the project, not the registration.
    case 403, 404: return .pauseApp
    case 408: return .retryLater
    case 429: return isDeviceRate ? .retryDevice : .retryPaced
    case 500...: return .retryLater
    default: return .refuseMessage
    }
  }

  /// The action after INVALID_ARGUMENT, which covers both bad registrations and bad messages: the details or the text
  /// distinguish them. If in doubt, the message is at fault.
  private var invalidArgument: Action {
    if apnsStatus == 410 { return .retireRegistration }
    if ["BadDeviceToken", "DeviceTokenNotForTopic"].contains(apnsReason) { return .refuseRegistration }
    if !fields.isEmpty {
      let isRegistration = fields.allSatisfy { $0 == "message.token" || $0 == "message.fid" }
      return isRegistration ? .refuseRegistration : .refuseMessage
    }
    let words = message.lowercased()
    let isRegistration = words.contains("registration token") || words.contains("installation id")
    return isRegistration && !code.isEmpty ? .refuseRegistration : .refuseMessage
  }

  private var isDeviceRate: Bool {
    (quotaSubjects + [message]).contains { $0.lowercased().contains("device") }
  }

  /// The reason to display: FCM's code, or else Google's, or else the status, with Apple's reason or the invalid field
  /// added.
  package var shownReason: String {
    let word = KeyText.kept(code.isEmpty ? canonical.isEmpty ? "status \(status)" : canonical : code)
    let apnsReason = KeyText.kept(apnsReason)
    switch action {
    case .retireRegistration, .refuseRegistration: return apnsReason.isEmpty ? word : apnsReason
    case .refuseMessage: return fields.first.map { "\(word): \(KeyText.kept($0))" } ?? word
    case .pauseForApple:
      return "\(word): Apple refuses the APNs key or certificate in the Firebase project (\(apnsReason))"
    case .pauseApp where status == 404:
      return "\(word): Google knows no such project; is the service account's file the right one?"
    case .pauseApp:
      let shown = VisibleText.of(String(message.beginning(bytes: FCM.Limits.shownBytes)))
      return message.isEmpty ? word : "\(word): \(shown)"
    default: return word
    }
  }
}

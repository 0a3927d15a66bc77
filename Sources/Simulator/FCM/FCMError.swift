internal import HTTP2
internal import JSON

/// An error of FCM HTTP v1 in its wire format: the canonical google.rpc code and, if there is one, FCM's own error code
/// in the details ("Error codes for FCM", and observed responses).
package struct FCMError: Equatable, Sendable, Error {
  package enum Detail: Equatable, Sendable {
    /// An error code that only FCM uses.
    case fcm(String)
    /// Apple's answer, for a device reached through APNs.
    case apns(status: Int, reason: String)
    case badRequest([Violation])
    case quota(subject: String, description: String)
    case info(reason: String)
  }

  package struct Violation: Equatable, Sendable {
    package let field: String
    package let description: String

    package init(_ field: String, _ description: String) {
      self.field = field
      self.description = description
    }
  }

  /// HTTP status of the response.
  package let status: Int
  package let message: String
  package let details: [Detail]
  /// Value of the Retry-After header; nil to omit it.
  package var retryAfter: String?

  package init(_ status: Int, _ message: String, _ details: [Detail] = [], retryAfter: String? = nil) {
    self.status = status
    self.message = message
    self.details = details
    self.retryAfter = retryAfter
  }

  /// The canonical code (google.rpc.Code) for the status.
  package var canonical: String {
    switch status {
    case 400: "INVALID_ARGUMENT"
    case 401: "UNAUTHENTICATED"
    case 403: "PERMISSION_DENIED"
    case 404: "NOT_FOUND"
    case 429: "RESOURCE_EXHAUSTED"
    case 500: "INTERNAL"
    case 503: "UNAVAILABLE"
    default: "UNKNOWN"
    }
  }

  /// Label in counters: FCM's code, or else the canonical one.
  package var word: String {
    for detail in details { if case .fcm(let code) = detail { return code } }
    return canonical
  }

  // MARK: Known errors

  static let badToken = FCMError(
    400, "The registration token is not a valid FCM registration token", [.fcm("INVALID_ARGUMENT")])
  static let unregistered = FCMError(404, "Requested entity was not found.", [.fcm("UNREGISTERED")])
  static let senderMismatch = FCMError(403, "SenderId mismatch", [.fcm("SENDER_ID_MISMATCH")])
  static let apnsDisabled = FCMError(
    400, "APNs device token is disabled.", [.fcm("INVALID_ARGUMENT"), .apns(status: 410, reason: "Unregistered")])
  static let badActivityToken = FCMError(
    400, "Invalid Live Activity token", [.fcm("INVALID_ARGUMENT"), .apns(status: 400, reason: "BadDeviceToken")])
  static let thirdPartyAuth = FCMError(
    401, "Auth error from APNS or Web Push Service",
    [.fcm("THIRD_PARTY_AUTH_ERROR"), .apns(status: 403, reason: "InvalidProviderToken")])
  static let internalError = FCMError(500, "Internal error encountered.", [.fcm("INTERNAL")])
  static let unavailable = FCMError(503, "The service is currently unavailable.", [.fcm("UNAVAILABLE")])
  static let quotaExceeded = FCMError(
    429,
    "Quota exceeded for quota metric 'Messages' and limit 'Messages per minute' of service 'fcm.googleapis.com'.",
    [
      .fcm("QUOTA_EXCEEDED"),
      .quota(subject: "project", description: "Messages per minute exceeded for this project"),
    ])
  static let deviceRate = FCMError(
    429, "Message rate exceeded for this device.",
    [.fcm("QUOTA_EXCEEDED"), .quota(subject: "device", description: "Device message rate exceeded")])
  static let tooBig = FCMError(400, "Android message is too big", [.fcm("INVALID_ARGUMENT")])
  static let apnsTooBig = FCMError(
    400, "APNs payload is too big", [.fcm("INVALID_ARGUMENT"), .apns(status: 413, reason: "PayloadTooLarge")])
  static let wrongProject = FCMError(404, "Requested entity was not found.")
  static let missingCredential = FCMError(
    401,
    "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.",
    [.info(reason: "CREDENTIALS_MISSING")])
  static let invalidCredential = FCMError(
    401,
    "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.",
    [.info(reason: "ACCESS_TOKEN_EXPIRED")])

  static func denied(_ project: String) -> FCMError {
    FCMError(
      403,
      "Permission 'cloudmessaging.messages.create' denied on resource '//cloudresourcemanager.googleapis.com/projects/\(project)' (or it may not exist).",
      [.info(reason: "IAM_PERMISSION_DENIED")])
  }

  static func apiDisabled(_ project: String) -> FCMError {
    FCMError(
      403,
      "Firebase Cloud Messaging API has not been used in project \(project) before or it is disabled.",
      [.info(reason: "SERVICE_DISABLED")])
  }

  static func violations(_ found: [Violation]) -> FCMError {
    FCMError(400, found.map(\.description).joined(separator: "\n"), [.badRequest(found)])
  }

  /// Returns an error by its name, for faults: FCM's code, or a name of ours if the error has no code or shares it. Nil
  /// for an unknown name.
  package static func named(_ word: String) -> FCMError? {
    switch word {
    case "INVALID_ARGUMENT": badToken
    case "UNREGISTERED": unregistered
    case "SENDER_ID_MISMATCH": senderMismatch
    case "QUOTA_EXCEEDED": quotaExceeded
    case "DEVICE_RATE_EXCEEDED": deviceRate
    case "THIRD_PARTY_AUTH_ERROR": thirdPartyAuth
    case "INTERNAL": internalError
    case "UNAVAILABLE": unavailable
    case "APNS_UNREGISTERED": apnsDisabled
    case "UNAUTHENTICATED": invalidCredential
    case "PERMISSION_DENIED": apiDisabled("this")
    case "NOT_FOUND": wrongProject
    case "INVALID_PAYLOAD":
      violations([Violation("message.data[0].value", "Invalid value at 'message.data[0].value' (TYPE_STRING), 12")])
    default: nil
    }
  }

  // MARK: On the wire

  var fields: [HeaderField] {
    let type = [HeaderField("content-type", "application/json; charset=UTF-8")]
    return retryAfter.map { type + [HeaderField("retry-after", $0)] } ?? type
  }

  /// The response body, indented by two spaces and with a final line break, as Google formats it.
  package var body: [UInt8] {
    var lines = ["{", "  \"error\": {", "    \"code\": \(status),", "    \"message\": \(Self.quoted(message)),"]
    lines.append("    \"status\": \"\(canonical)\"" + (details.isEmpty ? "" : ","))
    if !details.isEmpty {
      lines.append("    \"details\": [")
      for (index, detail) in details.enumerated() {
        lines += Self.lines(of: detail, isLast: index == details.count - 1)
      }
      lines.append("    ]")
    }
    lines += ["  }", "}", ""]
    return Array(lines.joined(separator: "\n").utf8)
  }

  private static func lines(of detail: Detail, isLast: Bool) -> [String] {
    var members: [String]
    switch detail {
    case .fcm(let code):
      members = [type("google.firebase.fcm.v1.FcmError"), "\"errorCode\": \(quoted(code))"]
    case .apns(let status, let reason):
      members = [
        type("google.firebase.fcm.v1.ApnsError"), "\"statusCode\": \(status)", "\"reason\": \(quoted(reason))",
      ]
    case .badRequest(let violations):
      members = [
        type("google.rpc.BadRequest"),
        list("fieldViolations", violations.map { [("field", $0.field), ("description", $0.description)] }),
      ]
    case .quota(let subject, let description):
      members = [
        type("google.rpc.QuotaFailure"), list("violations", [[("subject", subject), ("description", description)]]),
      ]
    case .info(let reason):
      members = [
        type("google.rpc.ErrorInfo"), "\"reason\": \(quoted(reason))", "\"domain\": \"googleapis.com\"",
        "\"metadata\": {\n          \"service\": \"fcm.googleapis.com\"\n        }",
      ]
    }
    return ["      {"] + [members.map { "        " + $0 }.joined(separator: ",\n")] + [isLast ? "      }" : "      },"]
  }

  private static func type(_ name: String) -> String { "\"@type\": \"type.googleapis.com/\(name)\"" }

  private static func list(_ name: String, _ entries: [[(String, String)]]) -> String {
    let objects = entries.map { members in
      "          {\n" + members.map { "            \(quoted($0.0)): \(quoted($0.1))" }.joined(separator: ",\n")
        + "\n          }"
    }
    return "\(quoted(name)): [\n" + objects.joined(separator: ",\n") + "\n        ]"
  }

  private static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    JSONWriter.escape(text, into: &bytes)
    return "\"" + String(decoding: bytes, as: UTF8.self) + "\""
  }
}

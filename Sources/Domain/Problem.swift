package import JSON

/// The reason why a request was not performed, in the form in which all handlers report it (RFC 9457).
///
/// A request with a problem has changed nothing of what it asked for; only `outcomeUnknown` leaves that open. Decision
/// 087 explains the choice between 400 and 422.
package struct Problem: Error, Equatable, Sendable {
  /// Stable name of the kind of problem. Clients rely on it, so its meaning never changes.
  package enum Code: String, CaseIterable, Sendable {
    case malformed = "upmc:malformed"
    case invalidField = "upmc:invalid-field"
    case badgeOutOfRange = "upmc:badge-out-of-range"
    case impossible = "upmc:impossible"
    case payloadTooLarge = "upmc:payload-too-large"
    case noCredential = "upmc:no-credential"
    case badCredential = "upmc:bad-credential"
    case secondFactorNeeded = "upmc:second-factor-needed"
    case freshSignInNeeded = "upmc:fresh-sign-in-needed"
    case badUserProof = "upmc:bad-user-proof"
    case forbidden = "upmc:forbidden"
    case userMismatch = "upmc:user-mismatch"
    case notFound = "upmc:not-found"
    case unknownApp = "upmc:unknown-app"
    case unknownDevice = "upmc:unknown-device"
    case unknownUser = "upmc:unknown-user"
    case unknownGroup = "upmc:unknown-group"
    case unknownMessage = "upmc:unknown-message"
    case unknownSegment = "upmc:unknown-segment"
    case unknownUpload = "upmc:unknown-upload"
    case unknownWebhook = "upmc:unknown-webhook"
    case unknownChannel = "upmc:unknown-channel"
    case notKept = "upmc:not-kept"
    case contentWiped = "upmc:content-wiped"
    case conflict = "upmc:conflict"
    case wrongState = "upmc:wrong-state"
    case idempotencyConflict = "upmc:idempotency-conflict"
    case methodNotAllowed = "upmc:method-not-allowed"
    case bodyTooLarge = "upmc:body-too-large"
    case unsupportedMediaType = "upmc:unsupported-media-type"
    case tooManyAttempts = "upmc:too-many-attempts"
    case notConfigured = "upmc:not-configured"
    case tooManyRequests = "upmc:too-many-requests"
    case busy = "upmc:busy"
    case databaseAway = "upmc:database-away"
    case networkAway = "upmc:network-away"
    case identityProviderAway = "upmc:identity-provider-away"
    case outcomeUnknown = "upmc:outcome-unknown"
    case internalError = "upmc:internal-error"

    /// The HTTP status of this kind of problem, in 400…503.
    package var status: Int {
      switch self {
      case .malformed, .invalidField, .badgeOutOfRange: 400
      case .noCredential, .badCredential, .secondFactorNeeded, .freshSignInNeeded: 401
      case .forbidden, .badUserProof, .userMismatch: 403
      case .notFound, .unknownApp, .unknownDevice, .unknownUser, .unknownGroup, .unknownMessage, .unknownSegment,
        .unknownUpload, .unknownWebhook, .unknownChannel, .notKept:
        404
      case .methodNotAllowed: 405
      case .conflict, .wrongState, .idempotencyConflict, .contentWiped: 409
      case .bodyTooLarge: 413
      case .unsupportedMediaType: 415
      case .impossible, .notConfigured, .payloadTooLarge: 422
      case .tooManyAttempts, .tooManyRequests: 429
      case .internalError: 500
      case .busy, .databaseAway, .networkAway, .identityProviderAway, .outcomeUnknown: 503
      }
    }

    /// `summary` in English.
    package var title: String { summary.english }

    /// The title of this kind of problem, without details of the request.
    package var summary: Sentence {
      switch self {
      case .malformed: "The request cannot be read"
      case .invalidField: "A field is not valid"
      case .badgeOutOfRange: "The badge is out of range"
      case .impossible: "The request is well-formed, but cannot be carried out"
      case .payloadTooLarge: "The payload is too large for the push network"
      case .noCredential: "A credential is needed"
      case .badCredential: "The credential is not valid"
      case .secondFactorNeeded: "A second factor is needed"
      case .freshSignInNeeded: "The sign-in was too long ago"
      case .badUserProof: "The user is not vouched for"
      case .forbidden: "The credential does not allow this"
      case .userMismatch: "The device belongs to another user"
      case .notFound: "There is nothing here"
      case .unknownApp: "The app is not known"
      case .unknownDevice: "The device is not registered"
      case .unknownUser: "The user is not known"
      case .unknownGroup: "The group does not exist"
      case .unknownMessage: "The message does not exist"
      case .unknownSegment: "The segment does not exist"
      case .unknownUpload: "The uploaded file does not exist"
      case .unknownWebhook: "The webhook does not exist"
      case .unknownChannel: "The channel does not exist"
      case .notKept: "The history of this message is not kept"
      case .contentWiped: "What the message said is wiped"
      case .conflict: "The request conflicts with the present state"
      case .wrongState: "The message is not in a state that allows this"
      case .idempotencyConflict: "The idempotency key belongs to another request"
      case .methodNotAllowed: "The method is not allowed here"
      case .bodyTooLarge: "The body is too large"
      case .unsupportedMediaType: "The media type is not supported"
      case .tooManyAttempts: "Too many attempts"
      case .notConfigured: "The server lacks a setting for this"
      case .tooManyRequests: "Too many requests"
      case .busy: "The server is busy"
      case .databaseAway: "The database cannot be reached"
      case .networkAway: "The push network cannot be reached"
      case .identityProviderAway: "The identity provider cannot be reached"
      case .outcomeUnknown: "It is not known whether this was carried out"
      case .internalError: "Internal error"
      }
    }
  }

  /// A faulty field.
  package struct Field: Equatable, Sendable {
    /// RFC 6901 pointer to the field in the request's body, for example `/audience/devices/3`.
    package let pointer: String
    package let sentence: Sentence

    package init(pointer: String, detail: Sentence) {
      self.pointer = pointer
      sentence = detail
    }

    /// `sentence` in English.
    package var detail: String { sentence.english }

    /// The pointer and the fault as a complete sentence, which ends with a full stop.
    package var whole: Sentence { "\(pointer) \(sentence)." }
  }

  package let code: Code
  /// The problem and its remedy, in one or two sentences.
  package let sentence: Sentence
  package let fields: [Field]
  /// Seconds after which the client can retry, sent as `Retry-After`; nil if unknown or if a retry is useless.
  package var retryAfterSeconds: Int?
  /// True if the request would change an app that is being deleted: the legacy endpoints have a result code for that.
  package var isOfDeletedApp = false

  package init(_ code: Code, _ detail: Sentence, fields: [Field] = []) {
    self.code = code
    sentence = detail
    self.fields = fields
  }

  /// Creates a problem with a single faulty field.
  /// - Parameter detail: the part of the sentence that follows the field's pointer, without a full stop: `must not be
  ///   empty`.
  package init(_ code: Code = .invalidField, at pointer: String, _ detail: Sentence) {
    let field = Field(pointer: pointer, detail: detail)
    self.init(code, field.whole, fields: [field])
  }

  /// Creates the problem of a body that is not the expected JSON: `.malformed`, without fields, if it cannot be parsed
  /// or is invalid as a whole; `.impossible` if its members only contradict each other; otherwise `.invalidField`.
  /// Lists all faulty members, up to `JSON.Limits.errors`.
  package init(_ error: JSONError) {
    guard !error.isMalformed, !error.pointer.isEmpty else {
      self.init(
        .malformed,
        error.pointer.isEmpty
          ? "The body is not valid: \(error.sentence)."
          : "The body is not valid at \(error.pointer): \(error.sentence).")
      return
    }
    let isContradiction = error.all.allSatisfy(\.isContradiction)
    let fields = error.all.map { Field(pointer: $0.pointer, detail: $0.sentence) }
    self.init(
      isContradiction ? .impossible : .invalidField,
      fields.count == 1 ? fields[0].whole : Sentence(joining: fields.map(\.whole)), fields: fields)
  }

  /// `sentence` in English, for logs, the audit log, and the legacy endpoints.
  package var detail: String { sentence.english }

  package static let badgeRange: Sentence =
    "must be a whole number from \(Domain.Limits.badgeValue.lowerBound) to \(Domain.Limits.badgeValue.upperBound)"

  /// Encodes the problem as `application/problem+json`, with its sentences in `language`. Faulty fields, if any, are
  /// the member `errors`.
  package func json(requestID: String, in language: SpokenLanguage = .english) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("type", code.rawValue)
      writer.member("title", code.summary.text(in: language))
      writer.member("status", code.status)
      writer.member("detail", sentence.text(in: language))
      if !fields.isEmpty {
        writer.member(
          "errors",
          array: { writer in
            for field in fields {
              writer.object { writer in
                writer.member("pointer", field.pointer)
                writer.member("detail", field.sentence.text(in: language))
              }
            }
          })
      }
      writer.member("requestId", requestID)
    }
    return writer.bytes
  }
}

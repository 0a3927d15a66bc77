internal import JSON

/// A send as requested. It is parsed from JSON, as in the body of `POST /v1/admin/messages`, and stored in the same
/// form with the message, so that the dispatcher reads exactly what was accepted.
package struct MessageRequest: Equatable, Sendable {
  package var appID = ""
  package var audience = Audience.all
  /// Number of the uploaded file with values for `%CNAME%` and `%VAR1%` …; nil if none. Unlike `audience`, it is kept
  /// if the message is resent to a part of its audience.
  package private(set) var csv: Int64?
  package var content = MessageContent()
  package var badge = BadgeRequest.none
  package var lane = Lane.normal
  /// Category, which determines the consents that the message needs.
  package var kind = MessageKind.notice
  /// True if the message is confidential. If the app's identity rules require it, the message goes only to devices
  /// whose user is proved.
  package var isConfidential = false
  /// True for a stored request whose content is encrypted and stored separately; `content` is then empty.
  package internal(set) var isContentSealed = false
  package var expiresInSeconds = Domain.Limits.defaultExpirySeconds
  /// Retention in inboxes, in seconds from the message's time; nil if the message is not stored there.
  package internal(set) var inboxSeconds: Int64?
  /// DB_IN: true to keep the history of each recipient.
  package var dbIn = true
  /// True to request an SMS if the push is not confirmed in time (`fallback`).
  package var sms = false
  /// SMS fallback: delay and the confirmation that cancels the fallback; nil if `sms` is false.
  package internal(set) var fallback: Fallback?
  package var sender = "admin"
  package var onUnknown = UnknownPolicy.resend
  package var dryRun = false
  /// True for a test, which is listed separately from campaigns and not counted in statistics.
  package var isTest = false
  package var pace: Pace?
  package var canary: Canary?
  package var timing = Timing.now
  package var repetition: Repetition?
  package var window: SendWindow?
  package var reference: SenderReference?
  package var origin: SenderDevice?

  init() {}

  /// Parses a request, and checks that its fields are consistent.
  /// - Throws: `.malformed` if this is not JSON; `.invalidField`, listing every field that is wrong by itself;
  ///   `.impossible` if fields contradict each other.
  package init(json: [UInt8]) throws(Problem) {
    try self.init(json, isStored: false)
  }

  /// Parses a request as stored with a message. Unknown fields are ignored, because a newer release may have written
  /// the request.
  /// - Throws: a `Problem` if the request is damaged or needs a feature that this release lacks.
  package init(stored: [UInt8]) throws(Problem) {
    try self.init(stored, isStored: true)
  }

  private init(_ json: [UInt8], isStored: Bool) throws(Problem) {
    do throws(JSONError) {
      self = try Self.object.read(json, ignoresUnknownFields: isStored)
    } catch {
      throw Problem(error)
    }
    if case .csv(let number) = audience { csv = number }
    // Each field is valid by itself here. Contradictions between fields are reported as `impossible`.
    do throws(Problem) {
      try validate()
      // Skip this check for the many requests whose text contains no variables. An escape may stand for a percent sign.
      if json.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "\\") }) {
        try VariableRules.check(content, audience)
      }
    } catch {
      throw error.code == .invalidField ? Problem(.impossible, error.sentence, fields: error.fields) : error
    }
  }

  private func validateInbox() throws(Problem) {
    guard !isConfidential else { throw Self.confidentialInbox }
    guard content.alert != nil else {
      throw Problem(at: "/inbox", "needs an alert: there would be nothing to read there")
    }
  }

  /// The error for a confidential message with an inbox entry: the content would have to be wiped, but the inbox keeps
  /// it.
  package static let confidentialInbox = Problem(
    .impossible, at: "/inbox",
    "cannot be had for a confidential message, which is wiped when it is over and never in an inbox: leave one of both out"
  )

  var timingCount = 0

  /// True if the message may be sent as soon as it is stored, because it has no scheduled time, send window, speed
  /// limit or canary. False for ads, which may have to wait for the morning.
  package var goesAtOnce: Bool {
    timing == .now && repetition == nil && pace == nil && canary == nil && window == nil && kind != .ad
  }

  private mutating func validate() throws(Problem) {
    if !isContentSealed { try ContentRules.settle(&content, badge: badge, appID: appID) }
    if inboxSeconds != nil { try validateInbox() }
    if isTest, !namesRecipients {
      throw Problem(at: "/test", "needs an audience that names users or devices")
    }
    if fallback != nil, !sms { throw Problem(at: "/fallback", "needs sms: true") }
    if sms, fallback == nil { fallback = Fallback() }
    if timingCount > 1 { throw Problem(at: "/localTime", "cannot stand beside sendAt") }
    if let window, window.opens == window.closes { throw Problem(at: "/window/to", "must differ from from") }
    if repetition != nil, timing == .now {
      throw Problem(at: "/repeat", "needs sendAt or localTime: when it happens first")
    }
  }
}

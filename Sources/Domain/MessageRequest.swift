internal import JSON

/// One send as it was requested. Parsed from the body of `POST /v1/admin/messages`; the same text is stored with the
/// message, so that the dispatcher reads exactly what was accepted.
package struct MessageRequest: Equatable, Sendable {
  package var appID = ""
  package var audience = Audience.all
  /// The uploaded file whose lines have values for `%CNAME%` and `%VAR1%` …. Kept when the message is resent to a part
  /// of its audience.
  package private(set) var csv: Int64?
  package var content = MessageContent()
  package var badge = BadgeRequest.none
  package var lane = Lane.normal
  /// Decides which consents it needs.
  package var kind = MessageKind.notice
  /// Goes only to devices whose user is vouched for, if the app requires that.
  package var isConfidential = false
  /// In stored form: the content is sealed and stored separately, and `content` is empty.
  package internal(set) var isContentSealed = false
  package var expiresInSeconds = Domain.Limits.defaultExpirySeconds
  /// How long it stays in inboxes, in seconds; nil: it is not kept in inboxes.
  package internal(set) var inboxSeconds: Int64?
  /// Keep the history of each recipient.
  package var dbIn = true
  /// Request an SMS if the push is not confirmed.
  package var sms = false
  /// SMS fallback: delay and the confirmation that cancels it; nil if not requested.
  package internal(set) var fallback: Fallback?
  package var sender = "admin"
  package var onUnknown = UnknownPolicy.resend
  package var dryRun = false
  /// A trial: listed apart from campaigns.
  package var isTest = false
  package var pace: Pace?
  package var canary: Canary?
  package var timing = Timing.now
  package var repetition: Repetition?
  package var window: SendWindow?
  package var reference: SenderReference?
  package var origin: SenderDevice?

  init() {}

  /// Parses a request.
  /// - Throws: a `Problem` that lists every field at fault with its pointer.
  package init(json: [UInt8]) throws(Problem) {
    try self.init(json, isStored: false)
  }

  /// Parses a request as stored with a message. Unknown fields are ignored, because a newer release may have written
  /// it.
  /// - Throws: a `Problem` when it requires something that this release cannot do.
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
    // Each field is valid by itself. A contradiction between fields is well-formed, but impossible.
    do throws(Problem) {
      try validate()
      // Few texts have variables; the others need no further scan.
      if json.contains(UInt8(ascii: "%")) { try VariableRules.check(content, audience) }
    } catch {
      throw error.code == .invalidField ? Problem(.impossible, error.detail, fields: error.fields) : error
    }
  }

  private func validateInbox() throws(Problem) {
    guard !isConfidential else { throw Self.confidentialInbox }
    guard content.alert != nil else {
      throw Problem(at: "/inbox", "needs an alert: there would be nothing to read there")
    }
  }

  /// Confidential content is wiped when the message is finished, but an inbox keeps it.
  package static let confidentialInbox = Problem(
    .impossible, at: "/inbox",
    "cannot be had for a confidential message, which is wiped when it is over and never in an inbox: leave one of both out"
  )

  var timingCount = 0

  /// No time and no speed limit is given: it may be sent as soon as it is stored. An ad may have to wait for the
  /// morning.
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

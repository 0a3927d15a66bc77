internal import JSON

/// One send as it was asked for. Parsed from the body of `POST /v1/admin/messages`; the same text is stored with the
/// message, so that the dispatcher reads exactly what was accepted.
package struct MessageRequest: Equatable, Sendable {
  package var appID = ""
  package var audience = Audience.all
  /// The uploaded file whose lines have values for `%CNAME%` and `%VAR1%` …. Stays when the message is sent again to a part
  /// of its audience.
  package private(set) var csv: Int64?
  package var content = MessageContent()
  package var badge = BadgeRequest.none
  package var lane = Lane.normal
  /// What it is, as far as consents go.
  package var kind = MessageKind.notice
  /// Goes only to devices whose user somebody has vouched for, where the app asks for that.
  package var isConfidential = false
  /// As it is stored: what it says is sealed, apart from it, and `content` is empty.
  package internal(set) var isContentSealed = false
  package var expiresInSeconds = Domain.Limits.defaultExpirySeconds
  /// For how long it stays in its persons' inboxes; nil: it comes into none.
  package internal(set) var inboxSeconds: Int64?
  /// Keep the history of each recipient.
  package var dbIn = true
  /// Ask for a short message if the push is not confirmed.
  package var sms = false
  /// When, and for want of what; nil when no short message is to be asked for.
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

  /// Reads a request.
  /// - Throws: a `Problem` that names every wrong field by its pointer.
  package init(json: [UInt8]) throws(Problem) {
    try self.init(json, isStored: false)
  }

  /// Reads a request as it is stored with a message. A newer release may have written it: fields that this one does not
  /// know are left out.
  /// - Throws: a `Problem` when it means something that this release cannot do.
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
    // Each field is in order by itself. What they cannot be together is well-formed, and impossible all the same.
    do throws(Problem) {
      try validate()
      // Few texts have such holes: the others are not looked through again.
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

  /// What is confidential is wiped when the message is over, and an inbox keeps what it has.
  package static let confidentialInbox = Problem(
    .impossible, at: "/inbox",
    "cannot be had for a confidential message, which is wiped when it is over and never in an inbox: leave one of both out"
  )

  var timingCount = 0

  /// True when nothing says when, or how fast: it may go out as soon as it is stored. An ad may have to wait for morning.
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

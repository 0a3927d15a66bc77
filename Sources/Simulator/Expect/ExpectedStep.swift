/// A step of a conformance run: the instruction to the client, the way the server responds, and the judge of the
/// client's requests.
struct ExpectedStep: Sendable {
  /// The instruction: members of the JSON object in addition to `step`.
  enum Action: Sendable {
    case register(token: String, clientUID: String, proof: String)
    /// A user logs in on a registered device.
    case setUser(clientUID: String, proof: String)
    /// Deliver pushes while the app is in the background, as an extension or service would receive them.
    case push([String])
    /// End the client's process and start it again with the files that it has stored.
    case restart
    /// Bring the app to the foreground, this many seconds later.
    case flush(afterSeconds: Int)
    case read(payload: String, badgeOption: String?, badge: Int?)
    case setBadge(Int)
    case joinGroup(String)
    /// The user is asked for consent to notifications and advertising only.
    case consent(notification: Bool, ad: Bool)
    /// The app shows the whole inbox.
    case inbox
    case unregisterUser
    case unregisterService
  }

  /// The server's behavior during the step.
  enum Manner: Sendable {
    case well
    /// Status 503 with Retry-After (`Limits.expectedRetryAfterSeconds`).
    case busy
    /// Status 200 with an HTML page, like the login page of a public network.
    case page
    /// Result `unknown-message` for each confirmation.
    case unknown
    /// Status 308 with another path of the same server.
    case redirect
    /// Status 403 with `upmc:bad-user-proof` for each request that names a user.
    case unproved
    /// Registrations get `awaitsPush`, as in a strict app.
    case strict
  }

  /// The optional parts of the API, which a client may lack.
  enum Part: String, CaseIterable, Sendable {
    case strict, consent, inbox
  }

  let title: String
  /// The part that the step belongs to; nil for a step that every client must pass.
  var part: Part?
  let action: Action
  var manner = Manner.well
  /// Returns the faults in the requests received during the step.
  let judge: @Sendable ([ExpectedRequest], ExpectationFacts) -> [ClientFault]
}

/// The values that the server has issued to the client and learned from it so far.
struct ExpectationFacts: Sendable {
  let appID: String
  let clientKey: String
  /// The device's current key: the one in the last response.
  var authKey: String
  /// The previous key if it was replaced during this step; otherwise nil.
  var formerKey: String?
  let device: String
  /// The `deviceId` in the first registration; nil before that.
  var deviceID: String?
}

/// A mistake of a client, with a stable name and an explanation.
package enum ClientFault: String, CaseIterable, Codable, Sendable {
  case registrationMissing = "registration-missing"
  case registrationIncomplete = "registration-incomplete"
  case registrationKey = "registration-key"
  case tokenAsAnotherDevice = "token-as-another-device"
  case tokenWithoutKey = "token-without-key"
  case receiptMissing = "receipt-missing"
  case receiptWrong = "receipt-wrong"
  case receiptWithKey = "receipt-with-key"
  case asksTooSoon = "asks-too-soon"
  case lostWhenBusy = "lost-when-busy"
  case lostBehindPage = "lost-behind-page"
  case lostAtRestart = "lost-at-restart"
  case repeatsRefused = "repeats-refused"
  case batchTooLarge = "batch-too-large"
  case confirmsSilent = "confirms-silent"
  case confirmsForeign = "confirms-foreign"
  case confirmsTwice = "confirms-twice"
  case readMissing = "read-missing"
  case readWrong = "read-wrong"
  case badgeUnchecked = "badge-unchecked"
  case badgeMissing = "badge-missing"
  case groupMissing = "group-missing"
  case followsRedirect = "follows-redirect"
  case leaveMissing = "leave-missing"
  case userMissing = "user-missing"
  case proofMissing = "proof-missing"
  case repeatsUnproved = "repeats-unproved"
  case possessionMissing = "possession-missing"
  case possessionWrong = "possession-wrong"
  case possessionLost = "possession-lost"
  case possessionRepeated = "possession-repeated"
  case keyNotTaken = "key-not-taken"
  case consentMissing = "consent-missing"
  case consentWrong = "consent-wrong"
  case inboxMissing = "inbox-missing"
  case inboxNotWhole = "inbox-not-whole"

  /// A sentence that states the client's mistake or its obligation.
  package var sentence: String {
    switch self {
    case .registrationMissing: "No POST /v1/devices came."
    case .registrationIncomplete: "The registration must be JSON with appId, psid, a deviceId and the clientUid."
    case .registrationKey: "The first registration bears the app's client key as Authorization: Bearer."
    case .tokenAsAnotherDevice: "A new token must be registered with the same deviceId as the one before."
    case .tokenWithoutKey: "A new token must be registered with the device's authKey, or it becomes a guest's."
    case .receiptMissing: "No receipt came for a push that was shown."
    case .receiptWrong: "A receipt bears the seqno and pushkey of the payload and the token that it came to."
    case .receiptWithKey: "Receipts and reads bear no key: the pushkey proves them."
    case .asksTooSoon: "After 503 with Retry-After nothing more may be asked until then."
    case .lostWhenBusy: "A receipt that was answered 503 must be sent again later."
    case .lostBehindPage:
      "A 200 that is no answer to the receipts, such as a log-in page, records nothing: send them again."
    case .lostAtRestart: "A receipt that was not recorded must survive the end of the process: store it before sending."
    case .repeatsRefused: "A confirmation that was answered unknown-message must not be sent again."
    case .batchTooLarge: "A call confirms at most 100 messages."
    case .confirmsSilent: "A push without an alert shows nothing to the person: do not confirm it."
    case .confirmsForeign: "A payload without mps.seqno and mps.pushkey is not UPMC's: do not confirm it."
    case .confirmsTwice: "A payload with feedback \"true\" was confirmed by the extension: do not confirm it again."
    case .readMissing: "No read came."
    case .readWrong: "A read bears seqno, pushkey and token, and badgeOption and badge as the app wished."
    case .badgeUnchecked: "A badge outside 1…1000 must be refused before anything is sent."
    case .badgeMissing: "PUT /v1/devices/{device}/badge with the device's authKey did not come."
    case .groupMissing: "PUT /v1/devices/{device}/groups/{groupSeq} with the device's authKey did not come."
    case .followsRedirect: "A redirect must not be followed: the key would go elsewhere."
    case .leaveMissing: "The DELETE call with the device's authKey did not come."
    case .userMissing: "No call named the user."
    case .proofMissing: "The proof that the app's own server made for the user is sent with the user, as userProof."
    case .repeatsUnproved: "A user that was answered upmc:bad-user-proof is not named again with the same proof."
    case .possessionMissing:
      "After awaitsPush the next push is brought back by POST /v1/devices/{device}/possession, also a silent one."
    case .possessionWrong:
      "A push that is brought back bears its seqno and pushkey, the token, and the device's authKey."
    case .possessionLost: "A push that was answered 503 must be brought back later: the silent push comes once."
    case .possessionRepeated: "Once the answer says awaitsPush false, no push is brought back any more."
    case .keyNotTaken: "Each answer about the registration or the user has the authKey that counts from then on."
    case .consentMissing: "PUT /v1/devices/{device}/consent with the device's authKey did not come."
    case .consentWrong: "A consent bears what the person was asked, as answered, and leaves out everything else."
    case .inboxMissing: "GET /v1/devices/{device}/inbox with the device's authKey did not come."
    case .inboxNotWhole: "An inbox has further pages: ask with cursor until nextCursor is null."
    }
  }
}

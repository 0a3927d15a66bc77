internal import Crypto
internal import Domain

/// What cannot be kept confidential.
enum ConfidentialityRules {
  /// - Parameter json: of the request.
  /// - Throws: `.impossible` for what the lines of an uploaded file say, which nothing seals, and for what is to stay in inboxes.
  static func check(_ message: MessageRequest, _ json: [UInt8]) throws(Problem) {
    // The app may have decided it.
    if message.isConfidential, message.inboxSeconds != nil { throw MessageRequest.confidentialInbox }
    guard message.isConfidential, message.csv != nil, message.content.fillsVariables,
      String(decoding: json, as: UTF8.self).contains("%VAR")
    else { return }
    throw Problem(
      .impossible, at: "/audience",
      """
      is a file whose values stand in the text, and a file is not sealed: send each person a message of their own, or choose \
      a lane that is not among the app's confidentialLanes
      """)
  }
}

/// What a send leaves in the database of its request: all of it, or, when it is confidential, what it says sealed.
struct StoredRequest {
  /// JSON.
  let text: String
  let sealed: [UInt8]?

  /// - Parameter json: of a request that was read without fault.
  /// - Throws: `.notConfigured` when there is no key to seal with.
  init(
    _ json: [UInt8], isConfidential: Bool, of app: App.Number, seal: ContentSeal?
  ) throws(Problem) {
    guard isConfidential else {
      (text, sealed) = (String(decoding: json, as: UTF8.self), nil)
      return
    }
    guard let seal else { throw Self.noSeal }
    let parts = try SealedRequest.split(json)
    text = String(decoding: parts.plain, as: UTF8.self)
    sealed = seal.seal(parts.content, of: app)
  }

  static let noSeal = Problem(
    .notConfigured,
    "A confidential message is sealed with the server's keys: set UPMC_MASTER_KEY or UPMC_MASTER_KEY_FILE as the server has it."
  )
}

/// What tells a request from another one with the same idempotency key.
struct RequestDigest {
  /// What is stored with the message.
  let stored: [UInt8]
  /// What the alternative digest is computed from: the app may have changed its mind about what is confidential.
  private let other: (body: [UInt8], seal: ContentSeal?)?

  init(_ body: [UInt8], isConfidential: Bool, seal: ContentSeal?) {
    if isConfidential, let seal {
      (stored, other) = (seal.digest(body), (body, nil))
    } else {
      (stored, other) = (SHA256.hash(body), (body, seal))
    }
  }

  /// One that was made when the request came first.
  init(stored: [UInt8]) {
    (self.stored, other) = (stored, nil)
  }

  /// - Parameter earlier: as it is stored; nil matches nothing.
  func matches(_ earlier: [UInt8]?) -> Bool {
    if earlier == stored { return true }
    guard let earlier, let (body, seal) = other else { return false }
    return earlier == seal?.digest(body) ?? SHA256.hash(body)
  }
}

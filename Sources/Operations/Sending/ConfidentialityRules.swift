internal import Crypto
internal import Domain

/// Rejects messages that cannot be kept confidential. Decision 072.
enum ConfidentialityRules {
  /// Throws `.impossible` if a confidential message uses values from an uploaded file, which is not encrypted, or is to
  /// be kept in inboxes.
  /// - Parameter json: the request's JSON, which is searched for placeholders.
  static func check(_ message: MessageRequest, _ json: [UInt8]) throws(Problem) {
    // Confidentiality may come from the app's settings.
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

/// A request as it is stored: complete, or without its content if it is confidential, which is then encrypted
/// separately.
struct StoredRequest {
  /// The request as JSON.
  let text: String
  /// Encrypted content of a confidential message; nil for other messages.
  let sealed: [UInt8]?

  /// Prepares a request for storage.
  /// - Parameter json: a request that has been parsed successfully.
  /// - Throws: `.notConfigured` if the message is confidential and there is no key to encrypt with.
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

/// Digest that tells whether a later request with the same idempotency key is the same request.
struct RequestDigest {
  /// Digest as stored with the message.
  let stored: [UInt8]
  /// Input of the alternative digests, which are needed if the app's confidentiality settings or the server's keys have
  /// changed since the earlier request; nil if the digest was created from its stored form.
  private let other: (body: [UInt8], seal: ContentSeal?)?

  init(_ body: [UInt8], isConfidential: Bool, seal: ContentSeal?) {
    if isConfidential, let seal {
      (stored, other) = (seal.digest(body), (body, seal))
    } else {
      (stored, other) = (SHA256.hash(body), (body, seal))
    }
  }

  /// Creates the digest from its stored form. It matches only an identical digest.
  init(stored: [UInt8]) {
    (self.stored, other) = (stored, nil)
  }

  /// Returns whether the earlier request was the same.
  /// - Parameter earlier: its stored digest; nil matches nothing.
  func matches(_ earlier: [UInt8]?) -> Bool {
    if earlier == stored { return true }
    guard let earlier, let (body, seal) = other else { return false }
    return earlier == SHA256.hash(body) || seal?.isDigest(earlier, of: body) == true
  }
}

internal import Crypto
internal import JSON

/// A Google service account read from its JSON file: its identity and its signing key.
package struct ServiceAccount: Sendable {
  package let projectID: String
  package let email: String
  package let keyID: String
  private let key: RSA.PrivateKey

  /// The fault of a file, as a sentence for the person who uploads it.
  package struct Mistake: Error, Equatable, CustomStringConvertible, Sendable {
    package let sentence: Sentence
    package var description: String { sentence.english }

    init(description: Sentence) {
      sentence = description
    }
  }

  /// SHA-256 of the public key (DER), in 64 hexadecimal digits. It identifies the holder of the private key, regardless
  /// of the names in the file.
  package let fingerprint: String

  /// Parses and validates a service account file.
  /// - Parameters:
  ///   - json: content of the file that Google's console provides.
  ///   - tokens: the URL at which this server requests access tokens; a URL in the file must be allowed by it.
  /// - Throws: if this is not the JSON of a service account, a member is missing or invalid, it names another URL, or
  ///   its key is not an RSA key of 2048 bits or more.
  package init(json: String, tokens: TokenAddress = TokenAddress()) throws(Mistake) {
    let members: [String: String]
    do throws(JSONError) {
      members = try Self.read(json)
    } catch {
      throw Mistake(description: "must be the JSON file of a service account (\(error))")
    }
    guard members["type"] == "service_account" else {
      throw Mistake(
        description: "must be the JSON file of a service account: its \"type\" is \(members["type"] ?? "missing")")
    }
    func need(_ name: String) throws(Mistake) -> String {
      guard let value = members[name], !value.isEmpty else {
        throw Mistake(description: "must be the JSON file of a service account: \"\(name)\" is missing")
      }
      return value
    }
    projectID = try need("project_id")
    email = try need("client_email")
    keyID = try need("private_key_id")
    let tokenURI = members["token_uri"] ?? TokenAddress.google
    guard projectID.utf8.allSatisfy(Self.isNameByte) else {
      throw Mistake(description: "names the project \"\(projectID)\", which is no project id")
    }
    guard tokens.allows(tokenURI) else {
      throw Mistake(
        description: """
          names \(tokenURI) as its token_uri: access tokens are got at \(tokens.url) here. Give the file as Google made \
          it; another address is for the operator to set (UPMC_FCM_TOKEN_URL)
          """)
    }
    do {
      key = try RSA.PrivateKey(pem: try need("private_key"))
    } catch let mistake as Mistake {
      throw mistake
    } catch {
      throw Mistake(description: "holds a \"private_key\" that is no RSA key of 2048 bits or more in PEM")
    }
    fingerprint = Hex.encode(SHA256.hash(key.publicKey.der))
  }

  /// Scope of the access tokens: sending messages, and nothing else.
  package static let scope = "https://www.googleapis.com/auth/firebase.messaging"
  /// Lifetime of an assertion in seconds: Google's maximum.
  package static let assertionSeconds: Int64 = 3600

  private static func read(_ json: String) throws(JSONError) -> [String: String] {
    var members: [String: String] = [:]
    var reader = JSONReader(Array(json.utf8))
    try reader.readObject { (reader, name) throws(JSONError) in
      guard try reader.peek() == .string else { return try reader.skip() }
      members[name] = try reader.readString()
    }
    try reader.finish()
    return members
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x3A || byte == 0x2E
  }

  /// Creates the signed assertion that is exchanged for an access token (RFC 7523; RS256, RFC 7518 §3.3). Takes about a
  /// millisecond.
  /// - Parameter seconds: time of issue, in seconds since 1970; the assertion expires `assertionSeconds` later.
  package func assertion(issuedAt seconds: Int64) throws -> String {
    let header = #"{"alg":"RS256","typ":"JWT","kid":"\#(keyID)"}"#
    var claims = JSONWriter()
    claims.object { writer in
      writer.member("iss", email)
      writer.member("scope", Self.scope)
      // Google requires its own URL here, even if requests go to another one.
      writer.member("aud", TokenAddress.google)
      writer.member("iat", seconds)
      writer.member("exp", seconds + Self.assertionSeconds)
    }
    let signed = Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.bytes)
    return signed + "." + Base64URL.encode(key.signature(for: Array(signed.utf8)))
  }
}

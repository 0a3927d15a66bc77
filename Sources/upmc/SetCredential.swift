internal import ArgumentParser
internal import FoundationEssentials
internal import JSON

/// `upmc app credential`: stores an app's credential for a push network.
struct SetCredential: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "credential", abstract: "Give an app what opens Apple's or Google's push service.",
    usage: """
      upmc app credential <app-id> --apns-key <file> --key-id <id> --team-id <id> [--check] [--json]
      upmc app credential <app-id> --apns-certificate <file> [--passphrase-file <file>] [--json]
      upmc app credential <app-id> --fcm-service-account <file> [--fcm-style data|notification]
        [--fcm-platforms all|android] [--json]
      """,
    discussion: """
      The .p8 key is made at developer.apple.com under Certificates, Identifiers & Profiles, Keys. The key id stands \
      beside it there, and in its file name; the team id under Membership. The key is sealed with the master key and \
      never shown again. A running server uses it within a second, and resumes the app if it was paused.

      With --check Apple is asked before the key takes the place of another, by a push to a token that nobody has: one that \
      Apple does not take replaces nothing. Without, a running server asks afterwards.

      A push certificate works too, as a .p12 archive or PEM with its private key. It ends after a year, and is for the \
      topics it names.

        upmc app credential com.example.bank --apns-key AuthKey.p8 \\
          --key-id ABCDE12345 --team-id FGHIJ67890
        upmc app credential com.example.bank --apns-certificate push.p12 --passphrase-file push.pass

      For devices registered with FCM the app needs a service account of its Firebase project: its JSON file is made in \
      the Firebase console under Project settings, Service accounts. An app may have both, one for each network.

        upmc app credential com.example.bank --fcm-service-account bank-firebase.json
      """)

  @Argument(help: "The app's id.")
  var appID: String

  @Option(help: "File with the .p8 key.")
  var apnsKey: String?

  @Option(help: "Key id: 10 capital letters and digits.")
  var keyID: String?

  @Option(help: "Team id: 10 capital letters and digits.")
  var teamID: String?

  @Flag(help: "Ask Apple before the old key goes; a key that it does not take changes nothing.")
  var check = false

  @Option(help: "File with a push certificate and its private key: .p12 or PEM.")
  var apnsCertificate: String?

  @Option(help: "What opens the certificate's file. Others on this machine may see it: prefer --passphrase-file.")
  var passphrase: String?

  @Option(help: "File whose first line opens the certificate's file.")
  var passphraseFile: String?

  @Option(help: "File with the service account's key, in JSON.")
  var fcmServiceAccount: String?

  @Option(help: "data: the SDK in the app shows messages; notification: Android shows them by itself.")
  var fcmStyle = "data"

  @Option(help: "all: iOS devices come through FCM too; android: none do, and messages are smaller.")
  var fcmPlatforms = "all"

  @OptionGroup var call: CallOptions

  func validate() throws {
    if fcmServiceAccount != nil {
      guard apnsKey == nil, apnsCertificate == nil, keyID == nil, teamID == nil else {
        throw ValidationError("Give one credential at a time: Apple's or Google's.")
      }
      return
    }
    switch (apnsKey, apnsCertificate) {
    case (nil, nil):
      throw ValidationError(
        "Give --apns-key with --key-id and --team-id, --apns-certificate, or --fcm-service-account.")
    case (.some, .some): throw ValidationError("Give either --apns-key or --apns-certificate: an app has one of them.")
    case (.some, nil):
      guard keyID != nil, teamID != nil else {
        throw ValidationError("With --apns-key give --key-id and --team-id too.")
      }
    case (nil, .some):
      guard keyID == nil, teamID == nil else {
        throw ValidationError("--key-id and --team-id belong to --apns-key; a certificate has none.")
      }
    }
    guard !check || apnsKey != nil else { throw ValidationError("--check is for --apns-key.") }
    guard passphrase == nil || passphraseFile == nil else {
      throw ValidationError("Give either --passphrase or --passphrase-file.")
    }
  }

  func run() throws {
    if let fcmServiceAccount { return try setServiceAccount(fcmServiceAccount) }
    if let apnsCertificate {
      try setCertificate(apnsCertificate)
    } else {
      try setKey(apnsKey ?? "", keyID ?? "", teamID ?? "")
    }
  }

  private func setCertificate(_ path: String) throws {
    let body: JSONTree = .object([
      ("file", .text(Data(try bytes(path)).base64EncodedString())), ("passphrase", .text(try readPassphrase())),
    ])
    try set("apnsCertificate", body) { set in
      """
      \(set.text("appId")) pushes with a certificate for \
      \(set.list("topics").compactMap(\.string).joined(separator: ", ")) from now on. It ends on \(set.text("endsAt")).
      """
    }
  }

  private func setServiceAccount(_ path: String) throws {
    try set(
      "fcmServiceAccount",
      .object([("json", .text(try read(path))), ("style", .text(fcmStyle)), ("platforms", .text(fcmPlatforms))])
    ) { set in
      "\(set.text("appId")) pushes through project \(set.text("projectId")) as \(set.text("clientEmail")) from now on."
    }
  }

  private func set(_ kind: String, _ body: JSONTree, _ sentence: (JSONTree) -> String) throws {
    var members: [JSONTree.Member] = [("appId", .text(appID)), (kind, body)]
    if check { members.append(("check", .flag(true))) }
    let request = AdminRequest(.put, ["credentials"], body: .object(members), sealing: .secret)
    try call.withAPI { api in
      let set = try api.answer(request).json
      call.output.show(set, sentence(set))
    }
  }

  private func readPassphrase() throws -> String {
    guard let passphraseFile else { return passphrase ?? "" }
    return try read(passphraseFile).split(whereSeparator: \.isNewline).first.map { String($0) } ?? ""
  }

  private func setKey(_ path: String, _ keyID: String, _ teamID: String) throws {
    try set(
      "apnsKey", .object([("pem", .text(try read(path))), ("keyId", .text(keyID)), ("teamId", .text(teamID))])
    ) { set in
      "\(set.text("appId")) pushes with key \(set.text("keyId")) of team \(set.text("teamId")) from now on. "
        + CheckSentence.of(set.given("check"))
    }
  }

  private func read(_ path: String) throws -> String {
    String(decoding: try bytes(path), as: UTF8.self)
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw CommandError("The file \(path) cannot be read. Give the path of a file that is there and may be read.")
    }
    return Array(data)
  }
}

/// Describes the result of checking a key with Apple in a sentence.
enum CheckSentence {
  static func of(_ check: JSONTree?) -> String {
    guard let check else { return "Apple has not been asked yet: `upmc doctor` asks it." }
    let word = check.text("word")
    return switch check.text("result") {
    case "works": "Apple takes it (\(word))."
    case "refused": "Apple refuses it: \(word). Look at key, key id, team id and the app's id."
    default: "Apple could not be asked: \(word)."
    }
  }
}

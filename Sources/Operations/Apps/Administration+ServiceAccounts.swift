package import Domain
package import JSON
package import Postgres
internal import Store

/// Google service accounts, which authenticate with FCM.
extension Administration {
  /// The account's JSON file, and the settings for the app's FCM messages.
  package struct FCMServiceAccount: Sendable {
    package var json: String
    package var settings: FCMSettings

    package init(json: String, settings: FCMSettings = FCMSettings()) {
      self.json = json
      self.settings = settings
    }

    static let object = JSONObject(
      "FCMServiceAccount", isNamed: false, from: FCMServiceAccount(json: ""),
      [
        .required(
          "json",
          .credential(JSONSchema.givenText.adding([("minLength", .number(1)), ("format", "service-account")])), \.json,
          "The service account's file, as a text."),
        .given(
          "style", .words(FCMSettings.styles), \.settings.style,
          "`data`: the SDK shows the message; `notification`: Android does."),
        .given(
          "platforms", .words(FCMSettings.platforms), \.settings.platforms,
          "`android`: iOS devices are reached by APNs only."),
      ])
  }

  /// Settings for an app's FCM messages; stored beside its credential.
  package struct FCMSettings: Sendable, Equatable {
    /// `data` (the SDK displays the notification) or `notification` (Android displays it).
    package var style = "data"
    /// `all` (including iOS devices behind FCM) or `android`.
    package var platforms = "all"

    package static let styles = ["data", "notification"]
    package static let platforms = ["all", "android"]

    package init() {}

    /// Parses the stored public properties of a credential. Absent settings have their default values; other members
    /// are ignored.
    package init(publicPart: String) throws(JSONError) {
      var settings = Self()
      var reader = JSONReader(Array(publicPart.utf8))
      try reader.readObject { (reader, name) throws(JSONError) in
        switch name {
        case "style": settings.style = try reader.readString()
        case "platforms": settings.platforms = try reader.readString()
        default: try reader.skip()
        }
      }
      self = settings
    }
  }

  package struct ServiceAccountSet: DescribedAnswer {
    package let appID: String
    package let projectID: String
    package let clientEmail: String
    package let keyID: String
    package let settings: FCMSettings

    package static let object = JSONObject<ServiceAccountSet>(
      "ServiceAccountSet", about: "Of a Google service account.",
      [.always("appId", .appID, \.appID), .always("pnsId", .network, { _ in .fcm })] + shown)
    /// Public properties of the credential, stored beside it.
    static let publicPart = JSONObject<ServiceAccountSet>("ServiceAccountShown", isNamed: false, shown)

    private static let shown: [JSONField<ServiceAccountSet>] = [
      .always("projectId", .anyText, \.projectID, "The Firebase project."),
      .always("clientEmail", .anyText, \.clientEmail, "The service account."),
      .always("keyId", .anyText, \.keyID, "Of its key."),
      .always("style", .words(FCMSettings.styles), \.settings.style),
      .always("platforms", .words(FCMSettings.platforms), \.settings.platforms),
    ]
  }

  /// Stored name of this kind of credential.
  package static let fcmServiceAccountKind = "fcm-service-account"

  /// Stores the account in place of the app's earlier one, and ends a pause, which the old account may have caused.
  /// Does not ask Google.
  /// - Parameter tokens: address that issues access tokens. The account file must name this address, one of Google's,
  ///   or none.
  /// - Throws: `.invalidField` if the file or a setting is not valid, `.conflict` if the app is being deleted,
  ///   `.forbidden`, `.unknownApp`.
  package static func setCredential(
    _ credential: FCMServiceAccount, of appID: String, master: MasterKey, tokens: TokenAddress = TokenAddress(),
    by caller: Caller, on connection: Connection
  ) throws(Problem) -> ServiceAccountSet {
    let app = try connection.app(appID)
    try caller.require(.manageApps, in: app)
    try check(credential.settings)
    let account = try open(credential, tokens)
    let set = ServiceAccountSet(
      appID: app.appID, projectID: account.projectID, clientEmail: account.email, keyID: account.keyID,
      settings: credential.settings)
    try store(
      Credential(
        network: .fcm, kind: fcmServiceAccountKind, publicPart: ServiceAccountSet.publicPart.text(of: set),
        secret: Array(credential.json.utf8)),
      of: app, master: master, by: caller, on: connection)
    return set
  }

  private static func check(_ settings: FCMSettings) throws(Problem) {
    guard FCMSettings.styles.contains(settings.style) else {
      throw Problem(at: "/fcmServiceAccount/style", "must be one of \(FCMSettings.styles.joined(separator: ", "))")
    }
    guard FCMSettings.platforms.contains(settings.platforms) else {
      throw Problem(
        at: "/fcmServiceAccount/platforms", "must be one of \(FCMSettings.platforms.joined(separator: ", "))")
    }
  }

  private static func open(_ credential: FCMServiceAccount, _ tokens: TokenAddress) throws(Problem) -> ServiceAccount {
    let pointer = "/fcmServiceAccount"
    guard credential.json.utf8.count <= Operations.Limits.credentialBytes else {
      throw Problem(
        at: pointer,
        "is longer than \(Operations.Limits.credentialBytes) bytes; a service account's file has about 2,400")
    }
    do throws(ServiceAccount.Mistake) {
      return try ServiceAccount(json: credential.json, tokens: tokens)
    } catch {
      throw Problem(at: pointer, error.sentence)
    }
  }
}

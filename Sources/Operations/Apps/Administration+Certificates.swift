package import Domain
internal import FoundationEssentials
package import JSON
package import Postgres
package import Reactor
internal import Store
internal import TLS
package import Time

/// Push certificates, the older way to authenticate with APNs.
extension Administration {
  /// A certificate with its private key, as exported: a .p12 archive or PEM.
  package struct APNsCertificate: Sendable {
    package var file: [UInt8]
    /// The archive's passphrase; empty if there is none.
    package var passphrase: String

    package init(file: [UInt8], passphrase: String) {
      self.file = file
      self.passphrase = passphrase
    }

    static let object = JSONObject(
      "APNsCertificate", isNamed: false, from: APNsCertificate(file: [], passphrase: ""),
      [
        .required("file", .certificate, \.file, "A .p12 archive or PEM, in base64."),
        .given("passphrase", .givenText, \.passphrase),
      ])
  }

  package struct CertificateSet: DescribedAnswer {
    package let appID: String
    /// Topics the certificate is valid for, for example `com.example.bank` and `com.example.bank.voip`; at least one.
    package let topics: [String]
    package let environments: [PushEnvironment]
    /// Time at which the certificate expires. No push can be sent with it from then on.
    package let endsAt: Timestamp

    package static let object = JSONObject<CertificateSet>(
      "CertificateSet", about: "Of an APNs certificate.",
      [.always("appId", .appID, \.appID), .always("pnsId", .network, { _ in .apns })] + shown)
    /// Public properties of the credential, stored beside it.
    static let publicPart = JSONObject<CertificateSet>("CertificateShown", isNamed: false, shown)

    private static let shown: [JSONField<CertificateSet>] = [
      .always("topics", .list(of: .anyText), \.topics, "That it is for."),
      .always("environments", .list(of: .environment), \.environments, "That it opens."),
      .always("endsAt", .moment, \.endsAt, "No push leaves after that."),
    ]
  }

  /// Stored name of this kind of credential.
  package static let apnsCertificateKind = "apns-certificate"

  /// Stores the certificate and its key in place of the app's earlier APNs credential. Ends a pause, which the old
  /// credential may have caused, and restores devices quarantined because of it. Does not ask Apple.
  /// - Throws: `.invalidField` if the file is too large or cannot be read, or the certificate has expired or does not
  ///   have the app's id among its topics; `.conflict` if the app is being deleted; `.forbidden`; `.unknownApp`.
  package static func setCredential(
    _ certificate: APNsCertificate, of appID: String, master: MasterKey, by caller: Caller, on connection: Connection,
    clock: any Clock = SystemClock()
  ) throws(Problem) -> CertificateSet {
    let app = try connection.app(appID)
    try caller.require(.manageApps, in: app)
    let identity = try open(certificate)
    let set = try check(identity.certificate, of: app, now: clock.wallTime)
    try store(
      Credential(
        network: .apns, kind: apnsCertificateKind, publicPart: CertificateSet.publicPart.text(of: set),
        // The passphrase is needed only here, to read the file; it is not stored.
        secret: Array(identity.pem.utf8)),
      of: app, master: master, by: caller, on: connection)
    return set
  }

  private static let pointer = "/apnsCertificate"

  private static func open(_ certificate: APNsCertificate) throws(Problem) -> TLSIdentity {
    guard certificate.file.count <= Operations.Limits.credentialBytes else {
      throw Problem(
        at: pointer, "is longer than \(Operations.Limits.credentialBytes) bytes; a .p12 file has about 3,200")
    }
    do throws(TLSError) {
      let text = String(decoding: certificate.file, as: UTF8.self)
      if text.contains("-----BEGIN") { return try TLSIdentity(pem: text, passphrase: certificate.passphrase) }
      return try TLSIdentity(pkcs12: certificate.file, passphrase: certificate.passphrase)
    } catch {
      throw Problem(
        at: pointer,
        """
        must be a push certificate with its private key, as a .p12 archive or in PEM, and the passphrase that opens it \
        (\(error))
        """)
    }
  }

  private static func check(_ info: CertificateInfo, of app: App, now: Timestamp) throws(Problem) -> CertificateSet {
    var topics = info.topics
    if topics.isEmpty, let userID = info.userID { topics = [userID] }
    guard !topics.isEmpty else {
      throw Problem(at: pointer, "is no push certificate of Apple's: it names no topic (\(info.subject))")
    }
    guard topics.contains(app.appID) else {
      throw Problem(at: pointer, "is for \(topics.joined(separator: ", ")), not for \(app.appID)")
    }
    guard now.seconds < info.notAfter else {
      throw Problem(
        at: pointer,
        "ended on \(Timestamp(seconds: info.notAfter)); make a new one at developer.apple.com, or use a .p8 key"
      )
    }
    var environments: [PushEnvironment] = []
    if info.allowsProduction { environments.append(.production) }
    if info.allowsDevelopment { environments.append(.sandbox) }
    return CertificateSet(
      appID: app.appID, topics: topics, environments: environments, endsAt: Timestamp(seconds: info.notAfter))
  }
}

extension JSONForm<[UInt8]> {
  /// Form of the certificate file in base64.
  fileprivate static let certificate = JSONForm(
    JSONSchema.givenText.adding("format", "push-certificate"),
    read: { (reader) throws(JSONError) in
      guard let data = Data(base64Encoded: try reader.readString(), options: .ignoreUnknownCharacters) else {
        throw JSONError("must be the file in base64")
      }
      return Array(data)
    })
}

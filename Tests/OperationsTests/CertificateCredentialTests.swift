import Domain
import Postgres
import Reactor
import Store
import TLS
import TestSupport
import Testing

@testable import Operations

@Suite struct CertificateCredentialTests {
  let connection: Connection
  let master: MasterKey
  let authority: CertificateAuthority

  init() throws {
    connection = try TestDatabase.make().connect()
    master = try MasterKey(bytes: MasterKey.makeBytes())
    authority = try CertificateAuthority()
    _ = try Administration.createApp(
      "com.example.bank", name: "Bank", timeZone: "Asia/Seoul", identity: .open, by: .commandLine, on: connection)
  }

  private func identity(_ bundleID: String = "com.example.bank", notAfter: Int64? = nil) throws -> TLSIdentity {
    try authority.issuePushClient(
      bundleID: bundleID, topics: [(bundleID, "app"), (bundleID + ".voip", "voip")], notBefore: 1_600_000_000,
      notAfter: notAfter)
  }

  private func set(_ file: [UInt8], passphrase: String = "") throws(Problem) -> Administration.CertificateSet {
    try Administration.setCredential(
      Administration.APNsCertificate(file: file, passphrase: passphrase), of: "com.example.bank", master: master,
      by: .commandLine, on: connection)
  }

  private func problem(_ body: () throws -> Void) -> Problem? {
    do {
      try body()
      return nil
    } catch {
      return error as? Problem
    }
  }

  @Test func `an archive is opened once, stored sealed without its passphrase, and ends the pause`() throws {
    let app = try #require(try connection.run(Apps.find(appID: "com.example.bank"))).app
    try connection.run(AppPauses.pause(app.number, reason: "CertificateExpired"))
    let identity = try identity(notAfter: 1_900_000_000)
    let answer = try set(identity.pkcs12(passphrase: "open sesame"), passphrase: "open sesame")
    #expect(
      String(decoding: answer.json, as: UTF8.self) == #"{"appId":"com.example.bank","pnsId":"APNS","#
        + #""topics":["com.example.bank","com.example.bank.voip"],"environments":["production","sandbox"],"#
        + #""endsAt":"2030-03-17T17:46:40.000Z"}"#)
    let stored = try #require(try connection.run(Secrets.credentials()).first)
    #expect(stored.kind == "apns-certificate")
    #expect(stored.publicPart.contains("com.example.bank.voip") && !stored.publicPart.contains("PRIVATE"))
    let opened = try master.open(stored.sealed, for: "credential \(app.number) apns")
    #expect(try TLSIdentity(pem: String(decoding: opened, as: UTF8.self)).certificate == identity.certificate)
    #expect(try connection.run(Apps.find(appID: "com.example.bank"))?.app.pausedReason == nil)
  }

  @Test func `PEM with certificate and key is taken too`() throws {
    #expect(try set(Array(identity().pem.utf8)).topics == ["com.example.bank", "com.example.bank.voip"])
  }

  @Test func `what does not open, is for another app, or has ended is refused with the reason`() throws {
    let good = try identity()
    let cases: [([UInt8], String)] = [
      (Array("hello".utf8), "must be a push certificate"),
      (try good.pkcs12(passphrase: "other"), "must be a push certificate"),
      (Array(good.certificateChainPEM.utf8), "must be a push certificate"),
      (Array(try identity("com.example.shop").pem.utf8), "is for com.example.shop, com.example.shop.voip"),
      (Array(try identity(notAfter: 1_700_000_000).pem.utf8), "ended on 2023-11-14"),
      (Array(try authority.issueServer().pem.utf8), "is no push certificate of Apple's"),
      ([UInt8](repeating: 0, count: 20_000), "is longer than"),
    ]
    for (file, reason) in cases {
      let found = problem { _ = try set(file) }
      #expect(found?.fields.first?.pointer == "/apnsCertificate")
      #expect(found?.fields.first?.detail.contains(reason) == true, "\(reason): \(found?.detail ?? "")")
    }
    #expect(try connection.run(Secrets.credentials()).isEmpty)
  }

  @Test func `a certificate takes a key's place, and a caller without the right may not set one`() throws {
    let file = Array(try identity().pem.utf8)
    _ = try set(file)
    _ = try set(file)
    #expect(try connection.run(Secrets.credentials()).map(\.kind) == ["apns-certificate"])
  }
}

import Operations
import Simulator
import TLS
import TestSupport
import Testing

/// An app that opens Apple's push service with a certificate, through everything.
@Suite struct CertificateEndToEndTests {
  @Test func `an app that gets a certificate pushes with it from then on`() throws {
    let world = try World()
    let token = World.token("c0")
    #expect(try world.register("d1", token: token, user: "u1").status == 201)
    let withKey = try world.finished(try world.send(#"{"clientUids":["u1"]}"#))
    #expect(withKey.int("accepted") == 1)
    #expect(world.simulator.counters().connectionsWithCertificate == 0)

    let identity = try CertificateAuthority().issuePushClient(
      bundleID: World.appID, topics: [(World.appID, "app")])
    _ = try Administration.setCredential(
      Administration.APNsCertificate(file: try identity.pkcs12(passphrase: "p"), passphrase: "p"), of: World.appID,
      master: try World.master, by: .commandLine, on: world.connection)
    // The server learns of it within a second.
    _ = try poll("no push with the certificate") {
      let funnel = try world.finished(try world.send(#"{"clientUids":["u1"]}"#))
      #expect(funnel.int("accepted") == 1)
      return world.simulator.counters().connectionsWithCertificate > 0 ? true : nil
    }
  }
}

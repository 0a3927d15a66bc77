import Domain
import Foundation
import Operations
import Reactor
import Simulator
import Store
import TestSupport
import TestTier
import Testing

/// What a tenant writes into a service account's file makes this server call nothing.
@Suite(.slow, .serialized) struct TokenAddressTests {
  private func put(_ world: World, _ json: String) throws -> Reply {
    let body = try JSONSerialization.data(withJSONObject: [
      "appId": World.appID, "fcmServiceAccount": ["json": json],
    ])
    return try world.client.call(
      "PUT", "/v1/admin/credentials", bearer: world.apiKey, String(decoding: body, as: UTF8.self))
  }

  @Test func `a file whose token_uri is another's is refused, and one that is stored is not called`() throws {
    let inside = try FloodServer(opening: Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8), piece: [])
    let uri = "http://127.0.0.1:\(inside.address.port)/internal/admin?do=shutdown"
    let world = try World()
    let file = try ServiceAccountFile(projectID: "p")
    let refused = try put(world, file.json(tokenURI: uri))
    #expect(refused.status == 400 || refused.status == 422, "\(refused.text)")
    #expect(refused.text.contains("as its token_uri") && refused.text.contains("UPMC_FCM_TOKEN_URL"), "\(refused.text)")

    // As an earlier release has stored it.
    let registered = try world.client.call(
      "POST", "/v1/devices", bearer: world.clientKey,
      #"{"appId":"\#(World.appID)","pnsId":"FCM","psid":"fabc:APA91b1","deviceId":"a1","clientUid":"kim"}"#)
    #expect(registered.status == 201, "\(registered.text)")
    _ = try Administration.setCredential(
      Administration.FCMServiceAccount(json: file.json(tokenURI: uri)), of: World.appID, master: World.master,
      tokens: TokenAddress(configured: uri), by: .commandLine, on: world.connection)
    _ = try world.send(#"{"clientUids":["kim"]}"#)
    let reason = try poll("the app was not paused") { try world.connection.run(AppPauses.reason(of: 1)) }
    #expect(reason.contains("no usable FCM service account"), "\(reason)")
    #expect(inside.connections == 0, "it was called")
  }

  @Test func `Google's own file is taken, and asked about where the operator says`() throws {
    let world = try World()
    let json = world.started.serviceAccount.json(tokenURI: TokenAddress.google)
    #expect(try put(world, json).status == 200)
    try world.waitForCredentials(2)
    _ = try world.client.call(
      "POST", "/v1/devices", bearer: world.clientKey,
      #"{"appId":"\#(World.appID)","pnsId":"FCM","psid":"fabc:APA91b1","deviceId":"a1","clientUid":"kim"}"#)
    #expect(try world.finished(try world.send(#"{"clientUids":["kim"]}"#)).int("accepted") == 1)
  }
}

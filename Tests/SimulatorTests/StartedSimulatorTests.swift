import Testing

@testable import Simulator

@Suite struct StartedSimulatorTests {
  private func account(control: String) throws -> String {
    let endpoints = StartedSimulator.Endpoints(
      apns: "", sandbox: "", channels: nil, sandboxChannels: nil, fcm: nil, control: control)
    let key = StartedSimulator.ProviderKey(teamID: "", keyID: "", privateKeyPEM: "")
    let started = StartedSimulator(
      endpoints: endpoints, serviceAccount: try ServiceAccountFile(projectID: "demo"), authorityPEM: "",
      providerKey: key)
    return try #require(started.serviceAccountJSON).replacing("\\/", with: "/")
  }

  @Test(arguments: [
    ("0.0.0.0:8081", "http://127.0.0.1:8081/token"), ("[::]:8081", "http://[::1]:8081/token"),
    ("10.0.0.7:8081", "http://10.0.0.7:8081/token"), ("127.0.0.1:1", "http://127.0.0.1:1/token"),
  ]) func `an account names an address that can be asked, also when all are listened on`(
    control: String, expected: String
  ) throws {
    #expect(try account(control: control).contains("\"\(expected)\""))
  }
}

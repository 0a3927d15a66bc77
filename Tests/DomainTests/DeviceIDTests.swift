import Testing

@testable import Domain

@Suite struct DeviceIDTests {
  private let device = DeviceID(appID: "com.example.bank", network: .apns, installation: "device-1")

  @Test func `the same installation has the same id, for ever`() {
    // Computed with another implementation; a change here would orphan every registered device.
    #expect(device.description == "ae6eab5c-7e56-8c39-8ef7-37beb2872314")
  }

  @Test func `another app, network or installation has another id`() {
    #expect(DeviceID(appID: "com.example.bank2", network: .apns, installation: "device-1") != device)
    #expect(DeviceID(appID: "com.example.bank", network: .fcm, installation: "device-1") != device)
    #expect(DeviceID(appID: "com.example.bank", network: .apns, installation: "device-2") != device)
    // Names are kept apart: a letter does not move from one to the next.
    #expect(
      DeviceID(appID: "ab", network: .apns, installation: "c")
        != DeviceID(appID: "a", network: .apns, installation: "bc"))
  }

  @Test func `its text is a UUID of version 8, read in either case`() {
    for number in 0..<200 {
      let device = DeviceID(appID: "a", network: .apns, installation: String(number))
      let text = device.description
      #expect(text.count == 36)
      #expect(text.dropFirst(14).first == "8")
      #expect("89ab".contains(text.dropFirst(19).first ?? "x"))
      #expect(DeviceID(text) == device)
      #expect(DeviceID(text.uppercased()) == device)
    }
  }

  @Test(arguments: [
    "", "ae6eab5c7e568c398ef737beb2872316", "ae6eab5c-7e56-8c39-8ef7-37beb287231",
    "ae6eab5c-7e56-8c39-8ef7-37beb28723161",
    "ge6eab5c-7e56-8c39-8ef7-37beb2872316", "ae6eab5c+7e56-8c39-8ef7-37beb2872316",
    "{e6eab5c-7e56-8c39-8ef7-37beb287231}",
  ])
  func `what is no UUID is refused`(text: String) {
    #expect(DeviceID(text) == nil)
  }

  @Test func `ids sort as their texts do`() {
    let devices = (0..<100).map { DeviceID(appID: "a", network: .apns, installation: String($0)) }
    #expect(devices.sorted().map(\.description) == devices.map(\.description).sorted())
  }

  @Test func `each message has one submission id per device, always the same`() {
    let other = DeviceID(appID: "a", network: .apns, installation: "x")
    var seen: Set<DeviceID> = []
    for seqno in Int64(1)...1000 {
      let id = device.submissionID(of: Seqno(seqno))
      #expect(id == device.submissionID(of: Seqno(seqno)))
      #expect(id.description.dropFirst(14).first == "8")
      #expect(seen.insert(id).inserted)
      #expect(seen.insert(other.submissionID(of: Seqno(seqno))).inserted)
    }
    #expect(!seen.contains(device))
  }

  @Test func `the rows of an installation stand side by side, and no other's among them`() {
    let rows = device.rows
    #expect(rows.first == device && rows == rows.sorted() && Set(rows).count == 4)
    #expect(rows.allSatisfy { $0.sharesInstallation(with: rows[2]) && $0.rows == rows })
    let other = DeviceID(appID: "com.example.bank", network: .apns, installation: "device-2")
    #expect(!other.sharesInstallation(with: device))
  }
}

import Testing

@testable import Simulator

@Suite struct `Path rules` {
  @Test(arguments: [
    ("/", Reason.badPath), ("/3", .badPath), ("/3/devices/ab", .badPath), ("/2/device/ab", .badPath),
    ("/3/device/ab/cd", .badPath), ("3/device/ab", .badPath), ("/3/device", .missingDeviceToken),
    ("/3/device/", .missingDeviceToken),
  ])
  func `a path that is no device's is refused`(path: String, reason: Reason) {
    let request = TestRequest(authorization: nil).with(":path", path).request
    #expect(PathRules.check(request) == Rejection(reason))
  }

  @Test(arguments: ["GET", "PUT", "DELETE", "post", "HEAD"])
  func `only POST is allowed`(method: String) {
    let request = TestRequest(authorization: nil).with(":method", method).request
    #expect(PathRules.check(request) == Rejection(.methodNotAllowed))
  }

  @Test func `a missing token is told only to who posts`() {
    let request = TestRequest(authorization: nil, token: "").with(":method", "GET").request
    #expect(PathRules.check(request) == Rejection(.methodNotAllowed))
  }

  @Test func `a device's path is right whatever the token looks like`() {
    #expect(PathRules.check(TestRequest(authorization: nil, token: "not hex").request) == nil)
  }

  @Test(arguments: [
    "authorization", "apns-id", "apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id",
  ])
  func `a header of APNs must not be repeated, even with the same value`(name: String) {
    let request = TestRequest(authorization: "bearer x")
    let value = request.headers.first { $0.0 == name }?.1 ?? ""
    #expect(DuplicateRules.check(request.request) == nil)
    #expect(DuplicateRules.check(request.adding(name, value).request) == Rejection(.duplicateHeaders))
  }

  @Test func `other headers may be repeated`() {
    let request = TestRequest(authorization: nil).adding("x-a", "1").adding("x-a", "2").adding("apns-foo", "1")
    #expect(DuplicateRules.check(request.request) == nil)
  }
}

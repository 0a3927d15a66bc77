import Testing

@testable import Domain

@Suite struct UserKeyTests {
  private let device = DeviceID(appID: "a", network: .apns, installation: "i")

  @Test func `a user and a guest never share a key`() {
    #expect(UserKey(clientUID: "kim").text == "ukim")
    #expect(UserKey(guest: device).text == "g\(device)")
    // A user who is called like a guest's key is still a user.
    #expect(UserKey(clientUID: "g\(device)") != UserKey(guest: device))
  }

  @Test func `a user shows its CUID, a guest GUEST`() {
    #expect(UserKey(clientUID: "kim").description == "kim")
    #expect(UserKey(clientUID: "kim").clientUID == "kim")
    #expect(UserKey(guest: device).description == "GUEST")
    #expect(UserKey(guest: device).clientUID == nil)
    #expect(UserKey(guest: device).isGuest && !UserKey(clientUID: "kim").isGuest)
  }

  @Test func `guests sort before users, users by their bytes`() {
    let users = ["~", "한", "z", "Z", "", "a", "aa", "😀", "é"].map { UserKey(clientUID: $0) }
    let guest = UserKey(guest: device)
    for user in users { #expect(guest < user) }
    let sorted = users.sorted().map { Array($0.text.utf8) }
    for (left, right) in zip(sorted, sorted.dropFirst()) { #expect(left.lexicographicallyPrecedes(right)) }
    // Every key lies in the range that means its kind.
    for user in users { #expect(UserKey(stored: "u") < user || user.text == "u") }
    for user in users { #expect(user < UserKey(stored: "v")) }
  }

  @Test func `two spellings of one word in Unicode are two users, as the database has it`() {
    let (composed, decomposed) = (UserKey(clientUID: "jos\u{E9}"), UserKey(clientUID: "jose\u{301}"))
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
    #expect(decomposed < composed)
  }
}

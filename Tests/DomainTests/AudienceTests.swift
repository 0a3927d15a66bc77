import JSON
import Testing

@testable import Domain

@Suite struct AudienceTests {
  private func read(_ json: String) throws(JSONError) -> Audience {
    var reader = JSONReader(Array(json.utf8))
    let audience = try Audience.choice.read(&reader)
    try reader.finish()
    return audience
  }

  private func error(_ json: String) -> JSONError? {
    do throws(JSONError) {
      _ = try read(json)
      return nil
    } catch {
      return error
    }
  }

  private let device = DeviceID(appID: "a", network: .apns, installation: "i")

  @Test func `every form is read`() throws {
    #expect(try read(#"{"all":true}"#) == .all)
    #expect(try read(#"{"members":true}"#) == .members(true))
    #expect(try read(#"{"members":false}"#) == .members(false))
    #expect(try read(#"{"clientUids":["kim01","lee02"]}"#) == .clientUIDs(["kim01", "lee02"]))
    #expect(try read("{\"devices\":[\"\(device)\"]}") == .devices([device]))
    #expect(try read(#"{"groups":[3,"4"]}"#) == .groups([3, 4]))
  }

  @Test func `tokens in hex are compared in lower case, others as they stand`() throws {
    #expect(try read(#"{"psids":["ABcd","dGVz:t-Token"]}"#) == .psids(["abcd", "dGVz:t-Token"]))
  }

  @Test func `repeats collapse, in the order given`() throws {
    #expect(try read(#"{"clientUids":["b","a","b"]}"#) == .clientUIDs(["b", "a"]))
    // Spelled differently in Unicode: two people, for the database tells them apart.
    guard case .clientUIDs(let both) = try read(#"{"clientUids":["jos\u00e9","jose\u0301"]}"#) else { return }
    #expect(both.count == 2)
    #expect(try read(#"{"groups":[3,"3"]}"#) == .groups([3]))
    #expect(try read(#"{"psids":["AB","ab"]}"#) == .psids(["ab"]))
  }

  @Test(arguments: ["{}", #"{"all":true,"members":true}"#]) func `exactly one form is needed`(json: String) {
    #expect(error(json)?.reason.hasPrefix("must have exactly one of") == true)
  }

  @Test(arguments: [
    (#"{"all":false}"#, "/all"), (#"{"everyone":true}"#, "/everyone"), (#"{"clientUids":[]}"#, "/clientUids"),
    (#"{"clientUids":"kim"}"#, "/clientUids"), (#"{"clientUids":["a",""]}"#, "/clientUids/1"),
    (#"{"clientUids":["GUEST"]}"#, "/clientUids/0"), (#"{"devices":["no-uuid"]}"#, "/devices/0"),
    (#"{"groups":["x"]}"#, "/groups/0"), (#"{"groups":[1.5]}"#, "/groups/0"), (#"{"psids":[""]}"#, "/psids/0"),
  ])
  func `a wrong entry is named by its pointer`(json: String, pointer: String) {
    #expect(error(json)?.pointer == pointer)
  }

  @Test func `10,000 entries are taken, one more is refused`() throws {
    func list(_ count: Int) -> String {
      "{\"groups\":[" + (1...count).map { String($0) }.joined(separator: ",") + "]}"
    }
    #expect(try read(list(10_000)) == .groups(Array(1...10_000)))
    #expect(error(list(10_001))?.pointer == "/groups/10000")
  }

  @Test func `a name of 256 bytes is taken, one of 257 refused`() throws {
    let longest = String(repeating: "u", count: 256)
    #expect(try read("{\"clientUids\":[\"\(longest)\"]}") == .clientUIDs([longest]))
    #expect(error("{\"clientUids\":[\"\(longest)u\"]}")?.pointer == "/clientUids/0")
  }
}

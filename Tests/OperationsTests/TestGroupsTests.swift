import Domain
import JSON
import Store
import Testing

@testable import Operations

@Suite struct TestGroupsTests {
  private let world: BatchWorld

  init() throws {
    world = try BatchWorld()
  }

  private func change(_ json: String, by caller: Caller = .commandLine) throws(Problem) -> String {
    let change = try TestGroups.Change.object.read(body: Array(json.utf8))
    let entry = try TestGroups.change(change, of: "com.example.bank", by: caller, on: world.connection)
    return String(decoding: entry.json, as: UTF8.self)
  }

  private func shown() throws -> String {
    String(
      decoding: try TestGroups.show("com.example.bank", by: .commandLine, on: world.connection).json, as: UTF8.self)
  }

  private func pointer(_ json: String) -> String? {
    do throws(Problem) {
      _ = try change(json)
      return nil
    } catch {
      return error.fields.first?.pointer ?? "\(error.code)"
    }
  }

  @Test func `groups are kept by name, with people as they were given, and replaced together`() throws {
    #expect(try shown() == #"{"groups":[]}"#)
    let made = try change(
      #"{"groups":[{"name":"QA","clientUids":["lee","kim"]},{"name":"Legal","clientUids":["park"]}]}"#)
    #expect(
      made == #"{"groups":[{"name":"Legal","clientUids":["park"]},{"name":"QA","clientUids":["lee","kim"]}]}"#)
    #expect(try change(#"{"groups":[{"name":"QA","clientUids":["kim"]}]}"#) == shown())
    #expect(try shown() == #"{"groups":[{"name":"QA","clientUids":["kim"]}]}"#)
    // What changes nothing is not audited.
    _ = try change(#"{"groups":[{"name":"QA","clientUids":["kim"]}]}"#)
    #expect(try world.count("SELECT count(*) FROM audit_log WHERE action = 'app.test-groups'") == 2)
    #expect(try world.count("SELECT count(*) FROM audit_log WHERE coalesce(after::text, '') LIKE '%kim%'") == 0)
  }

  @Test func `what makes no sense is refused at its place`() throws {
    for (json, place) in [
      (#"{"groups":[{"name":"A","clientUids":["x"]},{"name":"A","clientUids":["y"]}]}"#, "/groups/1/name"),
      (#"{"groups":[{"name":"A","clientUids":["x","x"]}]}"#, "/groups/0/clientUids"),
      (#"{"groups":[{"name":"A","clientUids":["GUEST"]}]}"#, "/groups/0/clientUids"),
      (#"{"groups":[{"name":"A","clientUids":[]}]}"#, "/groups/0/clientUids"),
      (#"{"groups":[{"name":"","clientUids":["x"]}]}"#, "/groups/0/name"), (#"{}"#, "/groups"),
    ] {
      #expect(pointer(json) == place, "\(json)")
      #expect(try shown() == #"{"groups":[]}"#, "\(json)")
    }
  }

  @Test func `a person's export names the test groups, and who is erased is in none`() throws {
    try world.run(world.registration("phone", psid: "aa", user: "kim"))
    _ = try change(#"{"groups":[{"name":"QA","clientUids":["kim","lee"]},{"name":"Me","clientUids":["kim"]}]}"#)
    let export = try PersonRights.export(
      "kim", of: "com.example.bank", phones: nil, by: .commandLine, on: world.connection)
    let exported = String(decoding: export.json, as: UTF8.self).filter { !$0.isWhitespace }
    #expect(exported.contains(#""testGroups":[{"name":"Me"},{"name":"QA"}]"#), "\(exported)")
    _ = try PersonRights.erase("kim", of: "com.example.bank", by: .commandLine, on: world.connection)
    #expect(try shown() == #"{"groups":[{"name":"QA","clientUids":["lee"]}]}"#)
  }

  @Test func `viewers see nobody, and only those who manage content change them`() throws {
    func code(_ body: () throws(Problem) -> Void) -> Problem.Code? {
      do throws(Problem) {
        try body()
        return nil
      } catch { return error.code }
    }
    let viewer = Caller(role: .viewer, app: nil, apiKey: 1)
    let sender = Caller(role: .sender, app: nil, apiKey: 1)
    #expect(
      code { () throws(Problem) in
        _ = try TestGroups.show("com.example.bank", by: viewer, on: world.connection)
      } == .forbidden)
    #expect(
      code { () throws(Problem) in _ = try change(#"{"groups":[{"name":"A","clientUids":["x"]}]}"#, by: sender) }
        == .forbidden)
  }
}

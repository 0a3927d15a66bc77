import HTTPServer
import Testing

@Suite struct QueryParametersTests {
  private struct Refusal: Error {
    let detail: String
  }

  private func read(_ query: String, _ known: [String] = ["appId", "limit"]) throws(Refusal) -> QueryParameters {
    try QueryParameters(query, known: known) { Refusal(detail: "\($0)") }
  }

  private func fault(_ query: String, _ known: [String] = ["appId", "limit"]) -> String? {
    do throws(Refusal) {
      _ = try read(query, known)
      return nil
    } catch {
      return error.detail
    }
  }

  @Test func `what a route knows is read, decoded, in any order`() throws {
    let query = try read("limit=5&appId=com.example.bank+%EC%9D%B4")
    #expect(query["limit"] == "5" && query["appId"] == "com.example.bank 이")
    #expect(try read("limit=")["limit"] == "" && (try read("limit=")["appId"]) == nil)
    #expect(try read("limit")["limit"] == "")
    // The name is what its bytes say, however it was written.
    #expect(try read("%6Cimit=7")["limit"] == "7")
  }

  @Test func `nothing, and pairs of nothing, are no parameters`() throws {
    #expect(try read("")["limit"] == nil)
    #expect(fault("&&", []) == nil && fault("limit=1&&appId=x&") == nil)
  }

  @Test func `what is not known is named, with what is`() {
    #expect(fault("clientUid=kim") == #""clientUid" is no parameter here. This call takes appId, limit."#)
    #expect(fault("appId=a&Limit=1") == #""Limit" is no parameter here. This call takes appId, limit."#)
    #expect(fault("x", []) == #""x" is no parameter here. This call takes no parameters."#)
    #expect(fault("=x")?.hasPrefix("\"\" is no parameter") == true)
    let long = fault(String(repeating: "y", count: 5_000))
    #expect((long?.count ?? .max) < 200)
  }

  @Test func `a parameter is given once`() {
    #expect(fault("limit=1&appId=a&limit=1") == #"The parameter "limit" is there twice. Give it once."#)
    #expect(fault("limit=1&%6cimit=2") != nil)
  }

  @Test func `what cannot be read is refused, not left out`() {
    #expect(fault("limit=%FF")?.contains("UTF-8") == true)
    #expect(fault("%FF=1")?.contains("UTF-8") == true)
    #expect(fault("limit=%")?.contains("percent") == true)
  }
}

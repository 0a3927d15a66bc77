import JSON
import Testing

@Suite struct NameSearchTests {
  @Test(arguments: [
    (#"{"template":1}"#, true), (#"{"a":{"template" : 1}}"#, true), (#""template""#, true),
    (#"{"templates":1}"#, false),
    (#"{"a template":1}"#, false), ("", false), (#"template"#, false), (#""template"#, false),
    (#""tem"template""#, true),
  ])
  func `a name is found where it stands whole, in quotes`(text: String, isThere: Bool) {
    #expect(JSON.mayName("template", in: Array(text.utf8)) == isThere)
  }
}

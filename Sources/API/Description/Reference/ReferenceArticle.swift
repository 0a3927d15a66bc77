internal import JSON

/// Writes the HTML of one operation: description, credential, samples, a form to run it (see `RunForm`), parameters,
/// body and responses. An event of a webhook has no credential, samples or form. Call `html` once per instance.
struct ReferenceArticle {
  private let reference: Reference
  private let operation: Reference.Operation
  private let parameters: [JSONTree]
  private var forms: ReferenceForms

  init(_ reference: Reference, _ operation: Reference.Operation) {
    self.reference = reference
    self.operation = operation
    parameters = reference.parameters(of: operation)
    forms = ReferenceForms(reference, .inPlace(operation.id))
  }

  private var language: HandbookLanguage { reference.language }
  private var foreign: String { reference.foreign }

  mutating func html() -> String {
    var html = """
      <article id="\(operation.id)">
      <h2>\(ReferenceText.escaped(reference.title(operation)))</h2>
      <p class="call"><code><b>\(operation.method)</b> \(ReferenceText.escaped(operation.path))</code></p>
      <div\(foreign)>\(ReferenceText.prose(operation.node["description"]?.string ?? ""))</div>

      """
    if !operation.isEvent { html += credential + samples + RunForm.html(reference, operation, parameters) }
    html += parameterList()
    html += body()
    html += answers()
    return html + "</article>\n"
  }

  private var schemes: [String] {
    (operation.node["security"]?.elements ?? []).flatMap { $0.members.map(\.name) }
  }

  private var credential: String {
    if schemes.isEmpty { return "<p>\(language.pick("No credential.", "인증 정보가 필요 없습니다."))</p>\n" }
    let names = schemes.joined(separator: language.pick(" or ", " 또는 "))
    return "<p>\(language.pick("Credential", "인증")): <a href=\"\(reference.path(""))#credentials\">\(names)</a></p>\n"
  }

  private var samples: String {
    let call = reference.sample(of: operation)
    return SampleLanguages.all.map { language in
      """
      <details class="sample" data-language="\(language.key)"><summary>\(language.title)</summary>\
      \(ReferenceText.block(language.source(call)))</details>

      """
    }.joined()
  }

  private mutating func parameterList() -> String {
    guard !parameters.isEmpty else { return "" }
    var html = "<h3>\(language.pick("Parameters", "매개변수"))</h3>\n<dl\(foreign)>\n"
    for parameter in parameters {
      let about = """
        \(parameter["in"]?.string ?? ""): \(forms.form(parameter["schema"])) \
        <span>\(ReferenceText.line(parameter["description"]?.string ?? ""))</span>
        """
      html += forms.row(parameter["name"]?.string ?? "", isNeeded: parameter["required"]?.string == "true", about)
    }
    return html + "</dl>\n"
  }

  private mutating func body() -> String {
    guard let content = operation.node["requestBody"]?["content"]?.members.first else { return "" }
    let bound = operation.node["requestBody"]?["x-maxBytes"]?.string.map { ", up to \($0) bytes" } ?? ""
    var html = """
      <h3>\(language.pick("Body", "본문"))</h3>
      <p><code>\(content.name)</code>\(bound)</p>
      <div\(foreign)>\(forms.form(content.value["schema"]))</div>

      """
    let title = language.pick("Example", "예제")
    for (name, example) in content.value["examples"]?.members ?? [] {
      html += example["value"].map { ReferenceText.example($0, title: "\(title): \(name)") } ?? ""
    }
    return html + (content.value["example"].map { ReferenceText.example($0, title: title) } ?? "")
  }

  /// Returns the responses as HTML: first the successful ones, then the refusals (4xx and 5xx), which are collapsed
  /// because most are the same everywhere.
  private mutating func answers() -> String {
    let responses = operation.node["responses"]?.members ?? []
    let refusals = responses.filter { $0.name.hasPrefix("4") || $0.name.hasPrefix("5") }
    let successes = responses.filter { one in !refusals.contains { $0.name == one.name } }
    var html = "<h3>\(language.pick("Answers", "응답"))</h3>\n<dl\(foreign)>\n"
    for (status, response) in successes { html += answer(status, reference.resolved(response)) }
    html += "</dl>\n"
    guard !refusals.isEmpty else { return html }
    html += "<details><summary>\(language.pick("Refusals", "거절"))</summary>\n<dl\(foreign)>\n"
    for (status, response) in refusals {
      let about = ReferenceText.prose(reference.resolved(response)["description"]?.string ?? "")
      html += "<div><dt>\(status)</dt><dd>\(about)</dd></div>\n"
    }
    return html + "</dl></details>\n"
  }

  private mutating func answer(_ status: String, _ response: JSONTree) -> String {
    var html = "<div><dt>\(status)</dt><dd>\(ReferenceText.prose(response["description"]?.string ?? ""))"
    if let content = response["content"]?.members.first {
      html += "<div>\(forms.form(content.value["schema"]))</div>"
      let title = language.pick("Example", "예제")
      html += content.value["example"].map { ReferenceText.example($0, title: title) } ?? ""
    }
    return html + "</dd></div>\n"
  }
}

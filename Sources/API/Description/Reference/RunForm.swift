internal import JSON

/// The form with which a reader calls the server that serves the page. It is hidden until the page's script shows it,
/// and the script makes the call; a key that is typed in is kept only in its field. Operations other than GET have no
/// form, and neither do those that answer with an event stream.
enum RunForm {
  static func html(_ reference: Reference, _ operation: Reference.Operation, _ parameters: [JSONTree]) -> String {
    guard isOffered(operation) else { return "" }
    let language = reference.language
    let run = language.pick("Run", "실행")
    var fields = ""
    let schemes = (operation.node["security"]?.elements ?? []).flatMap { $0.members.map(\.name) }
    if !schemes.isEmpty {
      fields += """
        <p><label>\(schemes.joined(separator: language.pick(" or ", " 또는 "))) \
        <input type="password" name="key" data-scheme="\(schemes.joined(separator: " "))" autocomplete="off" \
        spellcheck="false"></label></p>

        """
    }
    for parameter in parameters {
      let isNeeded = parameter["required"]?.string == "true"
      let optional = isNeeded ? "" : " <i>\(language.pick("optional", "선택"))</i>"
      fields += """
        <p><label><code>\(ReferenceText.escaped(parameter["name"]?.string ?? ""))</code>\(optional) \
        <input name="\(ReferenceText.escaped(parameter["name"]?.string ?? ""))" \
        data-in="\(parameter["in"]?.string ?? "")"\(isNeeded ? " required" : "") autocomplete="off" \
        spellcheck="false"></label></p>

        """
    }
    return """
      <details class="run" hidden><summary>\(run)</summary>
      <form data-path="\(ReferenceText.escaped(operation.path))" aria-label="\(run): \
      \(ReferenceText.escaped(reference.title(operation)))">
      \(fields)<p><button>\(run)</button> <span role="status"></span></p>
      <pre tabindex="0" hidden></pre>
      </form></details>

      """
  }

  /// Returns whether an operation gets the form: it is a GET that this server receives, and no response is an event
  /// stream.
  private static func isOffered(_ operation: Reference.Operation) -> Bool {
    guard operation.method == "GET", !operation.isEvent else { return false }
    let types = (operation.node["responses"]?.members ?? []).compactMap { $0.value["content"]?.members.first?.name }
    return !types.contains("text/event-stream")
  }
}

internal import JSON

/// Checks that `%VAR1%` … `%VAR9%` have values, from the audience's file or from the message itself.
enum VariableRules {
  /// Checks that each of `%VAR1%` … `%VAR9%` in the message's texts has a value. Checks nothing if variables are
  /// literal text, or if the audience provides the values.
  /// - Throws: `.invalidField`, listing every text in which a variable has no value, with the lowest such variable.
  static func check(_ content: MessageContent, _ audience: Audience) throws(Problem) {
    guard content.fillsVariables, !audience.givesVariables else { return }
    var faults: [Problem.Field] = []
    for (pointer, text) in texts(content) {
      let unknown = Variable.found(in: text).compactMap { variable -> Int? in
        guard case .number(let number) = variable, content.variables[number] == nil else { return nil }
        return number
      }
      if let number = unknown.min() {
        faults.append(
          Problem.Field(
            pointer: pointer,
            detail: "holds %VAR\(number)%: give it in variables, or send to an audience that has it in its lines"))
      }
    }
    guard let first = faults.first else { return }
    throw Problem(.invalidField, first.whole, fields: faults)
  }

  /// Returns every text of the content in which variables are replaced, with its JSON pointer. A referenced text counts
  /// as its arguments.
  private static func texts(_ content: MessageContent) -> [(pointer: String, text: [UInt8])] {
    var texts: [(String, [UInt8])] = []
    if let alert = content.alert { texts += self.texts(alert, at: "/alert") }
    for translation in content.translations { texts += self.texts(translation.alert, at: translation.pointer) }
    if let ext = content.ext { texts.append(("/ext", Array(ext.utf8))) }
    if let mdm = content.mdm { texts.append(("/mdm", Array(mdm.utf8))) }
    for member in content.data { texts.append((JSONError.pointer(to: "data", member.name), member.json)) }
    if let state = content.liveActivity?.contentState { texts.append(("/liveActivity/contentState", state)) }
    if let attributes = content.liveActivity?.attributes { texts.append(("/liveActivity/attributes", attributes)) }
    return texts
  }

  private static func texts(_ alert: Alert, at pointer: String) -> [(String, [UInt8])] {
    guard case .parts(let parts) = alert else { return [(pointer, Array((alert.body ?? "").utf8))] }
    let lines = [
      ("title", "titleLocArgs", parts.title), ("subtitle", "subtitleLocArgs", parts.subtitle),
      ("body", "locArgs", parts.body),
    ]
    return lines.compactMap { name, arguments, text -> (String, [UInt8])? in
      switch text {
      case .plain(let text): ("\(pointer)/\(name)", Array(text.utf8))
      case .key(_, let values): ("\(pointer)/\(arguments)", Array(values.joined(separator: " ").utf8))
      case nil: nil
      }
    }
  }
}

extension Audience {
  /// True if the audience provides values for `%VAR1%` … `%VAR9%`, as an uploaded file does, even if it has none for
  /// some users.
  package var givesVariables: Bool {
    if case .csv = self { true } else { false }
  }
}

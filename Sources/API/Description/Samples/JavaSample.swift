internal import JSON

/// A call as a program in Java 17 that uses `java.net.http`, in one file.
enum JavaSample: SampleLanguage {
  static let title = "Java"
  static let key = "java"

  /// Returns the name of the program's class, which is also the name of its file without `.java`.
  static func className(_ call: SampleCall) -> String { SampleName.pascal(call.name) }

  static func source(_ call: SampleCall) -> String {
    let assignments = call.values.map { "        var \(SampleName.camel($0.name)) = \(quoted($0.value));\n" }.joined()
    var headers: [String] = []
    if let credential = call.credential {
      headers.append(".header(\"Authorization\", \"Bearer \" + \(SampleName.camel(credential)))")
    }
    for name in call.headers { headers.append(".header(\"\(name)\", \(SampleName.camel(name)))") }
    var (imports, before, method) = ("", "", ".method(\"\(call.method)\", HttpRequest.BodyPublishers.noBody())")
    if let (type, content) = call.body {
      headers.append(".header(\"Content-Type\", \"\(type)\")")
      switch content {
      case .json(let example):
        before = "        var body = \"\"\"\n            \(indented(block(example), by: 12))\n            \"\"\";\n"
        method = ".method(\"\(call.method)\", HttpRequest.BodyPublishers.ofString(body))"
      case .file:
        imports = "import java.nio.file.Path;\n"
        method = ".method(\"\(call.method)\", HttpRequest.BodyPublishers.ofFile(Path.of(file)))"
      }
    }
    let chain = ([method] + headers + [".build();"]).map { "            \($0)\n" }.joined()
    let isEncoding = !call.query.isEmpty || call.path.contains(where: isVariable)
    let encoder = isEncoding ? encodingMethod : ""
    let first = isEncoding ? "import java.net.URLEncoder;\n" : ""
    let last = isEncoding ? "import java.nio.charset.StandardCharsets;\n" : ""
    return """
      // java -Dfile.encoding=UTF-8 \(className(call)).java
      import java.net.URI;
      \(first)import java.net.http.HttpClient;
      import java.net.http.HttpRequest;
      import java.net.http.HttpResponse;
      \(last)\(imports)
      public class \(className(call)) {
          public static void main(String[] arguments) throws Exception {
      \(assignments)\(before)        var request = HttpRequest.newBuilder(URI.create(url\(address(call))))
      \(chain)        var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
              System.out.println(answer.statusCode() + " " + answer.body());
          }
      \(encoder)}
      """
  }

  private static let encodingMethod = """

        static String encoded(String text) {
            return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
        }

    """

  private static func isVariable(_ part: SampleCall.Part) -> Bool { if case .variable = part { true } else { false } }

  private static func address(_ call: SampleCall) -> String {
    let path = call.path.map { part in
      switch part {
      case .literal(let text): " + \"\(text)\""
      case .variable(let name): " + encoded(\(SampleName.camel(name)))"
      }
    }.joined()
    let query = call.query.enumerated().map { number, name in
      " + \"\(number == 0 ? "?" : "&")\(name)=\" + encoded(\(SampleName.camel(name)))"
    }.joined()
    return path + query
  }

  /// Returns an example as indented JSON for a Java text block, with backslashes and triple quotes escaped.
  private static func block(_ example: JSONTree) -> String {
    example.pretty().replacing("\\", with: "\\\\").replacing("\"\"\"", with: "\\\"\"\"")
  }
}

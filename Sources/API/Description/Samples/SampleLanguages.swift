/// All languages in which samples are generated, in the order of the page.
enum SampleLanguages {
  static let all: [any (SampleLanguage & SendableMetatype).Type] = [
    CurlSample.self, PythonSample.self, NodeSample.self, JavaSample.self,
  ]
}

package import JSON

/// An answer whose members are described once, for both serialization and the API description.
package protocol DescribedAnswer: JSONAnswer {
  static var object: JSONObject<Self> { get }
}

extension DescribedAnswer {
  package func write(to writer: inout JSONWriter) { Self.object.write(self, to: &writer) }
}

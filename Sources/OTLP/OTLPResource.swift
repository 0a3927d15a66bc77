internal import JSON

/// The source of spans and metrics, as OpenTelemetry resource attributes.
package struct OTLPResource: Sendable {
  let name: String
  let version: String
  let instance: String
  let host: String

  /// Creates the attributes of a node.
  /// - Parameters:
  ///   - instance: unique among the nodes of a service.
  ///   - host: the machine's name; empty if it has none.
  package init(name: String, version: String, instance: String, host: String) {
    (self.name, self.version, self.instance, self.host) = (name, version, instance, host)
  }

  var userAgent: String { "\(name)/\(version)" }

  /// Returns the complete request body of one signal.
  /// - Parameters:
  ///   - names: member names of the three nesting levels, such as `resourceSpans`, `scopeSpans`, `spans`.
  ///   - items: writes the elements of the innermost list.
  func body(
    _ names: (resources: String, scopes: String, items: String), capacity: Int, _ items: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var writer = JSONWriter(capacity: capacity)
    writer.object { writer in
      writer.list(names.resources) { writer in
        writer.object { writer in
          writer.member("resource", object: write)
          writer.list(names.scopes) { writer in
            writer.object { writer in
              writer.member("scope", object: writeScope)
              writer.member(names.items, array: items)
            }
          }
        }
      }
    }
    return writer.bytes
  }

  private func write(_ writer: inout JSONWriter) {
    writer.list("attributes") { writer in
      writer.attribute("service.name", name)
      writer.attribute("service.version", version)
      writer.attribute("service.instance.id", instance)
      if !host.isEmpty { writer.attribute("host.name", host) }
    }
  }

  private func writeScope(_ writer: inout JSONWriter) {
    writer.member("name", name)
    writer.member("version", version)
  }
}

extension JSONWriter {
  mutating func list(_ name: String, _ elements: (inout JSONWriter) -> Void) {
    member(name, array: elements)
  }

  /// Writes an element of an attribute list: `{"key": name, "value": {"stringValue": text}}`.
  mutating func attribute(_ name: String, _ text: String) {
    attribute(name) { writer in writer.member("stringValue", text) }
  }

  /// Writes a 64-bit integer as a string, as OTLP's JSON requires.
  mutating func attribute(_ name: String, _ number: Int64) {
    attribute(name) { writer in writer.member("intValue", String(number)) }
  }

  private mutating func attribute(_ name: String, _ value: (inout JSONWriter) -> Void) {
    object { writer in
      writer.member("key", name)
      writer.member("value", object: value)
    }
  }

  /// Writes a double. Infinities and NaN become strings, as in Protocol Buffers' JSON mapping.
  mutating func member(_ name: String, double number: Double) {
    if number.isFinite {
      member(name, raw: "\(number)")
    } else {
      member(name, number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
    }
  }
}

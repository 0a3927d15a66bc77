import Reactor
import Testing

@testable import HTTP2

/// The encoder is ours, the decoder nghttp2's: what one writes the other must understand.
@Suite struct HeaderEncoderTests {
  private final class Wire {
    var encoder = HeaderEncoder()
    let decoder: HeaderDecoder

    init() throws {
      decoder = try HeaderDecoder()
    }

    /// Encodes and decodes one request; returns its fields and the size of its block.
    func send(_ template: RequestTemplate, path: String, varying: String = "") -> ([String], bytes: Int)? {
      let (path, varying) = (Array(path.utf8), Array(varying.utf8))
      let announced = encoder.prepare(template, path: path.count, varying: varying.count)
      var buffer = ByteBuffer()
      encoder.append(
        path: path.span, varying: varying.span, hasVarying: template.varyingName != nil, to: &buffer)
      let count = buffer.count
      guard count == announced, count <= template.largestBlockBytes + path.count + varying.count else { return nil }
      var fields: [String] = []
      let outcome = buffer.withReadable { block in
        decoder.decode(block, atMost: .max) { name, value in
          fields.append(String(decoding: name, as: UTF8.self) + "=" + String(decoding: value, as: UTF8.self))
        }
      }
      return outcome == .whole ? (fields, count) : nil
    }
  }

  private static func template(_ fields: [(String, String, RequestTemplate.Indexing)], varying: String? = "apns-id")
    -> RequestTemplate
  {
    RequestTemplate(fields: fields.map { (HeaderField($0.0, $0.1), $0.2) }, varying: varying)
  }

  private static let usual: [(String, String, RequestTemplate.Indexing)] = [
    (":method", "POST", .always), (":scheme", "https", .always), (":authority", "api.push.apple.com", .always),
    ("authorization", "bearer " + String(repeating: "j", count: 190), .always), ("apns-topic", "com.example", .always),
    ("apns-expiration", "1767229200", .nameOnly), ("x-secret", "s", .never),
  ]

  @Test func `a template's second use costs little and its third exactly as much`() throws {
    let wire = try Wire()
    let template = Self.template(Self.usual)
    let path = "/3/device/" + String(repeating: "ab", count: 32)
    let first = try #require(wire.send(template, path: path, varying: "id-1"))
    let second = try #require(wire.send(template, path: path, varying: "id-2"))
    let third = try #require(wire.send(template, path: path, varying: "id-3"))
    #expect(
      third.0 == [
        ":method=POST", ":scheme=https", ":authority=api.push.apple.com", ":path=\(path)",
        "authorization=" + Self.usual[3].1, "apns-topic=com.example", "apns-expiration=1767229200", "x-secret=s",
        "apns-id=id-3",
      ])
    #expect(first.0.dropLast() == third.0.dropLast() && second.0.last == "apns-id=id-2")
    #expect(first.bytes > 350 && second.bytes < 110 && third.bytes == second.bytes)
  }

  @Test func `a name enters the table once and later values stay outside`() throws {
    let wire = try Wire()
    let templates = (0..<200).map { Self.template([("apns-expiration", "\($0)", .nameOnly)]) }
    var sizes: [Int] = []
    for template in templates {
      sizes.append(try #require(wire.send(template, path: "/", varying: "v")).bytes)
    }
    #expect(sizes[1...9].allSatisfy { $0 == sizes[1] })
    #expect(sizes[10...99].allSatisfy { $0 == sizes[10] })
    #expect(sizes[1] < sizes[0] - 15)
  }

  @Test(arguments: [0, 1, 126, 127, 128, 254, 255, 256, 400, 4000, 16_000])
  func `paths and values of any length arrive`(_ count: Int) throws {
    let wire = try Wire()
    let template = Self.template(Self.usual + [("x-long", String(repeating: "v", count: count), .always)])
    for _ in 0..<3 {
      let path = "/" + String(repeating: "p", count: count)
      let sent = try #require(wire.send(template, path: path, varying: String(repeating: "i", count: count)))
      #expect(sent.0.contains(":path=\(path)"))
      #expect(sent.0.last == "apns-id=" + String(repeating: "i", count: count))
      #expect(sent.0.contains("x-long=" + String(repeating: "v", count: count)))
    }
  }

  @Test func `a peer's smaller table is announced and kept to`() throws {
    let wire = try Wire()
    let template = Self.template(Self.usual)
    _ = try #require(wire.send(template, path: "/", varying: "1"))
    for limit in [100, 0, 60, 4096, 1_000_000, 0] {
      wire.encoder.limitTable(limit)
      for _ in 0..<3 {
        let sent = try #require(wire.send(template, path: "/", varying: "2"))
        #expect(sent.0.count == 9 && sent.0.last == "apns-id=2")
      }
    }
    // Down and up between two blocks: both must be said.
    wire.encoder.limitTable(4096)
    _ = try #require(wire.send(template, path: "/", varying: "3"))
    wire.encoder.limitTable(0)
    wire.encoder.limitTable(4096)
    #expect(wire.send(template, path: "/", varying: "4")?.0.count == 9)
    #expect(wire.send(template, path: "/", varying: "5")?.0.count == 9)
  }

  @Test func `any mixture of templates and table sizes stays in step`() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<30 {
      let wire = try Wire()
      let templates = (0..<12).map { number in
        Self.template(
          (0..<Int.random(in: 0...8, using: &random)).map { _ in
            let name = "n\(Int.random(in: 0..<6, using: &random))"
            let value = String(repeating: "v", count: Int.random(in: 0...900, using: &random))
            return (name, value, [.always, .nameOnly, .never].randomElement(using: &random)!)
          } + [(":method", "POST", .always)],
          varying: number % 3 == 0 ? nil : "w\(number % 2)")
      }
      for round in 0..<100 {
        if Int.random(in: 0..<10, using: &random) == 0 {
          wire.encoder.limitTable(Int.random(in: 0...5000, using: &random))
        }
        let template = templates.randomElement(using: &random)!
        let sent = wire.send(template, path: "/\(round)", varying: "x\(round)")
        let fields = try #require(sent?.0)
        let wanted =
          template.pseudoFields.map(Self.text) + [":path=/\(round)"] + template.fields.map(Self.text)
          + (template.varyingName.map { [String(decoding: $0, as: UTF8.self) + "=x\(round)"] } ?? [])
        #expect(fields == wanted)
      }
    }
  }

  private static func text(_ field: RequestTemplate.Field) -> String {
    String(decoding: field.name, as: UTF8.self) + "=" + String(decoding: field.value, as: UTF8.self)
  }
}

@Suite struct StreamTableTests {
  @Test func `it finds exactly what was put in and not taken out`() {
    var table = StreamTable()
    var model: [Int32: Int] = [:]
    var next: Int32 = 1
    for step in 0..<50_000 {
      if Bool.random() || model.isEmpty {
        // Ids rise, sometimes by jumps, and wrap around the table many times.
        table.insert(next, slot: step)
        model[next] = step
        next += 2 * Int32.random(in: 1...(step % 50 == 0 ? 1000 : 2))
      } else if model.count > 700 || Bool.random(), let id = model.keys.randomElement() {
        table.remove(id)
        model[id] = nil
      }
      if step % 1000 == 0 {
        #expect(model.allSatisfy { table[$0.key] == $0.value })
        #expect(table[next] == nil)
      }
    }
    #expect(table.count == model.count)
    table.remove(next)
    #expect(table.count == model.count)
  }
}

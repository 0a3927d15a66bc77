import Reactor
import Testing

@Suite struct ByteBufferTests {
  private func text(_ buffer: borrowing ByteBuffer) -> String {
    buffer.withReadable { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
  }

  @Test func `what is appended can be read, in order`() {
    var buffer = ByteBuffer()
    buffer.append("push" as StaticString)
    buffer.append(UInt8(ascii: " "))
    buffer.append(String("메시지"))
    buffer.append(Array("!".utf8))
    #expect(text(buffer) == "push 메시지!")
    #expect(buffer.count == 15)
    #expect(buffer[0] == UInt8(ascii: "p"))
    #expect(buffer[14] == UInt8(ascii: "!"))
  }

  @Test func `a span appends its bytes`() {
    var source = ByteBuffer()
    source.append("abc" as StaticString)
    var target = ByteBuffer()
    source.withReadable { span in target.append(span) }
    #expect(text(target) == "abc")
  }

  @Test func `consuming forgets from the front only`() {
    var buffer = ByteBuffer()
    buffer.append("abcdef" as StaticString)
    buffer.consume(2)
    #expect(text(buffer) == "cdef")
    buffer.consume(0)
    #expect(text(buffer) == "cdef")
    buffer.consume(4)
    let isEmpty = buffer.isEmpty
    #expect(isEmpty)
    buffer.append("g" as StaticString)
    #expect(text(buffer) == "g")
  }

  @Test func `removing all leaves an empty buffer with its memory`() {
    var buffer = ByteBuffer(capacity: 64)
    buffer.append([UInt8](repeating: 1, count: 1000))
    let held = buffer.allocatedBytes
    buffer.removeAll()
    let isEmpty = buffer.isEmpty
    #expect(isEmpty)
    #expect(buffer.allocatedBytes == held)
  }

  @Test(arguments: [63, 64, 65, 127, 128, 129, 100_000])
  func `growing keeps every byte`(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var buffer = ByteBuffer(capacity: 64)
    for byte in bytes { buffer.append(byte) }
    #expect(buffer.count == count)
    #expect(buffer.withReadable { span in span.indices.allSatisfy { span[$0] == bytes[$0] } })
    #expect(buffer.allocatedBytes < 2 * max(64, count))
  }

  @Test func `growing in the middle keeps what is not consumed`() {
    var buffer = ByteBuffer(capacity: 64)
    buffer.append([UInt8](repeating: 7, count: 60))
    buffer.consume(10)
    buffer.append([UInt8](repeating: 8, count: 100))
    #expect(buffer.count == 150)
    #expect(buffer[49] == 7)
    #expect(buffer[50] == 8)
    #expect(buffer[149] == 8)
  }

  @Test func `a steady connection never allocates`() {
    var buffer = ByteBuffer(capacity: 256)
    for turn in 0..<10_000 {
      buffer.append([UInt8](repeating: UInt8(truncatingIfNeeded: turn), count: 100))
      // Always a little is left over, as when half a request has arrived.
      buffer.consume(turn == 0 ? 90 : 100)
      #expect(buffer.count == 10)
    }
    #expect(buffer.allocatedBytes == 256)
  }

  @Test func `a writer gets at least the room it asked for, and only what it wrote counts`() {
    var buffer = ByteBuffer(capacity: 64)
    buffer.append("a" as StaticString)
    let room = buffer.write(reserving: 500) { free -> (written: Int, outcome: Int) in
      free[0] = UInt8(ascii: "b")
      return (1, free.count)
    }
    #expect(room >= 500)
    #expect(text(buffer) == "ab")
  }

  @Test func `appending nothing changes nothing`() {
    var buffer = ByteBuffer(capacity: 64)
    buffer.append([UInt8]())
    buffer.append("" as StaticString)
    buffer.append(String())
    let isEmpty = buffer.isEmpty
    #expect(isEmpty)
    #expect(buffer.allocatedBytes == 64)
  }

  @Test(arguments: [
    0, 1, 9, 10, 11, 99, 100, 999_999_999, 1_000_000_000, -1, -10, 9_999_999_999_999_999, 1_000_000_000_000_000_000,
    Int.max, Int.min, Int.max - 1,
  ])
  func `numbers are written in decimal`(number: Int) {
    var buffer = ByteBuffer(capacity: 64)
    buffer.append(decimal: number)
    #expect(text(buffer) == String(number))
  }

  @Test func `numbers are written across growth`() {
    var buffer = ByteBuffer(capacity: 64)
    for number in 0..<200 { buffer.append(decimal: number) }
    #expect(text(buffer) == (0..<200).map(String.init).joined())
  }
}

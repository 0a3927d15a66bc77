internal import Domain
internal import HTTPServer
internal import Operations
internal import Reactor

/// What came with a request, for operations that read it in parts.
extension OwnedRequest {
  var source: ByteSource {
    guard let spooled else { return ByteSource(body) }
    return ByteSource(count: spooled.count) { offset, bytes throws(Problem) in
      do throws(SystemError) {
        return try spooled.read(at: offset, upTo: bytes)
      } catch {
        throw ByteSource.unreadable("\(error)")
      }
    }
  }
}

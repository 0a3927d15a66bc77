internal import Domain
internal import HTTPServer
internal import Operations
internal import Reactor

/// The request's body as a source for operations that read it in parts, from memory or from the file to which it was
/// spooled. Reading throws if the file cannot be read.
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

internal import Domain
internal import Operations
internal import Reactor

/// A command's input file, which is read part by part.
final class InputFile: Sendable {
  private let file: RegularFile

  private init(_ file: consuming RegularFile) { self.file = file }

  /// Opens a file and returns it as a source of bytes.
  /// - Throws: `CommandError` if the file does not exist or cannot be read.
  static func open(_ path: String) throws -> ByteSource {
    guard let resolved = RegularFile.resolve(path), let file = RegularFile.open(path: resolved) else {
      throw CommandError(
        """
        The file \(path) cannot be read. Give the path of a file that is there and may be read. A pipe is read once only, \
        and this reads twice: write what comes out of it into a file first.
        """)
    }
    let size = file.stamp.size
    let input = InputFile(file)
    return ByteSource(count: size) { offset, bytes throws(Problem) in
      guard let part = input.file.read(bytes, at: offset) else {
        throw Problem(.internalError, "The file \(path) could not be read any further.")
      }
      return part
    }
  }
}

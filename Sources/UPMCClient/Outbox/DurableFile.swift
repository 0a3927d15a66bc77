#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Reads, writes and removes files. A write is atomic and durable: it writes and syncs a temporary file, renames it,
/// and syncs the directory. If the process or the machine stops at any moment, no partial file remains under the final
/// name. All calls block.
package enum DurableFile {
  /// A step of writing a file; tests end the process there.
  package enum Step: String, Sendable, CaseIterable {
    /// The first half of the bytes is written, to the temporary file.
    case begun
    /// All bytes are written to the temporary file, but not synced.
    case written
    /// The bytes are synced, in the temporary file.
    case synced
    /// The file was renamed to its final name; the directory is not synced yet.
    case renamed
  }

  /// A failed system call: its name and `errno`.
  struct Failure: Error, Equatable, CustomStringConvertible {
    let call: String
    let code: Int32

    var isNoSuchFile: Bool { code == ENOENT }
    var description: String { "\(call): \(unsafe String(cString: strerror(code)))" }
  }

  /// The prefix of the names of temporary files, which the outbox does not count as entries.
  static let asidePrefix = ".writing-"

  static func write(
    _ bytes: [UInt8], to path: String, in directory: String, onStep: (Step) -> Void = { _ in }
  ) throws(Failure) {
    let aside = "\(directory)/\(asidePrefix)\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
    let file = unsafe open(aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Failure(call: "open", code: errno) }
    do throws(Failure) {
      try append(bytes[..<(bytes.count / 2)], to: file)
      onStep(.begun)
      try append(bytes[(bytes.count / 2)...], to: file)
      onStep(.written)
      guard fsync(file) == 0 else { throw Failure(call: "fsync", code: errno) }
    } catch {
      close(file)
      unsafe unlink(aside)
      throw error
    }
    close(file)
    onStep(.synced)
    guard unsafe rename(aside, path) == 0 else {
      let failure = Failure(call: "rename", code: errno)
      unsafe unlink(aside)
      throw failure
    }
    onStep(.renamed)
    sync(directory)
  }

  /// Returns the content of a file; nil if it does not exist, and empty if it is longer than `mostBytes`, because the
  /// client writes no such file. Does not follow a symbolic link. Throws if the file cannot be opened or read.
  static func read(_ path: String, mostBytes: Int) throws(Failure) -> [UInt8]? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else {
      let code = errno
      if code == ENOENT { return nil }
      throw Failure(call: "open", code: code)
    }
    defer { close(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = Self.read(file, &block)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Failure(call: "read", code: errno) }
      guard count > 0 else { return bytes }
      bytes += block[..<count]
      if bytes.count > mostBytes { return [] }
    }
  }

  /// Removes a file. No effect if it does not exist. Throws if it cannot be removed.
  static func remove(_ path: String) throws(Failure) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw Failure(call: "unlink", code: errno) }
  }

  /// Creates a directory and its missing parents, with mode 0700. No effect if there is a directory or file at this
  /// path.
  static func makeDirectory(_ path: String) throws(Failure) {
    if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
      throw Failure(call: "mkdir", code: errno)
    }
    try makeDirectory(String(path[..<slash]))
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw Failure(call: "mkdir", code: errno) }
  }

  private static func append(_ bytes: ArraySlice<UInt8>, to file: Int32) throws(Failure) {
    var rest = bytes
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Self.write(file, $0) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Failure(call: "write", code: errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// Syncs a directory, so that a rename in it is durable. Ignores failures, because some file systems do not support
  /// it.
  private static func sync(_ directory: String) {
    let file = unsafe open(directory, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    fsync(file)
    close(file)
  }

  #if canImport(Darwin)
    private static func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
      unsafe Darwin.write(file, bytes.baseAddress, bytes.count)
    }
    private static func read(_ file: Int32, _ block: inout [UInt8]) -> Int {
      unsafe Darwin.read(file, &block, block.count)
    }
  #elseif canImport(Musl)
    private static func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
      unsafe Musl.write(file, bytes.baseAddress, bytes.count)
    }
    private static func read(_ file: Int32, _ block: inout [UInt8]) -> Int {
      unsafe Musl.read(file, &block, block.count)
    }
  #else
    private static func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
      unsafe Glibc.write(file, bytes.baseAddress, bytes.count)
    }
    private static func read(_ file: Int32, _ block: inout [UInt8]) -> Int {
      unsafe Glibc.read(file, &block, block.count)
    }
  #endif
}

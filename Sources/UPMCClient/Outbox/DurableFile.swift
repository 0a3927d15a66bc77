#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Files that are whole or not there, and that last once they are written: written aside, synced, renamed, and the directory
/// synced. Neither the end of the process nor that of the machine leaves half of one.
package enum DurableFile {
  /// Which step has been taken; tests end the process there.
  package enum Step: String, Sendable, CaseIterable {
    /// A part of the bytes is written.
    case begun
    /// All are written, and nothing is synced.
    case written
    /// The bytes last, under the other name.
    case synced
    /// It has its name.
    case renamed
  }

  /// What the system said.
  struct Failure: Error, Equatable, CustomStringConvertible {
    let call: String
    let code: Int32

    var isNoSuchFile: Bool { code == ENOENT }
    var description: String { "\(call): \(unsafe String(cString: strerror(code)))" }
  }

  /// Files being written have this in front, so that nothing reads them.
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

  /// Nil when there is none. What is longer than `mostBytes` is none of ours and counts as empty.
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

  /// Nothing happens when there is none.
  static func remove(_ path: String) throws(Failure) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw Failure(call: "unlink", code: errno) }
  }

  /// With mode 0700, and those above it.
  static func makeDirectory(_ path: String) throws(Failure) {
    if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
      throw Failure(call: "mkdir", code: errno)
    }
    try makeDirectory(String(path[..<slash]))
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw Failure(call: "mkdir", code: errno) }
  }

  private static func append(_ bytes: ArraySlice<UInt8>, to file: Int32) throws(Failure) {
    var rest = Array(bytes)
    while !rest.isEmpty {
      let count = Self.write(file, rest)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Failure(call: "write", code: errno) }
      rest.removeFirst(count)
    }
  }

  /// A rename lasts when its directory does. Where a directory cannot be synced, the rename is the system's to keep.
  private static func sync(_ directory: String) {
    let file = unsafe open(directory, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    fsync(file)
    close(file)
  }

  #if canImport(Darwin)
    private static func write(_ file: Int32, _ bytes: [UInt8]) -> Int { unsafe Darwin.write(file, bytes, bytes.count) }
    private static func read(_ file: Int32, _ block: inout [UInt8]) -> Int {
      unsafe Darwin.read(file, &block, block.count)
    }
  #elseif canImport(Musl)
    private static func write(_ file: Int32, _ bytes: [UInt8]) -> Int { unsafe Musl.write(file, bytes, bytes.count) }
    private static func read(_ file: Int32, _ block: inout [UInt8]) -> Int {
      unsafe Musl.read(file, &block, block.count)
    }
  #else
    private static func write(_ file: Int32, _ bytes: [UInt8]) -> Int { unsafe Glibc.write(file, bytes, bytes.count) }
    private static func read(_ file: Int32, _ block: inout [UInt8]) -> Int {
      unsafe Glibc.read(file, &block, block.count)
    }
  #endif
}

package import Reactor
internal import Glibc

/// The kernel's information about a file; follows symbolic links (`stat(2)`).
package struct FileStatus: Sendable {
  /// Identifies a file on this machine: two paths with the same identity are the same file.
  package struct Identity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    fileprivate init(_ status: stat) {
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
    }
  }

  package let identity: Identity
  /// The owner's uid.
  package let owner: UInt32
  /// The group's gid.
  package let group: UInt32
  package let bytes: Int
  package let isDirectory: Bool
  /// The lowest nine bits of its mode.
  package let permissions: UInt32

  /// Nil if there is no file, or it cannot be reached.
  package init?(_ path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    identity = Identity(status)
    owner = status.st_uid
    group = status.st_gid
    bytes = Int(status.st_size)
    isDirectory = status.st_mode & S_IFMT == S_IFDIR
    permissions = status.st_mode & 0o777
  }

  /// Sets the permissions, and the owner if one is given (root only).
  package static func change(_ path: String, mode: UInt32, owner: SystemAccount?) throws(SystemError) {
    guard unsafe chmod(path, mode) == 0 else { throw .last("chmod", path) }
    guard let owner else { return }
    guard unsafe chown(path, owner.uid, owner.gid) == 0 else { throw .last("chown", path) }
  }

  /// Bytes that unprivileged users can still write to the file system of `path`; nil if that is unknown.
  package static func freeBytes(at path: String) -> Int? {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { return nil }
    return Int(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
  }
}

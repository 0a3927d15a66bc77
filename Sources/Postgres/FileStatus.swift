package import Reactor
internal import Glibc

/// Metadata of a file, following symbolic links (`stat(2)`).
package struct FileStatus: Sendable {
  /// Identifies a file on this machine: paths with equal identities refer to the same file.
  package struct Identity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    fileprivate init(_ status: stat) {
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
    }
  }

  package let identity: Identity
  /// User id of the owner.
  package let owner: UInt32
  /// Group id of the owning group.
  package let group: UInt32
  package let bytes: Int
  package let isDirectory: Bool
  /// Permission bits: the lowest nine bits of the mode.
  package let permissions: UInt32

  /// Reads the metadata of a file; nil if it does not exist or cannot be accessed.
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

  /// Sets the permissions and, if `owner` is not nil, owner and group (which requires root). If the latter fails, the
  /// permissions are changed nevertheless.
  package static func change(_ path: String, mode: UInt32, owner: SystemAccount?) throws(SystemError) {
    guard unsafe chmod(path, mode) == 0 else { throw .last("chmod", path) }
    guard let owner else { return }
    guard unsafe chown(path, owner.uid, owner.gid) == 0 else { throw .last("chown", path) }
  }

  /// Returns the space available to unprivileged users on the file system of `path`, in bytes; nil if unknown.
  package static func freeBytes(at path: String) -> Int? {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { return nil }
    return Int(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
  }
}

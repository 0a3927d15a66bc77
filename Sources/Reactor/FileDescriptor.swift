internal import Glibc

/// An open file descriptor with exactly one owner; closed when the owner ends.
package struct FileDescriptor: ~Copyable {
  /// The kernel's number for it. Valid as long as this value lives.
  package let number: Int32

  package init(owning number: Int32) {
    precondition(number >= 0, "a file descriptor is never negative")
    self.number = number
  }

  deinit {
    close(number)
  }

  /// Gives up ownership: the caller must close the number.
  package consuming func release() -> Int32 {
    let number = number
    discard self
    return number
  }
}

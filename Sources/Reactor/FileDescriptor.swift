internal import Glibc

/// An open file descriptor with exactly one owner; closed when its owner drops it.
package struct FileDescriptor: ~Copyable {
  /// The descriptor's number, valid for the lifetime of this value.
  package let number: Int32

  package init(owning number: Int32) {
    precondition(number >= 0, "a file descriptor is never negative")
    self.number = number
  }

  deinit {
    close(number)
  }

  /// Gives up ownership: the caller must close the returned descriptor.
  package consuming func release() -> Int32 {
    let number = number
    discard self
    return number
  }
}

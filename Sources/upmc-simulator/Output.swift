internal import Glibc

/// Flushes standard output, which is otherwise written to a pipe only in blocks of 4 KiB.
func flushOutput() {
  _ = fflush(nil)
}

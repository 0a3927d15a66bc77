internal import Glibc

/// Hands what was printed to the kernel now; a pipe would otherwise get it only when 4 KiB have gathered.
func flushOutput() {
  _ = fflush(nil)
}

internal import Glibc

/// The machine this process runs on.
enum Machine {
  static var cores: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}

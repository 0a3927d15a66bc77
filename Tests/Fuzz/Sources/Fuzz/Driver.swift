/// libFuzzer brings a `main` of its own, which the package manager hides behind the one that it expects of a program:
/// this one, which hands over at once.
@_cdecl("Fuzz_main")
public func fuzzMain(
  _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  var count = count
  var arguments = arguments
  return runDriver(&count, &arguments, fuzzRequests)
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> Int32

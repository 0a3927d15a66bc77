import Glibc

/// `Seeds DIRECTORY` writes each hostile request into a file, once for each way in which `Fuzz` cuts its input.
guard CommandLine.arguments.count == 2 else {
  print("usage: Seeds DIRECTORY")
  exit(2)
}
let directory = CommandLine.arguments[1]
mkdir(directory, 0o755)
for (number, request) in HostileRequest.all.enumerated() {
  for control in [0, 1, 7, 128] {
    let name = "\(directory)/hostile-\(number)-\(control)"
    guard let file = fopen(name, "w") else {
      print("cannot write \(name)")
      exit(1)
    }
    let bytes = [UInt8(control)] + request.bytes
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }
}
print("\(HostileRequest.all.count * 4) seeds in \(directory)")

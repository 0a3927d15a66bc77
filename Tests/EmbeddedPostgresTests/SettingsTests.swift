import Testing

@testable import EmbeddedPostgres

@Suite struct SettingsTests {
  private func settings(memory: Int, disk: Int) -> Settings {
    Settings(machine: .init(memoryBytes: memory << 20, diskBytes: disk << 20))
  }

  @Test func `memory is an eighth of the machine within limits`() {
    #expect(settings(memory: 128, disk: 1).sharedBuffersMegabytes == 32)
    #expect(settings(memory: 2048, disk: 1).sharedBuffersMegabytes == 256)
    #expect(settings(memory: 24 << 10, disk: 1).sharedBuffersMegabytes == 1024)
    #expect(settings(memory: 2048, disk: 1).effectiveCacheMegabytes == 1024)
  }

  @Test func `the log may take an eighth of the free disk, at most 8 GB`() {
    #expect(settings(memory: 2048, disk: 100).maximumLogMegabytes == 128)
    #expect(settings(memory: 2048, disk: 16 << 10).maximumLogMegabytes == 2048)
    #expect(settings(memory: 2048, disk: 1 << 20).maximumLogMegabytes == 8192)
    #expect(settings(memory: 2048, disk: 1 << 20).minimumLogMegabytes == 1024)
    #expect(settings(memory: 2048, disk: 100).minimumLogMegabytes == 80)
  }

  @Test func `durability is written out`() {
    let text = settings(memory: 2048, disk: 1000).text
    for line in ["fsync = on", "synchronous_commit = on", "full_page_writes = on"] {
      #expect(text.contains(line + "\n"))
    }
  }
}

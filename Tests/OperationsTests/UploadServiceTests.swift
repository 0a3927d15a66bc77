import Domain
import Postgres
import Store
import Testing
import Time

@testable import Operations

@Suite struct UploadServiceTests {
  private let world: BatchWorld

  init() throws {
    world = try BatchWorld()
  }

  private func upload(
    _ body: [UInt8], type: String? = nil, expiresIn: String? = nil, caller: Caller = .commandLine,
    publicURL: String? = "https://u"
  ) throws(Problem) -> UploadService.Uploaded {
    try UploadService.upload(
      UploadService.Request(
        appID: "com.example.bank", contentType: type, body: ByteSource(body), expiresIn: expiresIn, caller: caller,
        hosting: ContentHosting(publicURL: publicURL)), on: world.connection, now: world.now)
  }

  private func problem(_ body: () throws(Problem) -> UploadService.Uploaded) -> Problem? {
    do throws(Problem) {
      _ = try body()
      return nil
    } catch {
      return error
    }
  }

  private static let heads: [MediaType: [UInt8]] = [
    .jpeg: [0xFF, 0xD8, 0xFF, 0xE0], .mp3: [0xFF, 0xFB, 0x90, 0x64], .mp4: Array("\0\0\0\u{18}ftypmp42".utf8),
  ]

  @Test(arguments: [(MediaType.jpeg, 10_000_000), (.mp3, 5_000_000), (.mp4, 50_000_000)])
  func `the largest file that a notification shows is taken, one byte more is not`(type: MediaType, limit: Int) throws {
    let head = Self.heads[type] ?? []
    let body = head + [UInt8](repeating: 7, count: limit - head.count)
    let uploaded = try upload(body)
    #expect(uploaded.type == type && uploaded.bytes == limit)
    let parts = (limit + Operations.Limits.partBytes - 1) / Operations.Limits.partBytes
    #expect(try world.count("SELECT count(*) FROM hosted_parts") == Int64(parts))
    #expect(try world.count("SELECT sum(octet_length(body)) FROM hosted_parts") == Int64(limit))
    #expect(problem { () throws(Problem) in try upload(body + [7]) }?.code == .bodyTooLarge)
  }

  @Test func `without an address of the server there is nowhere to put it`() throws {
    let problem = problem { () throws(Problem) in try upload(Self.heads[.jpeg] ?? [], publicURL: nil) }
    #expect(problem?.code == .notConfigured && problem?.code.status == 422)
    #expect(problem?.detail.contains("UPMC_PUBLIC_URL") == true)
    #expect(try world.count("SELECT count(*) FROM hosted_files") == 0)
  }

  @Test(
    arguments: [
      (nil, 7_776_000), ("PT1M", 60), ("P366D", 31_622_400), ("PT59S", nil), ("P367D", nil), ("soon", nil),
    ] as [(String?, Int64?)])
  func `it stays as long as asked`(expiresIn: String?, seconds: Int64?) throws {
    guard let seconds else {
      #expect(
        problem { () throws(Problem) in try upload(Self.heads[.jpeg] ?? [], expiresIn: expiresIn) }?.code
          == .invalidField)
      return
    }
    #expect(try upload(Self.heads[.jpeg] ?? [], expiresIn: expiresIn).expiresAt == world.now + .seconds(seconds))
  }

  @Test func `who may send may upload, for an app of theirs`() {
    let body = Self.heads[.jpeg] ?? []
    for role in Role.allCases {
      let caller = Caller(role: role, app: nil, apiKey: nil)
      let expected: Problem.Code? = role == .viewer ? .forbidden : nil
      #expect(problem { () throws(Problem) in try upload(body, caller: caller) }?.code == expected)
    }
    let stranger = Caller(role: .admin, app: world.app.number + 1, apiKey: nil)
    #expect(problem { () throws(Problem) in try upload(body, caller: stranger) }?.code == .forbidden)
  }

  @Test func `what the sender calls it must fit, or say nothing`() throws {
    for type in ["image/jpeg", "image/jpg; q=1", "IMAGE/JPEG", "application/octet-stream", "", nil] {
      #expect(try upload(Self.heads[.jpeg] ?? [], type: type).type == .jpeg)
    }
    #expect(
      problem { () throws(Problem) in try upload(Self.heads[.mp3] ?? [], type: "image/jpeg") }?.code
        == .unsupportedMediaType)
  }

  @Test func `an app stores so many bytes of media, and no more until some are deleted`() throws {
    let head = Self.heads[.jpeg] ?? []
    // Room is left for two files, each of which counts as a part. Pages do not count.
    let film = Operations.Limits.mediaBytesOfApp - 2 * Int64(Operations.Limits.partBytes)
    try world.connection.script(
      """
      INSERT INTO hosted_files (name, app, suffix, type, bytes, part_bytes, sha256, created_at, expires_at)
      VALUES ('film', \(world.app.number), '.mp4', 'video/mp4', \(film), 1, '', now(), now() + interval '1 year'),
        ('page', \(world.app.number), '_ext.html', 'text/html', \(film), 1, '', now(), now() + interval '1 year'),
        ('other', \(world.app.number + 1), '.mp4', 'video/mp4', \(film), 1, '', now(), now() + interval '1 year')
      """)
    for _ in 1...2 { #expect(try upload(head).bytes == head.count) }
    let refused = problem { () throws(Problem) in try upload(head) }
    #expect(refused?.code == .conflict && refused?.detail.contains("20481 MiB of at most 20480 MiB") == true)
    #expect(try world.count("SELECT count(*) FROM hosted_files") == 5)
    #expect(try world.count("SELECT count(*) FROM hosted_parts") == 2)
    try world.connection.script("DELETE FROM hosted_files WHERE name = 'film'")
    #expect(try upload(head).bytes == head.count)
  }

  @Test func `only what has expired is pruned, a part at a time`() throws {
    for minutes in 1...3 { _ = try upload(Self.heads[.jpeg] ?? [], expiresIn: "PT\(minutes)M") }
    let later = world.now + .seconds(120)
    #expect(try world.connection.run(HostedFiles.prune(at: later, atMost: 1)) == 1)
    #expect(try world.connection.run(HostedFiles.prune(at: later, atMost: 9)) == 1)
    #expect(try world.connection.run(HostedFiles.prune(at: later, atMost: 9)) == 0)
    #expect(try world.count("SELECT count(*) FROM hosted_parts") == 1)
  }
}

import Domain
import Testing

@testable import UPMCClient

/// The client and the server detect a file's kind by its first bytes, each by itself: what the server accepts as an
/// upload, the client attaches, by the file name extension that the server gives it.
@Suite struct MediumKindTests {
  /// A file's first bytes: what the server makes of them, and the client.
  private struct Head {
    let name: String
    let bytes: [UInt8]
    let server: MediaType?
    let client: MediumKind?

    init(_ name: String, _ bytes: [UInt8], _ server: MediaType?, _ client: MediumKind?) {
      self.name = name
      self.bytes = bytes
      self.server = server
      self.client = client
    }

    /// A file of ISO/IEC 14496-12, by its major brand.
    init(brand: String, _ server: MediaType?, _ client: MediumKind?) {
      self.init(brand, Array("\0\0\0\u{18}ftyp\(brand)\0\0\0\0".utf8), server, client)
    }
  }

  private static let signatures: [Head] = [
    Head("jpeg (JFIF)", [0xFF, 0xD8, 0xFF, 0xE0, 0, 16, 0x4A, 0x46, 0x49, 0x46, 0], .jpeg, .jpg),
    Head("jpeg (Exif)", [0xFF, 0xD8, 0xFF, 0xE1, 0x1F, 0xFE, 0x45, 0x78, 0x69, 0x66], .jpeg, .jpg),
    Head("png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13], .png, .png),
    Head("gif 87", Array("GIF87a\u{1}\0\u{1}\0".utf8), .gif, .gif),
    Head("gif 89", Array("GIF89a\u{1}\0\u{1}\0".utf8), .gif, .gif),
    Head("webp", Array("RIFF\u{24}\0\0\0WEBPVP8 ".utf8), nil, nil),
    Head("bmp", Array("BM\u{46}\0\0\0".utf8), nil, nil),
    Head("mp3 with ID3", Array("ID3\u{4}\0\0\0".utf8), .mp3, .mp3),
    Head("mp3 of MPEG-1", [0xFF, 0xFB, 0x90, 0x64, 0], .mp3, .mp3),
    Head("mp3 of MPEG-1 with CRC", [0xFF, 0xFA, 0x90, 0x64, 0], .mp3, .mp3),
    Head("mp3 of MPEG-2", [0xFF, 0xF3, 0x48, 0xC4], .mp3, .mp3),
    Head("mp3 of MPEG-2.5", [0xFF, 0xE3, 0x48, 0xC4], .mp3, .mp3),
    Head("mp2", [0xFF, 0xFD, 0x90, 0x04], nil, nil), Head("aac (ADTS)", [0xFF, 0xF1, 0x50, 0x80], nil, nil),
    Head("wav", Array("RIFF\u{24}\0\0\0WAVEfmt ".utf8), .wav, .wav),
    Head("avi", Array("RIFF\u{24}\0\0\0AVI LIST".utf8), .avi, .avi),
    Head("aiff", Array("FORM\0\0\0\u{2e}AIFFCOMM".utf8), .aiff, .aiff),
    Head("aiff-c", Array("FORM\0\0\0\u{2e}AIFCFVER".utf8), .aiff, .aiff),
    Head("mpeg program stream", [0, 0, 1, 0xBA, 0x44], .mpeg, .mpg),
    Head("mpeg video", [0, 0, 1, 0xB3, 0x14], .mpeg, .mpg), Head("empty", [], nil, nil),
    Head("html", Array("<!DOCTYPE html>".utf8), nil, nil), Head("zip", Array("PK\u{3}\u{4}".utf8), nil, nil),
  ]
  private static let sounds: [Head] = [Head(brand: "M4A ", .m4a, .m4a), Head(brand: "M4B ", .m4a, .m4a)]
  private static let films: [Head] = [
    "isom", "iso2", "iso4", "iso5", "iso6", "mp41", "mp42", "avc1", "M4V ", "MSNV", "dash", "3gp4", "3gp5",
  ].map { Head(brand: $0, .mp4, .mp4) }
  /// Films of other programs: not accepted as uploads, but attached if an address leads to one.
  private static let otherFilms: [Head] = ["mp71", "F4V ", "XAVC"].map { Head(brand: $0, nil, .mp4) }
  /// HEIF and AVIF.
  private static let pictures: [Head] = [
    "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "mif2", "msf1", "avci", "avcs", "avif",
    "avis",
  ].map { Head(brand: $0, nil, nil) }
  private static let recordings: [Head] = [Head(brand: "qt  ", .quicktime, .mov)]
  private static let heads: [Head] = [signatures, sounds, films, otherFilms, pictures, recordings].flatMap { $0 }

  @Test func `both know a file by its first bytes`() {
    for head in Self.heads {
      #expect(MediaType(sniffing: head.bytes) == head.server, "\(head.name)")
      #expect(MediumKind(head.bytes) == head.client, "\(head.name)")
    }
  }

  @Test func `what the server accepts is attached, however short it is cut`() {
    for head in Self.heads {
      for count in 0...head.bytes.count {
        let bytes = Array(head.bytes.prefix(count))
        guard let type = MediaType(sniffing: bytes) else { continue }
        #expect(MediumKind(bytes).map { ".\($0.rawValue)" } == type.suffix, "\(count) bytes of \(head.name)")
      }
    }
  }

  @Test func `a film or picture whose brand is cut off is neither an upload nor attached`() {
    for count in 0..<12 {
      let bytes = Array("\0\0\0\u{18}ftypisom".utf8.prefix(count))
      #expect(MediaType(sniffing: bytes) == nil && MediumKind(bytes) == nil, "\(count) bytes")
    }
  }

  @Test func `the table has every type that the server accepts`() {
    #expect(Set(Self.heads.compactMap(\.server)) == Set(MediaType.allCases))
  }

  @Test func `every header of an audio frame is the same to both`() {
    var differing: [[UInt8]] = []
    for second in UInt8.min...UInt8.max {
      // Each bit rate with each sample rate.
      for rates in 0..<64 {
        let bytes = [0xFF, second, UInt8(rates << 2), 0x64]
        let isSame = MediumKind(bytes).map { ".\($0.rawValue)" } == MediaType(sniffing: bytes)?.suffix
        if !isSame { differing.append(bytes) }
      }
    }
    #expect(differing.isEmpty)
  }
}

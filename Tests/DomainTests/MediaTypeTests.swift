import Testing

@testable import Domain

@Suite struct MediaTypeTests {
  /// The first bytes of real files, as programs write them.
  private static let files: [(name: String, bytes: [UInt8], type: MediaType?)] = [
    ("jpeg (JFIF)", [0xFF, 0xD8, 0xFF, 0xE0, 0, 16, 0x4A, 0x46, 0x49, 0x46, 0], .jpeg),
    ("jpeg (Exif)", [0xFF, 0xD8, 0xFF, 0xE1, 0x1F, 0xFE, 0x45, 0x78, 0x69, 0x66], .jpeg),
    ("png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13], .png),
    ("gif 87", Array("GIF87a\u{1}\0\u{1}\0".utf8), .gif), ("gif 89", Array("GIF89a\u{1}\0\u{1}\0".utf8), .gif),
    ("mp3 with ID3", Array("ID3\u{4}\0\0\0".utf8), .mp3),
    ("mp3 128 kbit/s 44.1 kHz", [0xFF, 0xFB, 0x90, 0x64, 0], .mp3),
    ("mp3 MPEG-2", [0xFF, 0xF3, 0x48, 0xC4], .mp3), ("m4a", Array("\0\0\0\u{20}ftypM4A \0\0\0\0".utf8), .m4a),
    ("wav", Array("RIFF\u{24}\0\0\0WAVEfmt ".utf8), .wav), ("aiff", Array("FORM\0\0\0\u{2e}AIFFCOMM".utf8), .aiff),
    ("aiff-c", Array("FORM\0\0\0\u{2e}AIFCFVER".utf8), .aiff),
    ("mp4", Array("\0\0\0\u{18}ftypmp42\0\0\0\0".utf8), .mp4),
    ("mp4 isom", Array("\0\0\0\u{20}ftypisom\0\0\u{2}\0".utf8), .mp4),
    ("mov", Array("\0\0\0\u{14}ftypqt  \0\0\0\0".utf8), .quicktime),
    ("mpeg program stream", [0, 0, 1, 0xBA, 0x44], .mpeg), ("mpeg video", [0, 0, 1, 0xB3, 0x14], .mpeg),
    ("avi", Array("RIFF\u{24}\0\0\0AVI LIST".utf8), .avi), ("webp", Array("RIFF\u{24}\0\0\0WEBPVP8 ".utf8), nil),
    ("heic", Array("\0\0\0\u{18}ftypheic\0\0\0\0".utf8), nil),
    ("avif", Array("\0\0\0\u{1c}ftypavif\0\0\0\0".utf8), nil),
    ("aac (ADTS)", [0xFF, 0xF1, 0x50, 0x80], nil), ("mp2 (layer II)", [0xFF, 0xFD, 0x90, 0x04], nil),
    ("free-format rate", [0xFF, 0xFB, 0x00, 0x64], nil), ("html", Array("<!DOCTYPE html>".utf8), nil),
    ("svg", Array("<svg xmlns=".utf8), nil), ("pdf", Array("%PDF-1.7".utf8), nil),
    ("zip", Array("PK\u{3}\u{4}".utf8), nil),
    ("nothing", [], nil), ("half a png", [0x89, 0x50, 0x4E, 0x47], nil),
    ("three bytes of jpeg", [0xFF, 0xD8, 0xFF], .jpeg),
    ("ftyp cut off", Array("\0\0\0\u{18}ftyp".utf8), nil), ("RIFF cut off", Array("RIFF\0\0".utf8), nil),
  ]

  @Test func `a file is known by its first bytes`() {
    for file in Self.files { #expect(MediaType(sniffing: file.bytes) == file.type, "\(file.name)") }
  }

  @Test func `every type is found by some file, and has a suffix of its own`() {
    #expect(Set(Self.files.compactMap(\.type)) == Set(MediaType.allCases))
    #expect(Set(MediaType.allCases.map(\.suffix)).count == MediaType.allCases.count)
  }

  @Test(arguments: [
    (MediaType.jpeg, "image/jpeg", true), (.jpeg, "image/jpg", true), (.jpeg, "image/png", false),
    (.mp3, "audio/mp3", true), (.m4a, "audio/x-m4a", true), (.m4a, "video/mp4", false), (.wav, "audio/x-wav", true),
    (.quicktime, "video/mp4", false), (.mpeg, "audio/mpeg", false),
  ])
  func `clients have several names for a type`(type: MediaType, name: String, isIt: Bool) {
    #expect(type.isCalled(name) == isIt)
  }
}

import HTTPServer
import Testing

@Suite struct ContentCodingTests {
  @Test(arguments: [
    "gzip", "gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.5", "GZIP", "x-gzip", "*", "identity;q=0, *", "deflate,gzip",
    "*;q=0, gzip", "gzip;q=0.001", " gzip ; q = 1 ", "br,\tgzip", "gzip;level=9",
  ]) func `gzip may be sent`(field: String) {
    #expect(ContentCoding.acceptsGzip(field))
  }

  @Test(arguments: [
    nil, "", "identity", "br", "gzip;q=0", "gzip;q=0.000, *", "*;q=0", "gzip; Q=0", "gzipped", "a gzip", ",", ";q=1",
    "deflate, br",
    "*, gzip;q=0",
  ]) func `gzip may not be sent`(field: String?) {
    #expect(!ContentCoding.acceptsGzip(field))
  }
}

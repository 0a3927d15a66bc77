import TestTier
import Testing

/// The API reference in a browser.
@Suite(.slow, .serialized) struct ReferencePageTests {
  @Test func `operations are found while one types, and examples have a button that copies them`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try browser.open("/docs/api")
    try browser.waitFor(".operations p:not([hidden]) #filter")
    let all = try browser.count(".operations li[data-words]")
    #expect(all > 150)
    try browser.click("#filter")
    for letter in "badge dev" { try browser.press(letter) }
    try browser.wait(
      "few operations",
      "return /^[1-9] of \(all)$/.test(document.querySelector('.operations [role=status]').textContent)")
    try browser.press(.enter)
    try browser.waitFor(".operations a[aria-current=location]")
    #expect(try browser.script("return document.querySelector(location.hash)?.tagName") as? String == "ARTICLE")
    #expect(
      try browser.script(
        "return document.querySelectorAll('main pre').length === document.querySelectorAll('main button.copy').length")
        as? Bool == true)
    try browser.script(
      """
      const one = document.querySelector('main details:has(button.copy)');
      one.open = true;
      one.querySelector('button.copy').click();
      """)
    try browser.wait(
      "the example to be copied or selected",
      """
      const one = document.querySelector('main details[open] button.copy');
      return one.textContent === 'Copied' || getSelection().toString().length > 10;
      """)
    try browser.expectSilence("the reference")
  }
}

/// The look of the page: the reader's own fonts and colours, readable on a telephone too.
enum PageStyle {
  static let css = """
    :root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 20%, transparent); }
    body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; }
    h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
    article { margin: 2rem 0; overflow-x: auto; }
    h3 { margin-bottom: 0; }
    .call { margin-top: 0; }
    table { border-collapse: collapse; margin: 0.5rem 0; }
    th, td { text-align: left; vertical-align: top; padding: 0.2rem 0.7rem 0.2rem 0; border-top: 1px solid var(--line); }
    td p { margin: 0; }
    code, pre { font: 0.9rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
    pre { overflow-x: auto; padding: 0.5rem; border: 1px solid var(--line); }
    summary { cursor: pointer; }
    nav > ul { columns: 20rem; padding-left: 1rem; }

    """
}

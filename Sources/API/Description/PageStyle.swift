/// The style sheet of the handbook and the API reference. It uses the system's fonts and colours, and adapts to narrow
/// screens.
enum PageStyle {
  static let css = """
    :root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 20%, transparent);
      --soft: color-mix(in srgb, currentColor 6%, transparent); }
    html { background: Canvas; color: CanvasText; }
    body { margin: 0; font: 1rem/1.6 system-ui, sans-serif; word-break: keep-all; overflow-wrap: break-word; }
    header { display: flex; gap: 1rem; justify-content: space-between; padding: 0.6rem 1.5rem;
      border-bottom: 1px solid var(--line); }
    .book { margin: 0 auto; max-width: 90rem; padding: 1rem 1.5rem; }
    main { min-width: 0; max-width: 60rem; }
    h1 { line-height: 1.2; }
    h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
    :target { scroll-margin-top: 1rem; }
    main:focus { outline: none; }
    [hidden] { display: none !important; }
    .skip { position: absolute; left: -999rem; }
    .skip:focus { left: 1rem; top: 0.4rem; padding: 0.3rem 0.8rem; background: Canvas; border: 1px solid; z-index: 1; }
    article { margin: 2rem 0; }
    article h2 { margin-bottom: 0.4rem; }
    article h3 { margin-bottom: 0.2rem; font-size: 1rem; }
    dl { margin: 0.4rem 0; }
    dl > div { padding: 0.3rem 0; border-top: 1px solid var(--line); }
    dt i { font-size: 0.85rem; }
    dd { margin: 0 0 0 1.2rem; }
    dd p { margin: 0; }
    dd > span { display: block; }
    .calls { padding: 0; list-style: none; }
    .calls li { padding: 0.2rem 0; }
    .calls code { font-size: 0.8rem; }
    .form > div { padding-left: 0.8rem; border-left: 2px solid var(--line); }
    .run form { padding: 0.2rem 0.8rem; border: 1px solid var(--line); }
    .run input { font: inherit; box-sizing: border-box; width: 22rem; max-width: 100%; padding: 0.2rem 0.4rem; }
    .run button, .copy { min-height: 1.6rem; font: inherit; }
    .run pre { max-height: 30rem; overflow: auto; }
    .call { margin-top: 0; }
    table { display: block; overflow-x: auto; border-collapse: collapse; margin: 0.8rem 0; }
    th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.9rem 0.3rem 0; border-top: 1px solid var(--line); }
    td p { margin: 0; }
    code, pre { font: 0.9rem/1.45 ui-monospace, monospace; }
    code { overflow-wrap: anywhere; }
    td:first-child code { overflow-wrap: break-word; }
    th { white-space: nowrap; }
    pre { overflow-x: auto; padding: 0.7rem; border: 1px solid var(--line); background: var(--soft); }
    pre code { overflow-wrap: normal; }
    summary { cursor: pointer; padding: 0.15rem 0; min-height: 1.5rem; }
    blockquote { margin: 1rem 0; padding: 0 1rem; border-left: 3px solid var(--line); }
    .operations code { font-size: 0.75rem; padding: 0 0.25rem; border: 1px solid var(--line); border-radius: 3px; }
    .operations input { width: 100%; box-sizing: border-box; font: inherit; padding: 0.3rem 0.5rem; }
    .operations details { margin: 0.3rem 0; }
    .operations details ul { padding: 0.2rem 0 0.4rem 0.9rem; }
    .copy { float: right; margin: 0.4rem; font-size: 0.85rem; }
    .pages, .sections { font-size: 0.9rem; }
    .pages p { margin: 1rem 0 0.2rem; font-weight: 600; }
    .pages ul, .sections ul { margin: 0; padding: 0; list-style: none; }
    .pages li, .sections li { margin: 0.25rem 0; }
    [aria-current] { font-weight: 600; }
    [aria-current=page], [aria-current=location] { color: inherit; text-decoration: none; }
    @media (min-width: 62rem) {
      .book { display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 0 2.5rem; }
      .pages { grid-column: 1; grid-row: 1 / span 2; }
      .sections { grid-column: 2; grid-row: 1; }
      main { grid-column: 2; grid-row: 2; }
    }
    @media (min-width: 84rem) {
      .book { grid-template-columns: 13rem minmax(0, 60rem) 13rem; }
      .pages, .sections { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto; }
      .pages { grid-row: 1; }
      main { grid-row: 1; }
      .sections { grid-column: 3; }
    }
    @media print { header, .pages, .sections { display: none; } }

    """
}

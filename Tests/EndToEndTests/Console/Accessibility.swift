import JSON

/// Checks of WCAG 2.2 A and AA that a program can make, as a function body that runs in the page and lists what it found.
///
/// Names of controls and pictures (1.1.1, 4.1.2), labels (3.3.2), headings and landmarks (1.3.1, 2.4.6), language (3.1.1),
/// title (2.4.2), contrast of text (1.4.3), size of targets (2.5.8), order of focus (2.4.3), reflow (1.4.10), ids and
/// references that lead nowhere, tables and lists as such.
enum Accessibility {
  static let script = """
    const found = [];
    const say = (rule, element) => found.push(rule + ': ' + (element?.outerHTML ?? '').slice(0, 160));
    const seen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
      && element.getClientRects().length > 0;
    // Below a dialog that stands in front, nothing can be reached.
    const open = document.querySelector('dialog[open]');
    const scope = open ?? document;
    const every = (selector) => [...scope.querySelectorAll(selector)].filter(seen);
    const byID = (ids) => (ids ?? '').split(/\\s+/).filter(Boolean).map((id) => document.getElementById(id));
    const spoken = (element) => {
      if (element.nodeType === Node.TEXT_NODE) return element.data;
      if (element.nodeType !== Node.ELEMENT_NODE || element.getAttribute('aria-hidden') === 'true') return '';
      if (element.hasAttribute('aria-label')) return element.getAttribute('aria-label');
      if (element.tagName === 'IMG') return element.alt;
      return [...element.childNodes].map(spoken).join(' ');
    };
    const nameOf = (element) => (byID(element.getAttribute('aria-labelledby')).map((one) => one ? spoken(one) : '').join(' ')
      || element.getAttribute('aria-label') || [...(element.labels ?? [])].map(spoken).join(' ')
      || (element.matches('button, a, summary') ? spoken(element) : '') || element.title || '').trim();

    if (!document.documentElement.lang) say('page has no language');
    if (!document.title.trim()) say('page has no title');
    if (!open) {
      const heads = every('h1, h2, h3, h4, h5, h6');
      const firsts = heads.filter((one) => one.tagName === 'H1');
      if (firsts.length !== 1) say('page has ' + firsts.length + ' headings of the first level', firsts[1]);
      const inMain = [...document.querySelectorAll('main :is(h1, h2, h3, h4)')].filter(seen);
      inMain.reduce((before, one) => {
        const level = Number(one.tagName[1]);
        if (level > before + 1) say('heading skips a level', one);
        return level;
      }, 0);
      if (document.querySelectorAll('main').length !== 1) say('page must have one main part');
      const navs = every('nav');
      for (const one of navs) if (navs.length > 1 && !one.getAttribute('aria-label')) say('navigation without a name', one);
    } else if (!nameOf(open)) say('dialog without a name', open);

    for (const one of every('input:not([type=hidden]), select, textarea')) {
      if (!nameOf(one)) say('field without a label', one);
    }
    for (const one of every('button, a[href], summary, [role=button]')) if (!nameOf(one)) say('control without a name', one);
    for (const one of every('img')) if (!one.hasAttribute('alt')) say('picture without a text', one);
    for (const one of every('canvas, [role=img]')) if (!nameOf(one)) say('drawing without a name', one);
    for (const one of every('[tabindex]')) if (one.tabIndex > 0) say('focus order is changed', one);
    for (const one of every('[aria-hidden=true] :is(a[href], button, input)')) say('hidden control takes the focus', one);
    for (const one of every('table')) {
      if (!one.caption && !one.getAttribute('aria-label')) say('table without a caption', one);
      for (const cell of one.querySelectorAll('thead th')) {
        if (!cell.scope) say('column without a scope', cell);
        if (!spoken(cell).trim()) say('column without a name', cell);
      }
    }
    for (const one of every('ul > *, ol > *')) if (!['LI', 'SCRIPT', 'TEMPLATE'].includes(one.tagName)) say('list with another child', one);
    for (const one of every('li')) if (!one.closest('ul, ol, menu')) say('list item without a list', one);
    for (const one of every('dl > *')) if (!['DT', 'DD', 'DIV'].includes(one.tagName)) say('pairs with another child', one);
    for (const one of document.querySelectorAll('*')) {
      for (const { value } of one.attributes) if (/\\[object |undefined|NaN/.test(value)) say('a value that is none: ' + value, one);
    }
    const ids = new Set();
    for (const one of document.querySelectorAll('[id]')) {
      if (ids.has(one.id)) say('id is there twice', one);
      ids.add(one.id);
    }
    for (const name of ['aria-labelledby', 'aria-describedby', 'aria-controls']) {
      for (const one of every('[' + name + ']')) if (byID(one.getAttribute(name)).includes(null)) say(name + ' leads nowhere', one);
    }
    for (const one of every('[aria-invalid=true]')) {
      if (!byID(one.getAttribute('aria-describedby')).some((text) => text && seen(text))) say('error is not told', one);
    }
    // Links within sentences may be small.
    for (const one of every('button, input:not([type=hidden]), select, textarea, summary')) {
      const box = (one.labels?.[0] && one.matches('[type=checkbox], [type=radio]') ? one.labels[0] : one).getBoundingClientRect();
      if (box.width < 23.9 || box.height < 23.9) say('target is smaller than 24 by 24 (' + Math.round(box.width) + ' by ' + Math.round(box.height) + ')', one);
    }
    const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    if (wide > 0) {
      const culprit = [...document.querySelectorAll('body *')].find((one) => seen(one)
        && one.getBoundingClientRect().right > document.documentElement.clientWidth + 1);
      say('page is ' + wide + ' pixels too wide', culprit);
    }

    // Contrast: colours are drawn on a canvas to know them whatever they are written in.
    const brush = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
    const rgba = (text) => {
      brush.clearRect(0, 0, 1, 1);
      brush.fillStyle = text;
      brush.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = brush.getImageData(0, 0, 1, 1).data;
      return [r, g, b, a / 255];
    };
    const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
    const light = (colour) => {
      const [r, g, b] = colour.slice(0, 3).map((one) => one / 255).map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (element) => {
      const layers = [];
      for (let one = element; one; one = one.parentElement) {
        const style = getComputedStyle(one);
        if (style.backgroundImage !== 'none') return null;
        const colour = rgba(style.backgroundColor);
        if (colour[3] > 0) layers.push(colour);
        if (colour[3] === 1) break;
      }
      return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
    };
    const walker = document.createTreeWalker(open ?? document.body, NodeFilter.SHOW_TEXT);
    const told = new Set();
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      if (!walker.currentNode.data.trim() || told.has(element) || !seen(element) || element.closest('.unseen, option, noscript, :disabled')) continue;
      told.add(element);
      const below = ground(element);
      if (!below) continue;
      const style = getComputedStyle(element);
      const [one, other] = [light(over(rgba(style.color), below)), light(below)].sort((a, b) => b - a);
      const size = parseFloat(style.fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      const ratio = (one + 0.05) / (other + 0.05);
      if (ratio < (isLarge ? 3 : 4.5) - 0.01) say('contrast is ' + ratio.toFixed(2), element);
    }
    return found;
    """
}

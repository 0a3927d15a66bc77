/// The script of the API reference: a filter above the list of operations, the current place in it, and buttons that copy
/// examples. Without it the page is complete, and shows none of these.
enum PageScript {
  static let path = "/docs/reference.js"

  static let source = """
    "use strict";
    const list = document.querySelector(".operations");
    const field = document.getElementById("filter");
    const said = list.querySelector("[role=status]");
    const entries = [...list.querySelectorAll("li[data-words]")];
    const areas = [...list.querySelectorAll("details")];

    function narrow() {
      const wanted = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
      let count = 0;
      for (const entry of entries) {
        entry.hidden = !wanted.every((word) => entry.dataset.words.includes(word));
        if (!entry.hidden) count += 1;
      }
      for (const area of areas) {
        area.hidden = wanted.length > 0 && !area.querySelector("li[data-words]:not([hidden])");
        if (wanted.length > 0) area.open = !area.hidden;
      }
      said.textContent = wanted.length > 0 ? `${count} of ${entries.length}` : "";
    }

    function mark() {
      for (const link of list.querySelectorAll("a")) {
        const isHere = link.hash !== "" && link.hash === location.hash;
        if (!isHere) {
          link.removeAttribute("aria-current");
          continue;
        }
        link.setAttribute("aria-current", "location");
        const area = link.closest("details");
        if (area) area.open = true;
      }
    }

    async function copy(button, text) {
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = "Copied";
      } catch {
        // Without TLS browsers give no clipboard: the text is at least selected.
        getSelection().selectAllChildren(text);
      }
    }

    field.parentElement.parentElement.hidden = false;
    field.addEventListener("input", narrow);
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") list.querySelector("li[data-words]:not([hidden]) a")?.click();
    });
    for (const text of document.querySelectorAll("main pre")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "Copy";
      button.addEventListener("click", () => copy(button, text));
      text.before(button);
    }
    addEventListener("hashchange", mark);
    mark();

    """
}

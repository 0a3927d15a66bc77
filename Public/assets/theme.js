/// Light, dark, or as the system says.

export const themes = ["system", "light", "dark"];

export const theme = () => localStorage.getItem("upmc.theme") ?? "system";

export function chooseTheme(wanted) {
  localStorage.setItem("upmc.theme", wanted);
  applyTheme();
}

export function applyTheme() {
  if (theme() === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme();
  window.dispatchEvent(new Event("upmc-theme"));
}

/// A colour of the style sheet, as it is now: for what is drawn on a canvas.
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/// Small drawings, 20 by 20, in the colour of the text around them. They only decorate: words stand beside them.

import { s } from "./dom.js";

const paths = {
  home: "M3 10 10 4l7 6M5 9v7h4v-4h2v4h4V9",
  compose: "M4 16l1-4 8-8 3 3-8 8zM11 6l3 3",
  messages: "M3 5h14v9H8l-3 3v-3H3z",
  people: "M10 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 17c0-3.5 2.6-5.2 6-5.2s6 1.7 6 5.2",
  devices: "M6 3h8v14H6zM9 15h2",
  groups: "M3 4h6v4H3zM11 12h6v4h-6zM6 8v6h5",
  segments: "M10 3a7 7 0 1 0 7 7h-7zM13 3.5A7 7 0 0 1 16.6 7H13z",
  aside: "M10 3a7 7 0 1 0 .01 0zM7 8v4M7 8h0M10 7v6M13 8v4",
  templates: "M4 3h12v14H4zM7 7h6M7 10h6M7 13h3",
  media: "M3 4h14v12H3zM3 13l4-4 4 4 2-2 4 4M13 7.5h.01",
  statistics: "M4 17V9M8.5 17V4M13 17v-6M17 17V7",
  apps: "M4 4h5v5H4zM11 4h5v5h-5zM4 11h5v5H4zM11 11h5v5h-5z",
  keys: "M12.5 11a3.5 3.5 0 1 0-3.3-2.3L4 14v2.5h3V15h1.5v-1.5H10L11.2 10.8",
  accounts: "M8 9a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 16c0-3 2-4.5 5-4.5s5 1.5 5 4.5M13 4.5a2.5 2.5 0 0 1 0 4.5M14 11.8c2 .5 3 2 3 4.2",
  audit: "M5 3h8l3 3v11H5zM8 9l1.5 1.5L12.5 8M8 14h5",
  channels: "M10 9a1.5 1.5 0 1 0 .01 0zM6.5 14a5 5 0 0 1 0-7M13.5 7a5 5 0 0 1 0 7M4 16.5a8.5 8.5 0 0 1 0-12M16 4.5a8.5 8.5 0 0 1 0 12",
  menu: "M3 6h14M3 10h14M3 14h14",
  sun: "M10 7a3 3 0 1 0 .01 0zM10 2v2M10 16v2M2 10h2M16 10h2M4.3 4.3l1.4 1.4M14.3 14.3l1.4 1.4M4.3 15.7l1.4-1.4M14.3 5.7l1.4-1.4",
  webhooks: "M8 12.5a3 3 0 1 1-3.2-4.6M11.5 5.5A3 3 0 1 0 8 8l-2 4M8.5 14H13M12 8l2.3 3.6a3 3 0 1 1-1.5 4.6",
  search: "M9 4a5 5 0 1 0 .01 0zM12.7 12.7 17 17",
  imports: "M10 3v9M6.5 8.5 10 12l3.5-3.5M4 14v3h12v-3",
};

export function icon(name) {
  return s("svg", { viewBox: "0 0 20 20", "aria-hidden": "true", focusable: "false", fill: "none", stroke: "currentColor",
    "stroke-width": "1.6", "stroke-linecap": "round", "stroke-linejoin": "round" }, s("path", { d: paths[name] }));
}

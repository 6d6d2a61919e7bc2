// Which signs are drawn rather than typed? Those that not every machine has a letter for.

import { svg } from "./dom.js";

const PATHS = {
  lock: "M4 7V5a4 4 0 0 1 8 0v2h1v7H3V7zm2 0h4V5a2 2 0 0 0-4 0z",
  bee: "M8 1l6 3.500v7L8 15l-6-3.500v-7zM8 5L5 6.700v2.600L8 11l3-1.700V6.700z",
  group: "M5.500 8a2.500 2.500 0 1 1 0-5 2.500 2.500 0 0 1 0 5zm5.500 0a2 2 0 1 1 0-4 2 2 0 0 1 0 4zM1 13c0-2.500 2-4 4.500-4S10 10.500 10 13zm10 0c0-1.500-.400-2.700-1.200-3.600.400-.300.800-.400 1.200-.400 2 0 4 1.200 4 4z",
  reply: "M2 2h12v9H8l-4 3.500V11H2zm2 2v5h8V4z",
  smile: "M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1zm0 1.600a5.400 5.400 0 1 0 0 10.800A5.400 5.400 0 0 0 8 2.600zM5.500 5h1.600v2H5.500zm3.400 0h1.600v2H8.900zM4.800 9h1.500c.700 1.300 2.700 1.300 3.400 0h1.500c-1 2.800-5.400 2.800-6.400 0z",
  why: "M7.200 1h1.600v1.300H13l2.200 5.200c0 1.400-1 2.300-2.400 2.300s-2.400-.900-2.400-2.300L12 3.900H8.800V13h3v1.600H4.200V13h3V3.900H4l1.600 3.600c0 1.400-1 2.300-2.400 2.300S.8 8.900.8 7.500L3 2.300h4.200z",
  more: "M3 6.600h2.600v2.600H3zm3.900 0h2.600v2.600H6.900zm3.900 0h2.600v2.600h-2.600z",
};

export function icon(name) {
  return svg("svg", { viewBox: "0 0 16 16", className: "sign-drawn", "aria-hidden": "true", width: 16, height: 16 },
    svg("path", { d: PATHS[name], "fill-rule": "evenodd", fill: "currentColor" }));
}

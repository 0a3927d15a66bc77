/// QR codes (ISO/IEC 18004): text in bytes, error correction M, versions 1 to 20, which is up to 666 bytes.

import { s } from "../dom.js";

/// By version, from 1: how many blocks the data is divided into, and how many correction bytes each gets.
const blockCounts = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16];
const correctionBytes = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26];

/// A drawing of the code, with the quiet zone around it.
/// - label: what it is, for those who cannot see it.
export function qrDrawing(text, label) {
  const rows = qrRows(text);
  const size = rows.length + 8;
  // Every dark module is a square of the one path.
  const squares = rows.flatMap((row, y) => [...row].map((dark, x) => (dark ? `M${x + 4} ${y + 4}h1v1h-1z` : ""))).join("");
  return s("svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" },
    s("rect", { class: "qr-paper", width: size, height: size }), s("path", { class: "qr-ink", d: squares }));
}

/// The modules of the code, row by row; true is dark.
export function qrRows(text) {
  const bytes = new TextEncoder().encode(text);
  const version = blockCounts.findIndex((_, index) => bytes.length <= roomOf(index + 1)) + 1;
  if (version === 0) throw new RangeError(`${bytes.length} bytes do not fit into a QR code`);
  const words = interleaved(dataOf(bytes, version), version);
  let best = null;
  for (let mask = 0; mask < 8; mask += 1) {
    const grid = drawn(words, version, mask);
    const penalty = penaltyOf(grid);
    if (best === null || penalty < best.penalty) best = { grid, penalty };
  }
  return best.grid;
}

// Bytes ---------------------------------------------------------------------------------------------------------------

/// Bytes that a version has for data and correction together.
function bytesOf(version) {
  const size = version * 4 + 17;
  const marks = alignment(version).length;
  // Finders with their separators and format bits, timing, alignment marks, version bits.
  let taken = 3 * 64 + 31 + 2 * (size - 16);
  if (marks > 0) taken += (marks * marks - 3) * 25 - 2 * (marks - 2) * 5;
  if (version >= 7) taken += 36;
  return Math.floor((size * size - taken) / 8);
}

const dataBytes = (version) => bytesOf(version) - blockCounts[version - 1] * correctionBytes[version - 1];
/// Bytes of text: less the mode and the count in front.
const roomOf = (version) => dataBytes(version) - (version < 10 ? 2 : 3);

function dataOf(bytes, version) {
  const bits = [];
  const put = (value, count) => {
    for (let bit = count - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1);
  };
  put(4, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) put(byte, 8);
  const room = dataBytes(version) * 8;
  put(0, Math.min(4, room - bits.length));
  while (bits.length % 8 > 0) bits.push(0);
  const words = [];
  for (let at = 0; at < bits.length; at += 8) words.push(bits.slice(at, at + 8).reduce((word, bit) => word * 2 + bit, 0));
  for (let filler = 0xec; words.length < dataBytes(version); filler ^= 0xec ^ 0x11) words.push(filler);
  return words;
}

/// Divides the data into blocks, adds the correction of each, and mixes them byte by byte.
function interleaved(data, version) {
  const count = blockCounts[version - 1];
  const short = Math.floor(data.length / count);
  const longer = data.length % count;
  const generator = generatorOf(correctionBytes[version - 1]);
  const blocks = [];
  let at = 0;
  for (let block = 0; block < count; block += 1) {
    const length = short + (block < count - longer ? 0 : 1);
    const words = data.slice(at, at + length);
    blocks.push({ words, correction: remainder(words, generator) });
    at += length;
  }
  const mixed = [];
  for (let index = 0; index <= short; index += 1) for (const { words } of blocks) if (index < words.length) mixed.push(words[index]);
  for (let index = 0; index < generator.length; index += 1) for (const { correction } of blocks) mixed.push(correction[index]);
  return mixed;
}

// Reed-Solomon over the field of 256 elements with the polynomial 0x11d.
const powers = [];
const logarithms = [];
for (let exponent = 0, value = 1; exponent < 255; exponent += 1) {
  powers.push(value);
  logarithms[value] = exponent;
  value = value & 0x80 ? (value << 1) ^ 0x11d : value << 1;
}
const times = (a, b) => (a === 0 || b === 0 ? 0 : powers[(logarithms[a] + logarithms[b]) % 255]);

/// The product of (x − 2⁰)(x − 2¹)…, without its leading 1.
function generatorOf(degree) {
  let factors = [1];
  for (let root = 0; root < degree; root += 1) {
    const next = [...factors, 0];
    for (let index = 0; index < factors.length; index += 1) next[index + 1] ^= times(factors[index], powers[root]);
    factors = next;
  }
  return factors.slice(1);
}

function remainder(words, generator) {
  const rest = new Array(generator.length).fill(0);
  for (const word of words) {
    const lead = word ^ rest.shift();
    rest.push(0);
    generator.forEach((factor, index) => { rest[index] ^= times(factor, lead); });
  }
  return rest;
}

// The grid ------------------------------------------------------------------------------------------------------------

/// Coordinates of the alignment marks' centres.
function alignment(version) {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  const places = [6];
  for (let index = count - 2; index >= 0; index -= 1) places.push(version * 4 + 10 - index * step);
  return places;
}

const masks = [
  (x, y) => (x + y) % 2, (x, y) => y % 2, (x) => x % 3, (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2, (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
];

function drawn(words, version, mask) {
  const size = version * 4 + 17;
  const grid = Array.from({ length: size }, () => new Array(size).fill(null));
  const set = (x, y, dark) => {
    if (x >= 0 && y >= 0 && x < size && y < size) grid[y][x] = dark;
  };
  for (let at = 8; at < size - 8; at += 1) {
    set(at, 6, at % 2 === 0);
    set(6, at, at % 2 === 0);
  }
  for (const [cx, cy] of [[3, 3], [size - 4, 3], [3, size - 4]]) square(cx, cy, 4, (ring) => ring !== 2 && ring !== 4);
  const places = alignment(version);
  const end = places.length - 1;
  places.forEach((cy, row) => places.forEach((cx, column) => {
    const isFinder = (row === 0 && (column === 0 || column === end)) || (row === end && column === 0);
    if (!isFinder) square(cx, cy, 2, (ring) => ring !== 1);
  }));
  drawFormat(set, size, mask);
  if (version >= 7) drawVersion(set, size, version);
  drawWords(grid, size, words, mask);
  return grid;

  function square(cx, cy, radius, isDark) {
    for (let dy = -radius; dy <= radius; dy += 1) {
      for (let dx = -radius; dx <= radius; dx += 1) set(cx + dx, cy + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))));
    }
  }
}

/// A number with its check bits behind it.
function checked(value, polynomial, degree) {
  let rest = value << degree;
  for (let bit = 31 - Math.clz32(rest || 1); bit >= degree; bit -= 1) if ((rest >> bit) & 1) rest ^= polynomial << (bit - degree);
  return (value << degree) | rest;
}

/// Error correction M (00) and the mask, twice.
function drawFormat(set, size, mask) {
  const bits = checked(mask, 0x537, 10) ^ 0x5412;
  const bit = (index) => ((bits >> index) & 1) === 1;
  for (let index = 0; index < 8; index += 1) {
    // The timing pattern is left out.
    set(8, index < 6 ? index : index + 1, bit(index));
    set(size - 1 - index, 8, bit(index));
  }
  for (let index = 8; index < 15; index += 1) {
    set(index === 8 ? 7 : 14 - index, 8, bit(index));
    set(8, size - 15 + index, bit(index));
  }
  set(8, size - 8, true);
}

function drawVersion(set, size, version) {
  const bits = checked(version, 0x1f25, 12);
  for (let index = 0; index < 18; index += 1) {
    const dark = ((bits >> index) & 1) === 1;
    const [long, short] = [Math.floor(index / 3), size - 11 + (index % 3)];
    set(short, long, dark);
    set(long, short, dark);
  }
}

/// Two columns at a time from the right, upwards and downwards in turn.
function drawWords(grid, size, words, mask) {
  let index = 0;
  let isUp = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      const y = isUp ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (grid[y][x] !== null) continue;
        const bit = index < words.length * 8 && ((words[index >> 3] >> (7 - (index & 7))) & 1) === 1;
        grid[y][x] = bit !== (masks[mask](x, y) === 0);
        index += 1;
      }
    }
    isUp = !isUp;
  }
}

/// How hard the grid is to read: long runs, blocks, what looks like a finder, and too much of one colour.
function penaltyOf(grid) {
  const size = grid.length;
  let penalty = 0;
  let dark = 0;
  const columns = grid.map((_, x) => grid.map((row) => row[x]));
  for (const line of [...grid, ...columns]) {
    let run = 0;
    line.forEach((module, at) => {
      run = at > 0 && module === line[at - 1] ? run + 1 : 1;
      if (run === 5) penalty += 3;
      else if (run > 5) penalty += 1;
    });
    const text = line.map((module) => (module ? "1" : "0")).join("");
    for (const pattern of ["00001011101", "10111010000"]) {
      for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + 1)) penalty += 40;
    }
  }
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      if (grid[y][x]) dark += 1;
      if (x > 0 && y > 0 && grid[y][x] === grid[y - 1][x] && grid[y][x] === grid[y][x - 1] && grid[y][x] === grid[y - 1][x - 1]) penalty += 3;
    }
  }
  return penalty + Math.floor(Math.abs((dark * 100) / (size * size) - 50) / 5) * 10;
}

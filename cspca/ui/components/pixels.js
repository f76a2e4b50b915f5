/* What everything shares that is walked over, pixel by pixel: its keys, its numbers, its arrays. */

const SECTION = 10 // Page Up and Page Down move this many rows (or features).
const MOVES = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  PageUp: [-SECTION, 0],
  PageDown: [SECTION, 0],
  Home: [0, -Infinity],
  End: [0, Infinity],
}

const clip = (value, count) => Math.min(Math.max(value, 0), count - 1)

/** The bytes of a base64 text, also of one with letters that an address may have. */
const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0))

const whole = (value) => value.toLocaleString("en-GB")

function number(value) {
  if (value === 0) return "0"
  const size = Math.abs(value)
  if (size < 1e-4 || size >= 1e6) return value.toExponential(2)
  return String(Number(value.toPrecision(4)))
}

/** Eight marks a byte, the first in the highest bit, in letters that an address may have. */
function pack(bits) {
  const bytes = new Uint8Array(Math.ceil(bits.length / 8))
  bits.forEach((one, i) => (bytes[i >> 3] |= one << (7 - (i & 7))))
  let text = ""
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_")
}

function unpack(text, size) {
  const bits = new Uint8Array(size)
  const bytes = text ? bytesOf(text) : []
  if (bytes.length !== Math.ceil(size / 8)) return bits
  return bits.map((_, i) => (bytes[i >> 3] >> (7 - (i & 7))) & 1)
}

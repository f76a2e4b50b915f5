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

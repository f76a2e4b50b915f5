/*
 * A QR code of a text: bytes, error correction L, versions 1 to 20 (858 bytes), mask 0, by
 * ISO/IEC 18004. Gives rows of true (dark) and false.
 */

const QR_CHECK = [0, 7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28]
const QR_BLOCKS = [0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8]

/** Draw the code of a text into an SVG, dark on white with the margin that cameras want. */
function drawQr(svg, text, label) {
  const rows = qrCode(text)
  svg.toggleAttribute("hidden", rows === null)
  if (rows === null) return
  const size = rows.length + 8
  svg.dataset.text = text
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`)
  svg.setAttribute("aria-label", label)
  const dark = document.createElementNS("http://www.w3.org/2000/svg", "path")
  const one = (row, y) => row.map((on, x) => (on ? `M${x + 4} ${y + 4}h1v1h-1z` : "")).join("")
  dark.setAttribute("d", rows.map(one).join(""))
  dark.setAttribute("shape-rendering", "crispEdges")
  dark.setAttribute("fill", "#000")
  svg.replaceChildren(dark)
}

function qrCode(text) {
  const bytes = new TextEncoder().encode(text)
  const room = (v) => Math.floor(qrModules(v) / 8) - QR_CHECK[v] * QR_BLOCKS[v]
  const header = (v) => (v < 10 ? 12 : 20)
  let version = 1
  while (version <= 20 && 8 * room(version) < header(version) + 8 * bytes.length) version++
  if (version > 20) return null

  const bits = []
  const put = (value, length) => {
    for (let i = length - 1; i >= 0; i--) bits.push((value >> i) & 1)
  }
  put(4, 4)
  put(bytes.length, version < 10 ? 8 : 16)
  for (const byte of bytes) put(byte, 8)
  put(0, Math.min(4, 8 * room(version) - bits.length))
  while (bits.length % 8) bits.push(0)
  const words = []
  for (let i = 0; i < bits.length; i += 8) words.push(parseInt(bits.slice(i, i + 8).join(""), 2))
  for (let pad = 0xec; words.length < room(version); pad ^= 0xec ^ 0x11) words.push(pad)
  return qrMatrix(version, qrInterleaved(words, version))
}

/** Modules that hold data and its check words. */
function qrModules(version) {
  let count = (16 * version + 128) * version + 64
  if (version < 2) return count
  const marks = Math.floor(version / 7) + 2
  count -= (25 * marks - 10) * marks - 55
  return version < 7 ? count : count - 36
}

/** Product in the field of 256 elements of the polynomial 0x11d. */
function qrTimes(x, y) {
  let z = 0
  for (let i = 7; i >= 0; i--) {
    z = (z << 1) ^ ((z >>> 7) * 0x11d)
    z ^= ((y >>> i) & 1) * x
  }
  return z
}

/** Blocks with their check words, a word of each in turn. */
function qrInterleaved(words, version) {
  const [degree, count] = [QR_CHECK[version], QR_BLOCKS[version]]
  const divisor = new Array(degree).fill(0)
  divisor[degree - 1] = 1
  for (let i = 0, root = 1; i < degree; i++, root = qrTimes(root, 2)) {
    for (let j = 0; j < degree; j++) {
      divisor[j] = qrTimes(divisor[j], root) ^ (j + 1 < degree ? divisor[j + 1] : 0)
    }
  }
  const all = Math.floor(qrModules(version) / 8)
  const short = count - (all % count)
  const length = Math.floor(all / count) - degree
  const blocks = []
  for (let i = 0, at = 0; i < count; i++) {
    const data = words.slice(at, (at += length + (i < short ? 0 : 1)))
    const check = new Array(degree).fill(0)
    for (const word of data) {
      const factor = word ^ check.shift()
      check.push(0)
      divisor.forEach((one, j) => (check[j] ^= qrTimes(one, factor)))
    }
    blocks.push({ data, check })
  }
  const found = []
  for (let i = 0; i <= length; i++) for (const { data } of blocks) if (i < data.length) found.push(data[i])
  for (let i = 0; i < degree; i++) for (const { check } of blocks) found.push(check[i])
  return found
}

function qrMatrix(version, words) {
  const size = 4 * version + 17
  const rows = Array.from({ length: size }, () => new Array(size).fill(null))
  const set = (x, y, dark) => {
    if (x >= 0 && y >= 0 && x < size && y < size) rows[y][x] = Boolean(dark)
  }
  for (let i = 0; i < size; i++) {
    set(6, i, i % 2 === 0)
    set(i, 6, i % 2 === 0)
  }
  const square = (x, y, reach, light) => {
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) {
        set(x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))))
      }
    }
  }
  for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) square(x, y, 4, [2, 4])
  const marks = version === 1 ? 0 : Math.floor(version / 7) + 2
  const step = 2 * Math.floor((8 * version + 3 * marks + 5) / (4 * marks - 4))
  const places = Array.from({ length: marks }, (_, i) => (i ? size - 7 - (marks - 1 - i) * step : 6))
  places.forEach((x, i) => places.forEach((y, j) => {
    const corner = (i === 0 && (j === 0 || j === marks - 1)) || (i === marks - 1 && j === 0)
    if (!corner) square(x, y, 2, [1])
  }))
  // Format: error correction L and mask 0; twice.
  let rest = 1 << 3
  for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537)
  const format = (((1 << 3) << 10) | rest) ^ 0x5412
  for (let i = 0; i < 15; i++) {
    const bit = (format >>> i) & 1
    set(8, i < 6 ? i : i < 8 ? i + 1 : size - 15 + i, bit)
    set(i < 8 ? size - 1 - i : i < 9 ? 15 - i : 14 - i, 8, bit)
  }
  set(8, size - 8, true)
  if (version >= 7) {
    rest = version
    for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25)
    for (let i = 0; i < 18; i++) {
      const bit = (((version << 12) | rest) >>> i) & 1
      const [a, b] = [size - 11 + (i % 3), Math.floor(i / 3)]
      set(a, b, bit)
      set(b, a, bit)
    }
  }
  // Two columns at a time from the right, upwards and downwards in turn.
  let at = 0
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5
    for (let i = 0; i < size; i++) {
      for (const x of [right, right - 1]) {
        const y = ((right + 1) & 2) === 0 ? size - 1 - i : i
        if (rows[y][x] !== null) continue
        const bit = at < 8 * words.length ? (words[at >>> 3] >>> (7 - (at & 7))) & 1 : 0
        rows[y][x] = Boolean(bit ^ ((x + y) % 2 === 0 ? 1 : 0))
        at++
      }
    }
  }
  return rows
}

/*
 * Pixel map: a score a pixel as a heatmap (or as bars when the data are no images), with a tooltip,
 * a keyboard cursor and one selected pixel.
 *
 * Streamlit calls the default export again on every change of the data or the theme, on the same
 * nodes. All there is to remember between calls hangs on the root in `views`. A call draws within
 * one task, so the browser never shows an empty canvas. Text goes in through textContent only.
 */

const views = new WeakMap()
const PATIENCE = 1500 // Milliseconds that a pick is believed without Python's answer.
const SECTION = 10 // Page Up and Page Down move this many rows (or features).

export default function (component) {
  const { parentElement, data, setStateValue } = component
  const root = parentElement.querySelector(".pm")
  if (!root || !data) return undefined
  let view = views.get(root)
  if (!view) {
    view = createView(root)
    views.set(root, view)
  }
  view.send = (index) => setStateValue("pick", { index, size: view.count, serial: Date.now() })
  update(view, data)
  return () => {
    view.observer.disconnect()
    views.delete(root)
  }
}

// ---------------------------------------------------------------- setting up

function createView(root) {
  const find = (name) => root.querySelector(`.pm-${name}`)
  const view = {
    root,
    stage: find("stage"),
    base: find("base"),
    over: find("over"),
    tip: find("tip"),
    live: find("live"),
    low: find("low"),
    high: find("high"),
    bar: find("bar"),
    scale: find("scale"),
    zero: find("zero"),
    zeroText: find("zero-text"),
    swatch: find("swatch"),
    top: find("top"),
    cursor: null,
    hover: null,
    onlyTop: false,
    data: null,
    image: null,
  }
  view.stage.onpointermove = (event) => showHover(view, locate(view, event))
  view.stage.onpointerleave = () => showHover(view, null)
  view.stage.onclick = (event) => {
    const index = locate(view, event)
    if (index === null) return
    view.cursor = index
    select(view, index)
    // A finger has no hover: the tap shows the numbers.
    showHover(view, index)
  }
  view.stage.onkeydown = (event) => onKey(view, event)
  view.stage.onfocus = () => {
    if (!view.stage.matches(":focus-visible")) return
    if (view.cursor === null) view.cursor = view.selected ?? view.best
    showCursor(view)
  }
  view.stage.onblur = () => {
    view.hover = null
    view.tip.hidden = true
    drawOverlay(view)
  }
  view.top.onclick = () => {
    view.onlyTop = !view.onlyTop
    paint(view)
  }
  // The root's width is the container's; the canvas never changes it, so this cannot loop.
  view.observer = new ResizeObserver(() => layout(view) && paint(view))
  view.observer.observe(root)
  return view
}

function decode(text, type) {
  const raw = atob(text)
  const bytes = new Uint8Array(raw.length)
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i)
  return new type(bytes.buffer)
}

function update(view, data) {
  const shape = data.shape ? data.shape.join() : `bars ${data.count}`
  if (shape !== view.shape) {
    view.shape = shape
    view.cursor = null
    view.hover = null
  }
  view.data = data
  view.count = data.count
  view.rows = data.shape ? data.shape[0] : 1
  view.columns = data.shape ? data.shape[1] : data.count
  view.isMap = Boolean(data.shape)
  view.scores = decode(data.scores, Float32Array)
  view.colours = decode(data.colours, Uint8Array)
  view.rank = decode(data.ranks, Int32Array)
  view.table = decode(data.table, Uint8Array)
  view.best = Math.max(0, view.rank.indexOf(1))
  view.tied = data.count > 1 && view.rank.every((rank) => rank === view.rank[0])
  view.selected = expected(view, data.selected)
  if (data.top_k === null) view.onlyTop = false

  view.root.dataset.stale = String(Boolean(data.stale))
  view.stage.setAttribute("aria-label", data.label + (view.isMap ? ". Rows and columns count from 1" : "") +
    ". Arrow keys move, Enter selects, Escape clears.")
  view.stage.setAttribute("aria-busy", String(Boolean(data.stale)))
  view.base.setAttribute("aria-label", data.description)

  view.low.textContent = number(data.low)
  view.high.textContent = number(data.high)
  view.scale.hidden = !(data.high > data.low)
  view.zeroText.textContent = `exactly 0: ${whole(data.zeros)} of ${whole(data.count)}`
  view.zero.hidden = data.zeros === 0
  view.swatch.style.background = rgb(data.zero_colour)
  const bar = view.bar.getContext("2d")
  const ramp = bar.createImageData(256, 1)
  for (let i = 0; i < 256; i++) setPixel(ramp.data, i, view.table, 3 * i)
  bar.putImageData(ramp, 0, 0)

  view.top.hidden = data.top_k === null
  view.top.textContent = `Only the top ${whole(data.top_k ?? 0)}`

  layout(view)
  paint(view)
  if (view.hover !== null) showHover(view, view.hover)
}

/** What a click chose holds until Python has answered: data under way may still be older. */
function expected(view, selected) {
  if (view.pending && (view.pending.index === selected || Date.now() > view.pending.until)) {
    view.pending = null
  }
  return view.pending ? view.pending.index : selected
}

// ---------------------------------------------------------------- drawing

/** Fit the stage into the container with whole-pixel cells; true if its size changed. */
function layout(view) {
  if (!view.data) return false
  const room = Math.min(view.root.clientWidth, view.isMap ? view.data.max_side : Infinity)
  if (room <= 0) return false
  let width, height
  if (view.isMap) {
    const cell = Math.min(room / view.columns, view.data.max_side / view.rows)
    const side = cell >= 1 ? Math.floor(cell) : cell
    width = Math.max(1, Math.round(side * view.columns))
    height = Math.max(1, Math.round(side * view.rows))
  } else {
    width = Math.floor(room)
    height = view.data.bar_height
  }
  if (view.width === width && view.height === height && view.drawnShape === view.shape) return false
  view.width = width
  view.height = height
  view.drawnShape = view.shape
  for (const canvas of [view.base, view.over]) {
    canvas.style.width = `${width}px`
    canvas.style.height = `${height}px`
  }
  return true
}

function paint(view) {
  view.top.setAttribute("aria-pressed", String(view.onlyTop))
  if (!view.width) return
  if (view.isMap) paintMap(view)
  else paintBars(view)
  drawOverlay(view)
}

function fit(canvas, width, height) {
  // Assigning a size blanks a canvas even when it is the same size.
  if (canvas.width !== width) canvas.width = width
  if (canvas.height !== height) canvas.height = height
  return canvas.getContext("2d")
}

function paintMap(view) {
  const context = fit(view.base, view.columns, view.rows)
  const image = context.createImageData(view.columns, view.rows)
  const page = pageColour(view)
  for (let i = 0; i < view.count; i++) {
    setPixel(image.data, i, view.colours, 3 * i)
    if (view.onlyTop && view.rank[i] > view.data.top_k) fade(image.data, 4 * i, page)
  }
  context.putImageData(image, 0, 0)
}

function paintBars(view) {
  const ratio = window.devicePixelRatio || 1
  const width = Math.round(view.width * ratio)
  const height = Math.round(view.height * ratio)
  const context = fit(view.base, width, height)
  context.clearRect(0, 0, width, height)
  const { low, high, zero_colour: zero } = view.data
  const span = high > low ? high - low : 1
  const level = (value) => height - 3 - ((value - low) / span) * (height - 6)
  const ground = level(Math.max(low, Math.min(0, high)))
  const step = width / view.count
  // More features than screen columns: each column shows the strongest of its features.
  const stride = step >= 1 ? 1 : 1 / step
  const gap = step >= 4 ? Math.floor(step / 5) : 0
  for (let start = 0; start < view.count; start += stride) {
    const first = Math.floor(start)
    const end = Math.max(first + 1, Math.min(view.count, Math.floor(start + stride)))
    let i = first
    for (let j = first + 1; j < end; j++) if (view.rank[j] < view.rank[i]) i = j
    const value = view.scores[i]
    const left = Math.floor(first * step)
    const wide = Math.max(1, Math.floor((first + stride) * step) - left - gap)
    context.globalAlpha = view.onlyTop && view.rank[i] > view.data.top_k ? 0.15 : 1
    if (value === 0 || Number.isNaN(value)) {
      context.fillStyle = rgb(zero)
      context.fillRect(left, ground, wide, 3)
    } else {
      context.fillStyle = rgb(view.colours.subarray(3 * i, 3 * i + 3))
      const y = level(value)
      context.fillRect(left, Math.min(y, ground), wide, Math.max(2, Math.abs(y - ground)))
    }
  }
  context.globalAlpha = 1
}

function drawOverlay(view) {
  const ratio = window.devicePixelRatio || 1
  const context = fit(view.over, Math.round(view.width * ratio), Math.round(view.height * ratio))
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, view.width, view.height)
  if (view.hover !== null) frame(context, cellOf(view, view.hover), 1, [])
  if (focused(view) && view.cursor !== null) frame(context, cellOf(view, view.cursor), 2, [3, 3])
  if (view.selected !== null && view.selected < view.count) {
    frame(context, cellOf(view, view.selected), 2, [])
  }
}

/** White on black, so the outline shows on every colour of the map and on both pages. */
function frame(context, [x, y, width, height], line, dash) {
  context.setLineDash([])
  context.lineWidth = line + 2
  context.strokeStyle = "#000"
  context.strokeRect(x, y, width, height)
  context.setLineDash(dash)
  context.lineWidth = line
  context.strokeStyle = "#fff"
  context.strokeRect(x, y, width, height)
}

function cellOf(view, index) {
  const width = view.width / view.columns
  const height = view.height / view.rows
  const column = index % view.columns
  const row = Math.floor(index / view.columns)
  // Small cells get a frame around them rather than on them.
  const grow = width < 6 ? 2 : 0
  return [column * width - grow, row * height - grow, width + 2 * grow, height + 2 * grow]
}

function setPixel(target, i, source, from) {
  target[4 * i] = source[from]
  target[4 * i + 1] = source[from + 1]
  target[4 * i + 2] = source[from + 2]
  target[4 * i + 3] = 255
}

function fade(target, at, page) {
  for (let c = 0; c < 3; c++) target[at + c] = 0.14 * target[at + c] + 0.86 * page[c]
}

/** The page's background as three numbers, whatever notation the theme uses. */
function pageColour(view) {
  const probe = view.swatch
  const before = probe.style.background
  probe.style.background = "var(--st-background-color)"
  const parts = getComputedStyle(probe).backgroundColor.match(/[\d.]+/g)
  probe.style.background = before
  return parts && parts.length >= 3 ? parts.slice(0, 3).map(Number) : [128, 128, 128]
}

const rgb = (parts) => `rgb(${parts[0]}, ${parts[1]}, ${parts[2]})`

// ---------------------------------------------------------------- pointing

function locate(view, event) {
  const box = view.base.getBoundingClientRect()
  const column = Math.floor(((event.clientX - box.left) / box.width) * view.columns)
  const row = Math.floor(((event.clientY - box.top) / box.height) * view.rows)
  const inside = column >= 0 && column < view.columns && row >= 0 && row < view.rows
  return inside ? row * view.columns + column : null
}

function showHover(view, index) {
  view.hover = index
  showTip(view, index)
  drawOverlay(view)
}

function showTip(view, index) {
  view.tip.hidden = index === null
  if (index === null) return
  view.tip.textContent = describe(view, index)
  const [x, y, width, height] = cellOf(view, index)
  const tip = view.tip.getBoundingClientRect()
  // Beside the pixel, on the side that has room; below it when neither has.
  const right = x + width + 10
  const left = x - tip.width - 10
  const fitsRight = right + tip.width <= Math.max(view.width, view.root.clientWidth)
  view.tip.style.left = `${fitsRight ? right : Math.max(0, left)}px`
  const beside = fitsRight || left >= 0
  view.tip.style.top = `${beside ? Math.max(0, y + height / 2 - tip.height / 2) : y + height + 10}px`
}

function describe(view, index) {
  const { names, count } = view.data
  const place = view.isMap
    ? `row ${Math.floor(index / view.columns) + 1}, column ${(index % view.columns) + 1}`
    : names
      ? names[index]
      : `feature ${index + 1}`
  const value = view.scores[index]
  if (Number.isNaN(value)) return `${place} · no score`
  const score = value === 0 ? "exact zero" : `score ${number(value)}`
  if (view.tied) return `${place} · ${score} · tied with all`
  return `${place} · ${score} · rank ${whole(view.rank[index])} of ${whole(count)}`
}

// ---------------------------------------------------------------- keyboard

const focused = (view) => view.root.getRootNode().activeElement === view.stage

function onKey(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault()
    if (view.cursor !== null) select(view, view.cursor)
    return
  }
  if (event.key === "Escape") {
    event.preventDefault()
    showHover(view, null)
    select(view, null)
    return
  }
  const next = step(view, event.key)
  if (next === null) return
  event.preventDefault()
  view.cursor = next
  showCursor(view)
}

function step(view, key) {
  const from = view.cursor ?? view.selected ?? view.best
  const column = from % view.columns
  const row = Math.floor(from / view.columns)
  const at = (r, c) =>
    Math.min(Math.max(r, 0), view.rows - 1) * view.columns +
    Math.min(Math.max(c, 0), view.columns - 1)
  switch (key) {
    case "ArrowLeft":
      return at(row, column - 1)
    case "ArrowRight":
      return at(row, column + 1)
    case "ArrowUp":
      return view.isMap ? at(row - 1, column) : at(row, column + 1)
    case "ArrowDown":
      return view.isMap ? at(row + 1, column) : at(row, column - 1)
    case "PageUp":
      return view.isMap ? at(row - SECTION, column) : at(row, column + SECTION)
    case "PageDown":
      return view.isMap ? at(row + SECTION, column) : at(row, column - SECTION)
    case "Home":
      return at(row, 0)
    case "End":
      return at(row, view.columns - 1)
    default:
      return null
  }
}

function showCursor(view) {
  view.live.textContent = describe(view, view.cursor)
  showHover(view, view.cursor)
}

function select(view, index) {
  // Drawn at once; Python's answer confirms it.
  view.pending = { index, until: Date.now() + PATIENCE }
  view.selected = index
  view.live.textContent = index === null ? "Nothing selected" : `Selected: ${describe(view, index)}`
  drawOverlay(view)
  view.send(index)
}

// ---------------------------------------------------------------- numbers

const whole = (value) => value.toLocaleString("en-GB")

function number(value) {
  if (value === 0) return "0"
  const size = Math.abs(value)
  if (size < 1e-4 || size >= 1e6) return value.toExponential(2)
  return String(Number(value.toPrecision(4)))
}

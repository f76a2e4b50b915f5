/*
 * Pixel map: a score a pixel as a heatmap (or as bars when the data are no images), with a tooltip,
 * a keyboard cursor and one selected pixel.
 *
 * Streamlit calls the default export again on every change of the data or the theme, on the same
 * nodes; what is remembered between calls lives in the map of that root. A call draws within one
 * task, so the browser never shows an empty canvas. Text goes in through textContent only.
 */

const maps = new WeakMap()
const PATIENCE = 1500 // Milliseconds that a pick is believed without Python's answer.
const SECTION = 10 // Page Up and Page Down move this many rows (or features).
const FADED = 36 // Opacity of what ranks below the top, of 255.
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

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector(".pm")
  if (!root || !data) return undefined
  if (!maps.has(root)) maps.set(root, pixelMap(root))
  const map = maps.get(root)
  map.update(data, (pick) => setStateValue("pick", pick))
  return () => {
    map.close()
    maps.delete(root)
  }
}

function pixelMap(root) {
  const part = (name) => root.querySelector(`.pm-${name}`)
  const [stage, base, tip, live] = ["stage", "base", "tip", "live"].map(part)
  const layers = { top: part("top"), proven: part("proven") }
  let data, send, shape, rows, columns, scores, colours, ranks, ceilings
  let width = 0
  let height = 0
  let selected = null
  let pending = null
  let cursor = null
  let hover = null
  let layer = null

  function update(given, sendPick) {
    data = given
    send = sendPick
    const before = shape
    shape = data.shape ? data.shape.join() : `bars ${data.count}`
    if (shape !== before) cursor = hover = null
    ;[rows, columns] = data.shape ?? [1, data.count]
    scores = decode(data.scores, Float32Array)
    colours = decode(data.colours, Uint8ClampedArray)
    ranks = decode(data.ranks, Int32Array)
    ceilings = data.ceilings && decode(data.ceilings, Float32Array)
    // What a click chose holds until Python has answered: data under way may still be older.
    if (pending && (pending.index === data.selected || Date.now() > pending.until)) pending = null
    selected = pending ? pending.index : data.selected
    if (layer && data[{ top: "top_k", proven: "share" }[layer]] === null) layer = null

    root.dataset.stale = String(data.stale)
    stage.setAttribute("aria-busy", String(data.stale))
    const counted = data.shape ? ". Rows and columns count from 1" : ""
    const keys = "Arrow keys move, Enter selects, Escape clears."
    stage.setAttribute("aria-label", `${data.label}${counted}. ${keys}`)
    base.setAttribute("aria-label", data.description)

    part("scale").hidden = !(data.high > data.low)
    part("low").textContent = number(data.low)
    part("high").textContent = number(data.high)
    part("bar").style.background = data.ramp
    part("zero").hidden = data.zeros === 0
    part("swatch").style.background = data.zero_colour
    part("zero-text").textContent = `exactly 0: ${whole(data.zeros)} of ${whole(data.count)}`
    layers.top.hidden = data.top_k === null
    layers.top.textContent = `Only the top ${whole(data.top_k ?? 0)}`
    layers.proven.hidden = !data.proven
    layers.proven.disabled = data.share === null
    layers.proven.textContent = data.proven
    root.style.setProperty("--pm-proven", data.proven_colour)
    layout()
    if (hover !== null) showHover(hover)
  }

  /** Fit the stage into the container, a map with cells of whole pixels, and draw. */
  function layout() {
    const room = Math.min(root.clientWidth, data?.shape ? data.height : Infinity)
    if (!data || room <= 0) return
    width = Math.floor(room)
    height = data.height / 2
    if (data.shape) {
      const cell = Math.min(room / columns, data.height / rows)
      const side = cell >= 1 ? Math.floor(cell) : cell
      width = Math.max(1, Math.round(side * columns))
      height = Math.max(1, Math.round(side * rows))
    }
    base.style.width = `${width}px`
    base.style.height = `${height}px`
    paint()
  }

  function paint() {
    for (const name in layers) layers[name].setAttribute("aria-pressed", String(layer === name))
    if (data.shape) paintMap()
    else paintBars()
    drawMarks()
  }

  const fades = (i) => layer === "top" && ranks[i] > data.top_k
  const small = (i) => layer === "proven" && ceilings[i] <= data.share

  function paintMap() {
    base.width = columns
    base.height = rows
    const pixels = colours.slice()
    const tint = [1, 3, 5].map((at) => parseInt(data.proven_colour.slice(at, at + 2), 16))
    for (let i = 0; i < data.count; i++) {
      if (fades(i)) pixels[4 * i + 3] = FADED
      if (small(i)) pixels.set(tint, 4 * i)
    }
    base.getContext("2d").putImageData(new ImageData(pixels, columns, rows), 0, 0)
  }

  function paintBars() {
    const ratio = window.devicePixelRatio || 1
    base.width = Math.round(width * ratio)
    base.height = Math.round(height * ratio)
    const context = base.getContext("2d")
    const span = data.high > data.low ? data.high - data.low : 1
    const level = (value) => base.height - 3 - ((value - data.low) / span) * (base.height - 6)
    const ground = level(Math.max(data.low, Math.min(0, data.high)))
    const step = base.width / data.count
    const gap = step >= 4 ? Math.floor(step / 5) : 0
    // The strongest last: with more features than screen columns it is what its column shows.
    const order = [...ranks.keys()].sort((i, j) => ranks[j] - ranks[i])
    for (const i of order) {
      const left = Math.floor(i * step)
      const wide = Math.max(1, Math.floor((i + 1) * step) - left - gap)
      const scored = scores[i] !== 0 && !Number.isNaN(scores[i])
      const y = scored ? level(scores[i]) : ground
      context.clearRect(left, 0, wide, base.height)
      context.globalAlpha = fades(i) ? FADED / 255 : 1
      context.fillStyle = `rgb(${colours.slice(4 * i, 4 * i + 3).join()})`
      if (small(i)) context.fillStyle = data.proven_colour
      const tall = Math.max(scored ? 2 : 3, Math.abs(y - ground))
      context.fillRect(left, Math.min(y, ground), wide, tall)
    }
  }

  function drawMarks() {
    for (const [name, index] of Object.entries({ hovered: hover, selected })) {
      const frame = part(name)
      frame.hidden = index === null || index >= data.count
      if (frame.hidden) continue
      const [x, y, across, down] = cellOf(index)
      frame.style.cssText = `left: ${x}px; top: ${y}px; width: ${across}px; height: ${down}px`
    }
  }

  function cellOf(index) {
    const across = width / columns
    const down = height / rows
    // Small cells get a frame around them rather than on them.
    const grow = across < 6 ? 2 : 0
    const x = (index % columns) * across - grow
    const y = Math.floor(index / columns) * down - grow
    return [x, y, across + 2 * grow, down + 2 * grow]
  }

  function locate(event) {
    const box = base.getBoundingClientRect()
    const column = Math.floor(((event.clientX - box.left) / box.width) * columns)
    const row = Math.floor(((event.clientY - box.top) / box.height) * rows)
    const inside = column >= 0 && column < columns && row >= 0 && row < rows
    return inside ? row * columns + column : null
  }

  function showHover(index) {
    hover = index
    tip.hidden = index === null
    drawMarks()
    if (index === null) return
    tip.textContent = describe(index)
    const [x, y, across, down] = cellOf(index)
    const box = tip.getBoundingClientRect()
    // Beside the pixel, on the side that has room; below it when neither has.
    const right = x + across + 10
    const left = x - box.width - 10
    const fitsRight = right + box.width <= Math.max(width, root.clientWidth)
    const beside = fitsRight || left >= 0
    tip.style.left = `${fitsRight ? right : Math.max(0, left)}px`
    tip.style.top = `${beside ? Math.max(0, y + down / 2 - box.height / 2) : y + down + 10}px`
  }

  function describe(index) {
    let place = data.names?.[index] ?? `feature ${index + 1}`
    if (data.shape) {
      place = `row ${Math.floor(index / columns) + 1}, column ${(index % columns) + 1}`
    }
    if (Number.isNaN(scores[index])) return `${place} · no score`
    let score = scores[index] === 0 ? "exact zero" : `score ${number(scores[index])}`
    const most = ceilings?.[index]
    if (Number.isFinite(most)) score += `, proven at most ${number(most)} % of the top`
    const tied = data.count > 1 && ranks.every((rank) => rank === ranks[0])
    if (tied) return `${place} · ${score} · tied with all`
    return `${place} · ${score} · rank ${whole(ranks[index])} of ${whole(data.count)}`
  }

  function select(index) {
    // Drawn at once; Python's answer confirms it.
    pending = { index, until: Date.now() + PATIENCE }
    selected = index
    live.textContent = index === null ? "Nothing selected" : `Selected: ${describe(index)}`
    drawMarks()
    send({ index, size: data.count, serial: Date.now() })
  }

  stage.onpointermove = (event) => showHover(locate(event))
  stage.onpointerleave = () => showHover(null)
  stage.onclick = (event) => {
    const index = locate(event)
    if (index === null) return
    cursor = index
    select(index)
    // A finger has no hover: the tap shows the numbers.
    showHover(index)
  }

  const start = () => cursor ?? selected ?? Math.max(0, ranks.indexOf(1))

  function moveTo(index) {
    cursor = index
    live.textContent = describe(index)
    showHover(index)
  }

  stage.onfocus = () => stage.matches(":focus-visible") && moveTo(start())
  stage.onblur = () => showHover(null)
  stage.onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const chooses = event.key === "Enter" || event.key === " "
    if (!chooses && event.key !== "Escape" && !(event.key in MOVES)) return
    event.preventDefault()
    if (chooses && cursor !== null) select(cursor)
    if (event.key === "Escape") {
      showHover(null)
      select(null)
    }
    if (event.key in MOVES) moveTo(next(...MOVES[event.key]))
  }

  function next(down, right) {
    // Among bars up is on, down is back.
    const across = data.shape ? right : right - down
    const row = Math.floor(start() / columns) + (data.shape ? down : 0)
    const column = (start() % columns) + across
    return clip(row, rows) * columns + clip(column, columns)
  }

  for (const name in layers) {
    layers[name].onclick = () => {
      layer = layer === name ? null : name
      paint()
    }
  }
  // The root's width is the container's; the canvas never changes it, so this cannot loop.
  const observer = new ResizeObserver(layout)
  observer.observe(root)
  return { update, close: () => observer.disconnect() }
}

const clip = (value, count) => Math.min(Math.max(value, 0), count - 1)

function decode(text, type) {
  const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0))
  return new type(bytes.buffer)
}

const whole = (value) => value.toLocaleString("en-GB")

function number(value) {
  if (value === 0) return "0"
  const size = Math.abs(value)
  if (size < 1e-4 || size >= 1e6) return value.toExponential(2)
  return String(Number(value.toPrecision(4)))
}

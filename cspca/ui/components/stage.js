/*
 * The stage: the importance map (bars where the data are no images) with a tooltip, a keyboard
 * cursor and one selected pixel; one image with only the kept pixels, and rebuilt from them; what
 * the selected pixel is used for; and the course of the fit (curve.js).
 *
 * Streamlit calls the default export again on every change of the data or the theme, on the same
 * nodes; what is remembered between calls lives in the stage of that root. A call draws within one
 * task, so the browser never shows an empty canvas. Text goes in through textContent only.
 */

const stages = new WeakMap()
const PATIENCE = 1500 // Milliseconds that a pick is believed without Python's answer.
const SECTION = 10 // Page Up and Page Down move this many rows (or features).
const FADED = 36 // Opacity of what ranks below the top, of 255.
const PICTURES = ["original", "kept", "rebuilt", "weights"]
const NARROW = 560 // Pixels of room under which everything stands below each other.
const PAGE = 390 // What else of a page stands above and below a map.
const ABOVE = 140 // Of it, above.
const BELOW_MAP = 104 // Its key and its film.
const ANSWER = 104 // Room beside a map on a phone, for what its pixel is used for.
const GAP = 10
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
  const root = parentElement.querySelector(".stage")
  if (!root || !data) return undefined
  if (!stages.has(root)) stages.set(root, stageOn(root))
  const stage = stages.get(root)
  stage.update(data, (pick) => setStateValue("pick", pick))
  return () => {
    stage.close()
    stages.delete(root)
  }
}

function stageOn(root) {
  const part = (name) => root.querySelector(`.${name}`)
  const [map, stage, base, live] = ["pm", "pm-stage", "pm-base", "pm-live"].map(part)
  const tip = part("pm-tip")
  const layers = { top: part("pm-top"), proven: part("pm-proven") }
  let data, send, shape, rows, columns, scores, colours, ranks, ceilings
  let width = 0
  let height = 0
  let side = 0
  let curve = null
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

    map.dataset.stale = String(data.stale)
    stage.setAttribute("aria-busy", String(data.stale))
    const counted = data.shape ? ". Rows and columns count from 1" : ""
    const keys = "Arrow keys move, Enter selects, Escape clears."
    stage.setAttribute("aria-label", `${data.label}${counted}. ${keys}`)
    base.setAttribute("aria-label", data.description)

    part("pm-scale").hidden = !(data.high > data.low)
    part("pm-low").textContent = number(data.low)
    part("pm-high").textContent = number(data.high)
    part("pm-bar").style.background = data.ramp
    part("pm-zero").hidden = data.zeros === 0
    part("pm-swatch").style.background = data.zero_colour
    part("pm-zero-text").textContent = `exactly 0: ${whole(data.zeros)} of ${whole(data.count)}`
    layers.top.hidden = data.top_k === null
    layers.top.textContent = `Only the top ${whole(data.top_k ?? 0)}`
    layers.proven.hidden = !data.proven
    layers.proven.disabled = data.share === null
    layers.proven.textContent = data.proven
    root.style.setProperty("--pm-proven", data.proven_colour)
    part("course").hidden = !data.course
    for (const name of PICTURES) part(name).hidden = !data.picture
    showNumbers()
    layout()
    if (hover !== null) showHover(hover)
  }

  /** Share the room among map, pictures and course, with cells of whole pixels, and draw. */
  function layout() {
    const room = root.clientWidth
    if (!data || room <= 0) return
    const image = Boolean(data.shape)
    const more = Boolean(data.picture || data.course)
    const stacked = image && more && room < NARROW
    const beside = image && more && !stacked
    root.classList.toggle("stacked", stacked)
    root.classList.toggle("beside", beside)
    root.classList.toggle("bars", !image)
    let most = [room, data.height]
    if (beside) most = [0.56 * room, Math.min(data.height, Math.max(240, innerHeight - PAGE))]
    if (stacked) most = [data.picture ? room - ANSWER : room, 0.4 * innerHeight]
    ;[width, height] = image ? fitted(...most) : [Math.floor(room), data.height / 2]
    base.style.width = `${width}px`
    base.style.height = `${height}px`
    const left = Math.max(width, 300) + 14
    const right = beside ? room - left - GAP : room
    const across = beside && !(data.picture && right >= 4 * 116 + 3 * GAP) ? 2 : 4
    root.style.setProperty("--left", beside ? `${left}px` : "1fr")
    root.style.setProperty("--across", beside ? across : 0)
    const own = (right - (across - 1) * GAP) / across
    const least = beside && innerHeight < 800 ? 160 : 210
    let high = 190
    if (beside) high = across === 4 ? 160 : (Math.max(600, innerHeight)  - ABOVE - least - 110) / 2 - 24
    side = fitted(stacked ? (room - 2 * GAP) / 3 : own, Math.min(190, high))
    if (data.picture) paintPictures()
    if (data.course) {
      const pictures = data.picture ? (4 / across) * (side[1] + 30) : 0
      const free = beside ? height + BELOW_MAP - pictures - 60 : 230
      drawCourse(Math.floor(right), Math.min(300, Math.max(least, free)))
    }
    paint()
  }

  /** The size of an image within some room, its cells whole pixels where they are any. */
  function fitted(wide, high) {
    const cell = Math.min(wide / columns, high / rows)
    const whole = cell >= 1 ? Math.floor(cell) : cell
    return [Math.max(1, Math.round(whole * columns)), Math.max(1, Math.round(whole * rows))]
  }

  function paint() {
    for (const name in layers) layers[name].setAttribute("aria-pressed", String(layer === name))
    if (data.shape) paintMap()
    else paintBars()
    drawMarks()
    if (data.picture) paintKept()
  }

  /** Draw grey levels, coloured by a function of pixel and level, under a caption. */
  function paintPicture(name, levels, colour, words, alt) {
    const figure = part(name)
    const canvas = figure.firstElementChild
    figure.hidden = false
    canvas.width = columns
    canvas.height = rows
    const pixels = new Uint8ClampedArray(4 * data.count).fill(255)
    if (levels) for (let i = 0; i < data.count; i++) pixels.set(colour(i, levels[i]), 4 * i)
    canvas.getContext("2d").putImageData(new ImageData(pixels, columns, rows), 0, 0)
    const [wide, high] = name === "weights" && root.classList.contains("stacked") ? fitted(ANSWER - GAP, 200) : side
    canvas.style.width = `${wide}px`
    canvas.style.height = `${high}px`
    canvas.setAttribute("aria-label", alt ?? words)
    figure.lastElementChild.textContent = words
  }

  const grey = (i, level) => [level, level, level]
  let image, rebuilt

  function paintPictures() {
    const one = data.picture
    image = decode(one.image, Uint8Array)
    rebuilt = one.rebuilt && decode(one.rebuilt, Uint8Array)
    paintPicture("original", image, grey, one.name)
    paintPicture("rebuilt", rebuilt, grey, rebuilt ? `Rebuilt, ${one.off} off` : "Rebuilt")
    const row = one.weights && decode(one.weights.colours, Uint8Array)
    const colour = (i) => row.subarray(3 * i, 3 * i + 3)
    paintPicture("weights", row, colour, one.weights?.words ?? "What a pixel helps to rebuild", one.weights?.alt)
    for (const name of ["rebuilt", "weights"]) part(name).classList.toggle("stale", !one.fresh)
  }

  /** The image with only the pixels in use, or the best of them. */
  function paintKept() {
    const shown = (i) => scores[i] !== 0 && !Number.isNaN(scores[i]) && !fades(i)
    const [low, high] = data.picture.left_out.map(channels)
    const colour = (i, level) => {
      if (shown(i)) return [level, level, level]
      return low.map((from, k) => from + ((high[k] - from) * level) / 255)
    }
    let count = 0
    for (let i = 0; i < data.count; i++) count += shown(i)
    const all = layer === "top" ? (count < data.top_k ? `The ${whole(count)} in use` : `The best ${whole(count)}`) : `${whole(count)} pixels kept`
    paintPicture("kept", image, colour, all)
    part("kept").classList.toggle("stale", data.stale)
  }

  function drawCourse(wide, high) {
    const look = getComputedStyle(root)
    const [text, line, page] = ["text", "border", "background"].map((name) => look.getPropertyValue(`--st-${name}-color`))
    part("question").textContent = data.course.title
    const svg = part("curve")
    svg.setAttribute("aria-label", data.course.alt)
    svg.classList.toggle("stale", data.course.stale)
    curve = drawCurve(svg, data.course, wide, high, { text, line, page, quiet: data.course.quiet, font: look.fontFamily })
  }

  function showNumbers() {
    const list = part("numbers")
    list.hidden = !data.numbers
    list.replaceChildren()
    for (const [name, value, meaning] of data.numbers ?? []) {
      const pair = document.createElement("div")
      const [term, said] = ["dt", "dd"].map((tag) => document.createElement(tag))
      pair.title = meaning
      term.textContent = name
      said.textContent = value
      pair.append(term, said)
      list.append(pair)
    }
  }

  const plot = part("plot")
  const said = plot.querySelector(".tip")
  plot.onpointermove = (event) => {
    if (!curve) return
    const box = plot.getBoundingClientRect()
    const [value, px] = curve.nearest(event.clientX - box.left)
    const rows = curve.mark(value).map(({ line, i }) => {
      const best = `objective ${precise(line.best[i])}`
      const bound = Number.isFinite(line.bound[i]) ? `, proven limit ${precise(line.bound[i])}` : ""
      return `${line.name}: ${best}${bound}${line.within[i] ? `, within ${line.within[i]}` : ""}`
    })
    said.textContent = [`${data.course.across} ${number(value)}`, ...rows].join("\n")
    said.hidden = false
    const wide = said.getBoundingClientRect().width
    const left = px + 12 + wide < box.width ? px + 12 : Math.max(0, px - wide - 12)
    said.style.left = `${left}px`
    said.style.top = "8px"
  }
  plot.onpointerleave = () => {
    said.hidden = true
    curve?.mark(null)
  }

  const fades = (i) => layer === "top" && ranks[i] > data.top_k
  const small = (i) => layer === "proven" && ceilings[i] <= data.share

  function paintMap() {
    base.width = columns
    base.height = rows
    const pixels = colours.slice()
    const tint = channels(data.proven_colour)
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
      const frame = part(`pm-${name}`)
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
  addEventListener("resize", layout)
  const close = () => {
    observer.disconnect()
    removeEventListener("resize", layout)
  }
  return { update, close }
}

const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16))

const clip = (value, count) => Math.min(Math.max(value, 0), count - 1)

function decode(text, type) {
  const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0))
  return new type(bytes.buffer)
}

const whole = (value) => value.toLocaleString("en-GB")

const precise = (value) => value.toLocaleString("en-GB", { maximumSignificantDigits: 7 })

function number(value) {
  if (value === 0) return "0"
  const size = Math.abs(value)
  if (size < 1e-4 || size >= 1e6) return value.toExponential(2)
  return String(Number(value.toPrecision(4)))
}

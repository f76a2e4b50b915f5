/*
 * The stage: the importance map (bars where the data are no images) with a tooltip, a keyboard
 * cursor and one selected pixel; one image with only the kept pixels, and rebuilt from them; what
 * the selected pixel is used for; and the course of the fit (curve.js). A frame of a film
 * (frames.js) stands in place of the fit.
 *
 * Streamlit calls the default export again on every change of the data or the theme, on the same
 * nodes; what is remembered between calls lives in the stage of that root. A call draws within one
 * task, so the browser never shows an empty canvas. Text goes in through textContent only.
 */

const stages = new WeakMap()
const PATIENCE = 1500 // Milliseconds that a pick is believed without Python's answer.
const FADED = 36 // Opacity of what ranks below the top, of 255.
const PICTURES = ["original", "kept", "rebuilt", "weights"]
const NARROW = 560 // Pixels of room under which everything stands below each other.
const MOST_UNDER_BARS = 12 // Names that stand under the bars: of more there is no room for any.
const GAP = 10

/** How much a score counts where only one of several can be drawn; none counts least. */
const strength = (score) => (Number.isNaN(score) ? -1 : Math.abs(score))

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector(".stage")
  if (!root || !data) return undefined
  if (!stages.has(root)) stages.set(root, stageOn(root))
  const stage = stages.get(root)
  stage.update(opened(data), setStateValue)
  return () => {
    stage.close()
    stages.delete(root)
  }
}

function stageOn(root) {
  const part = (name) => root.querySelector(`.${name}`)
  const [map, stage, base, live] = ["pm", "pm-stage", "pm-base", "pm-live"].map(part)
  const [tip, plot] = ["pm-tip", "plot"].map(part)
  const layers = { top: part("pm-top"), proven: part("pm-proven") }
  let data, send, shape, rows, columns, own, image
  let shown = null // What is drawn: the fit of the page, or a frame of a film.
  let width = 0
  let height = 0
  let curve = null
  let charted = null
  let selected = null
  let pending = null
  let cursor = null
  let hover = null
  let layer = null
  let unfolded = false // Whether all numbers are shown.
  let along = null // The curve along the axis, once it is drawn: its points, for columns of the screen.

  part("speed").before(...root.querySelectorAll(".tool"))
  const bar = filmBar(part("film"), {
    show: (film, index) => showNow(film ? frameOf(film, index, data) : null),
    wish: (along, make) => send("wish", { along, make, serial: Date.now() }),
    rest() {
      live.textContent = `${part("readout").textContent}: ${shown.numbers.filter(([, , , folded]) => unfolded || !folded).map(([name, said]) => `${name} ${said}`).join(", ")}`
    },
    letGo: (along, value) => send("let_go", { along, value, serial: Date.now() }),
  })

  function update(given, sendState) {
    const movesBefore = data?.k_moves ?? given.k_moves
    data = given
    send = sendState
    const before = shape
    shape = data.shape ? data.shape.join() : `bars ${data.count}`
    if (shape !== before) cursor = hover = null
    ;[rows, columns] = data.shape ?? [1, data.count]
    own = {
      scores: decode(data.scores, Float32Array),
      colours: decode(data.colours, Uint8ClampedArray),
      ranks: decode(data.ranks, Int32Array),
      ceilings: data.ceilings && decode(data.ceilings, Float32Array),
      rebuilt: data.picture?.rebuilt ?? (data.along?.rebuilt && decode(data.along.rebuilt, Float32Array)),
      numbers: data.numbers ?? [],
      low: data.low,
      high: data.high,
      zeros: data.zeros,
      chart: data.course,
    }
    if (data.pinned) compare(own, data)
    image = data.picture?.image
    along = null
    // What a click chose holds until Python has answered: data under way may still be older.
    if (pending && (pending.index === data.selected || Date.now() > pending.until)) pending = null
    selected = pending ? pending.index : data.selected
    // An open code follows the address.
    if (code.open) showCode(code.dataset.whole === "true")
    // Who chooses how many are the best wants to see which.
    if (data.k_moves !== movesBefore) layer = "top"
    if (layer && data[{ top: "top_k", proven: "share" }[layer]] === null) layer = null
    bar.offer(data.films, data.pinned ? "B: " : "", JSON.stringify(data.asked), data.stale)
    if (!bar.held) shown = own
    dress()
    layout()
    if (hover !== null) showHover(hover)
  }

  /** Draw a frame of a film, or with null the fit of the page again. */
  function showNow(frame) {
    const before = shown
    shown = frame ?? own
    root.getRootNode().host?.closest(".st-key-stage_view")?.toggleAttribute("data-held", Boolean(frame))
    if (Boolean(frame) !== (before !== own) || shown.chart !== charted) {
      dress()
      if (Number(root.dataset.others) !== (shown.others?.length ?? 0)) layout()
      else drawCourse()
    }
    if (frame) curve?.mark(frame.value)
    shelf.body = frame?.body
    dispatchEvent(new Event("cspca-frame"))
    showNumbers()
    showKey()
    paint()
    if (data.picture) paintRebuilt()
    part("weights").classList.toggle("stale", Boolean(frame) || !data.picture?.fresh)
    if (hover !== null) tip.textContent = describe(hover)
  }

  /** What changes with the data or the film, and not with its frames. */
  function dress() {
    const stale = shown === own && data.stale
    map.dataset.stale = String(stale)
    stage.setAttribute("aria-busy", String(stale))
    const counted = data.shape ? ". Rows and columns count from 1" : ""
    const keys = "Arrow keys move, Enter selects, Escape clears."
    stage.setAttribute("aria-label", `${data.label}${counted}. ${keys}`)
    base.setAttribute("aria-label", data.description)

    part("pm-bar").style.background = data.ramp
    part("pm-swatch").style.background = data.zero_colour
    layers.top.hidden = data.top_k === null
    layers.top.textContent = `Only the top ${whole(data.top_k ?? 0)}`
    layers.proven.hidden = data.share === null
    layers.proven.textContent = data.proven
    root.style.setProperty("--pm-proven", data.proven_colour)
    part("course").hidden = !data.course
    part("lesson").hidden = !data.lesson
    part("lesson").textContent = data.lesson
    dressAxis()
    for (const name of PICTURES) part(name).hidden = !data.picture
    showNumbers()
    showKey()
  }

  /** Name some places of the axis that the bars stand along, or each of a few bars. */
  function dressAxis() {
    const line = part("pm-axis")
    const named = !data.along && data.names && data.names.length <= MOST_UNDER_BARS
    line.hidden = !data.along && !named
    line.classList.toggle("names", Boolean(named))
    if (named) {
      line.replaceChildren(...data.names.map((name) => {
        const label = document.createElement("span")
        label.textContent = label.title = name
        return label
      }))
    }
    if (!data.along) return
    const labels = data.along.ticks.map(([share, words]) => {
      const label = document.createElement("span")
      label.textContent = words
      label.style.left = `${100 * share}%`
      return label
    })
    const unit = document.createElement("span")
    unit.className = "unit"
    unit.textContent = data.along.title
    const key = document.createElement("span")
    key.className = "key"
    key.replaceChildren(...data.along.key.map(([words, colour]) => {
      const part = document.createElement("span")
      part.textContent = words
      part.style.setProperty("--line", colour || "currentColor")
      return part
    }))
    line.replaceChildren(...labels, unit, key)
  }

  function showKey() {
    part("pm-scale").hidden = !(shown.high > shown.low)
    part("pm-low").textContent = number(shown.low)
    part("pm-high").textContent = number(shown.high)
    part("pm-zero").hidden = shown.zeros === 0
    part("pm-zero-text").textContent = "exactly zero"
  }

  /** A number that the style of a page for a room, or for a frame, says in another way. */
  const told = (name, usual) => Number(getComputedStyle(root).getPropertyValue(`--cspca-${name}`)) || usual

  /** Say what the style shares the room by (stage.css), and draw in the sizes that come of it. */
  function layout() {
    const all = root.clientWidth
    if (!data || all <= 0) return
    const isMap = Boolean(data.shape)
    const hasMore = Boolean(data.picture || data.course)
    const others = shown.others?.length ?? 0
    const kinds = { beside: isMap && hasMore && all >= NARROW, stacked: isMap && hasMore && all < NARROW, bars: !isMap, pictured: Boolean(data.picture) }
    for (const kind in kinds) root.classList.toggle(kind, kinds[kind])
    root.dataset.others = String(others)
    const sizes = { "--rows": rows, "--columns": columns, "--height": `${data.height}px`, "--others": others }
    for (const name in sizes) root.style.setProperty(name, sizes[name])
    root.style.setProperty("--over", `${document.querySelector(".st-key-controls")?.offsetHeight ?? 0}px`)
    // Four pictures in a row where there is room for them.
    const right = all - part("pm").offsetWidth - GAP
    root.classList.toggle("wide", !others && Boolean(data.picture) && right >= 4 * 116 + 3 * GAP)
    ;[width, height] = [base.clientWidth, base.clientHeight]
    if (data.picture) paintPictures()
    drawCourse()
    paint()
    bar.redraw()
  }

  function paint() {
    for (const name in layers) layers[name].setAttribute("aria-pressed", String(layer === name))
    if (data.shape) paintMap(base, shown)
    else paintBars(base, shown)
    drawMarks()
    if (data.picture) paintKept()
    paintOthers()
  }

  /** Draw an image, its pixels coloured by a function of their number, under a caption. */
  function paintPicture(name, colour, words, alt) {
    const figure = part(name)
    const pixels = new Uint8ClampedArray(4 * data.count).fill(255)
    if (colour) for (let i = 0; i < data.count; i++) colour(i, pixels, 4 * i)
    put(figure.firstElementChild, pixels)
    frame(figure, words, alt)
  }

  function frame(figure, words, alt = words) {
    const [canvas, caption] = figure.children
    if (caption.textContent !== words) caption.textContent = words
    canvas.setAttribute("aria-label", alt)
  }

  const grey = (levels) => (i, pixels, at) => {
    pixels[at] = pixels[at + 1] = pixels[at + 2] = levels[i]
  }

  function paintPictures() {
    const { name, weights, fresh } = data.picture
    paintPicture("original", grey(image), name)
    const row = weights?.colours
    const colour = row && ((i, pixels, at) => pixels.set(row.subarray(3 * i, 3 * i + 3), at))
    paintPicture("weights", colour, weights?.words ?? "What a pixel helps to rebuild", weights?.alt)
    part("weights").classList.toggle("stale", !fresh)
    paintRebuilt()
  }

  /** What is held beside the map, or below the bars, and is as large. */
  function paintOthers() {
    for (const [k, name] of ["one", "two"].entries()) {
      const other = shown.others?.[k]
      part(name).hidden = !other
      if (!other) continue
      const canvas = part(name).firstElementChild
      if (data.shape) paintMap(canvas, other)
      else paintBars(canvas, other)
      frame(part(name), other.words)
    }
  }

  const usesNone = () => shown.scores.every((score) => score === 0)

  function paintRebuilt() {
    let off = 0
    if (shown.rebuilt) for (let i = 0; i < data.count; i++) off += Math.abs(shown.rebuilt[i] - image[i])
    // Until the new fit has an answer, the image is rebuilt by the fit before.
    const isOld = shown === own && !data.picture.fresh
    const from = usesNone() && !isOld ? "Rebuilt from no pixel" : "Rebuilt"
    const caption = `${from}, mean error ${(off / 255 / data.count).toFixed(3)}`
    paintPicture("rebuilt", shown.rebuilt && grey(shown.rebuilt), shown.rebuilt ? caption : "Rebuilt")
    part("rebuilt").classList.toggle("stale", isOld)
  }

  /** The image with only the pixels in use, or the best of them. */
  function paintKept() {
    const kept = (i) => shown.scores[i] !== 0 && !Number.isNaN(shown.scores[i]) && !fades(i)
    const [low, high] = data.picture.left_out.map(channels)
    let count = 0
    const colour = (i, pixels, at) => {
      const level = image[i]
      const one = kept(i)
      count += one
      for (let k = 0; k < 3; k++) pixels[at + k] = one ? level : low[k] + ((high[k] - low[k]) * level) / 255
    }
    paintPicture("kept", colour, "")
    let said = usesNone() ? "No pixel is in use" : "Only the pixels in use"
    if (count && layer === "top") said = count < data.top_k ? `The ${whole(count)} in use` : `The best ${whole(count)}`
    part("kept").lastElementChild.textContent = said
    part("kept").firstElementChild.setAttribute("aria-label", `${data.picture.name}: ${whole(count)} pixels kept`)
    part("kept").classList.toggle("stale", shown === own && data.stale)
  }

  function drawCourse() {
    if (!data.course || !shown.chart) return
    charted = shown.chart
    const look = getComputedStyle(root)
    const [text, line, page] = ["text", "border", "background"].map((name) => look.getPropertyValue(`--st-${name}-color`))
    part("question").textContent = charted.title
    const svg = part("curve")
    svg.setAttribute("aria-label", charted.alt)
    svg.classList.toggle("stale", Boolean(charted.stale))
    curve = drawCurve(svg, charted, plot.clientWidth, plot.clientHeight, { text, line, page, quiet: charted.quiet, font: look.fontFamily, larger: told("larger", 1) })
    if (shown !== own) curve?.mark(shown.value)
  }

  function showNumbers() {
    const list = part("numbers")
    const numbers = shown.numbers
    list.parentElement.hidden = !numbers.length
    part("more-numbers").hidden = !numbers.some(([, , , folded]) => folded)
    while (list.children.length < numbers.length) {
      const made = ["summary", "p", "code", "p", "code"].map((tag) => document.createElement(tag))
      made[0].append(document.createTextNode(""), document.createElement("b"))
      list.appendChild(document.createElement("details")).append(...made)
    }
    while (list.children.length > numbers.length) list.lastChild.remove()
    numbers.forEach(([name, value, meaning, folded], i) => {
      const row = list.children[i]
      row.classList.toggle("folded", Boolean(folded) && !unfolded)
      const [line, ...told] = row.children
      // What was opened is the explanation of another number.
      if (line.firstChild.textContent !== `${name} `) row.open = false
      line.firstChild.textContent = `${name} `
      line.lastChild.textContent = value
      told.forEach((one, k) => {
        one.textContent = meaning[k] ?? ""
        one.hidden = !meaning[k]
      })
    })
  }

  part("more-numbers").onclick = (event) => {
    unfolded = !unfolded
    event.currentTarget.textContent = unfolded ? "Fewer numbers" : "More numbers"
    showNumbers()
  }

  const said = plot.querySelector(".tip")
  plot.onpointermove = (event) => {
    if (!curve) return
    const box = plot.getBoundingClientRect()
    const [value, px] = curve.nearest(event.clientX - box.left)
    const rows = curve.mark(value).map(({ line, i }) => {
      const best = `objective ${precise(line.best[i])}`
      const bound = Number.isFinite(line.bound[i]) ? `, lower bound ${precise(line.bound[i])}` : ""
      return `${line.name}: ${best}${bound}${line.proven[i] ? `, ${line.proven[i]}` : ""}`
    })
    said.textContent = [`${charted.across} ${number(value)}`, ...rows].join("\n")
    said.hidden = false
    const wide = said.getBoundingClientRect().width
    const left = px + 12 + wide < box.width ? px + 12 : Math.max(0, px - wide - 12)
    said.style.left = `${left}px`
    said.style.top = "8px"
  }
  plot.onpointerleave = () => {
    said.hidden = true
    curve?.mark(shown === own ? null : shown.value)
  }

  /** Places of all pixels, equal scores sharing one; of a frame they are made when asked for. */
  function ranks() {
    if (shown.ranks) return shown.ranks
    const sorted = Float32Array.from(shown.scores).sort()
    shown.ranks = new Int32Array(data.count)
    const places = new Map()
    sorted.forEach((score, i) => places.set(score, data.count - i))
    shown.scores.forEach((score, i) => (shown.ranks[i] = places.get(score)))
    return shown.ranks
  }

  const fades = (i) => layer === "top" && ranks()[i] > data.top_k
  const small = (i) => layer === "proven" && shown.ceilings?.[i] <= data.share

  function paintMap(canvas, view) {
    const pixels = view.colours.slice()
    const tint = channels(data.proven_colour)
    for (let i = 0; i < data.count && view === shown; i++) {
      if (fades(i)) pixels[4 * i + 3] = FADED
      if (small(i)) pixels.set(tint, 4 * i)
    }
    put(canvas, pixels)
  }

  function put(canvas, pixels) {
    if (canvas.width !== columns || canvas.height !== rows) [canvas.width, canvas.height] = [columns, rows]
    canvas.getContext("2d").putImageData(new ImageData(pixels, columns, rows), 0, 0)
  }

  /** Bars of scores; those that are faded or marked are of the fit, or the frame, alone. */
  function paintBars(canvas, view) {
    const ratio = window.devicePixelRatio || 1
    canvas.width = Math.round(width * ratio)
    canvas.height = Math.round(height * ratio)
    const context = canvas.getContext("2d")
    const { scores, colours, low, high } = view
    const span = high > low ? high - low : 1
    const level = (value) => canvas.height - 3 - ((value - low) / span) * (canvas.height - 6)
    const ground = level(Math.max(low, Math.min(0, high)))
    const step = canvas.width / data.count
    const gap = step >= 4 && !data.along ? Math.floor(step / 5) : 0
    if (data.along) shadeKept(context, canvas, scores, step, view)
    for (const i of strongest(scores, step)) {
      const left = Math.floor(i * step)
      const wide = Math.max(1, Math.floor((i + 1) * step) - left - gap)
      const scored = scores[i] !== 0 && !Number.isNaN(scores[i])
      const y = scored ? level(scores[i]) : ground
      context.globalAlpha = view === shown && fades(i) ? FADED / 255 : 1
      context.fillStyle = `rgb(${colours[4 * i]},${colours[4 * i + 1]},${colours[4 * i + 2]})`
      if (view === shown && small(i)) context.fillStyle = data.proven_colour
      const tall = Math.max(scored ? 2 : 3, Math.abs(y - ground))
      context.fillRect(left, Math.min(y, ground), wide, tall)
    }
    context.globalAlpha = 1
    if (data.along) drawAlong(context, canvas, step, view)
  }

  /** Features that are drawn: all, or of those that share a column of the screen the strongest. */
  function strongest(scores, step) {
    if (step >= 1) return scores.keys()
    const drawn = new Map()
    for (let i = 0; i < scores.length; i++) {
      const column = Math.floor(i * step)
      const before = drawn.get(column)
      if (before === undefined || strength(scores[i]) > strength(scores[before])) drawn.set(column, i)
    }
    return drawn.values()
  }

  /** Shade the places along an axis that are in use, each column of the screen once. */
  function shadeKept(context, canvas, scores, step, view) {
    context.fillStyle = data.along.shade
    let end = 0 // Where what is shaded ends: twice shaded is darker.
    scores.forEach((score, i) => {
      if (!score || (view === shown && fades(i))) return
      const left = Math.floor(i * step)
      const from = Math.max(end, left)
      end = Math.max(left + 1, Math.floor((i + 1) * step))
      if (end > from) context.fillRect(from, 0, end - from, canvas.height)
    })
  }

  /** Draw one sample, or the mean of all, over the bars, and what is rebuilt of it. */
  function drawAlong(context, canvas, step, view) {
    const line = (points, colour) => {
      context.beginPath()
      for (const [x, share] of points) context.lineTo(x, (0.95 - 0.9 * share) * canvas.height)
      context.strokeStyle = colour
      context.lineWidth = 1.25 * (window.devicePixelRatio || 1)
      context.stroke()
    }
    if (along?.step !== step) along = { step, points: curvePoints(decode(data.along.curve, Float32Array), step) }
    line(along.points, getComputedStyle(root).color)
    if (!view.rebuilt) return
    // A frame of a film is drawn again and again.
    if (view.line?.step !== step) view.line = { step, points: curvePoints(view.rebuilt, step) }
    line(view.line.points, data.along.colour)
  }

  /** Points of a curve, 0 and 1 the ends of the scale; of a column of the screen its least and greatest. */
  function curvePoints(values, step) {
    const [low, high] = data.along.ends
    const ends = new Map()
    values.forEach((value, i) => {
      const x = step < 1 ? Math.floor(i * step) + 0.5 : (i + 0.5) * step
      const share = high > low ? (value - low) / (high - low) : 0.5
      const [least, most] = ends.get(x) ?? [share, share]
      ends.set(x, [Math.min(least, share), Math.max(most, share)])
    })
    return [...ends].flatMap(([x, [least, most]]) => (least === most ? [[x, most]] : [[x, least], [x, most]]))
  }

  function drawMarks() {
    for (const [name, index] of Object.entries({ hovered: hover, selected })) {
      const frame = part(`pm-${name}`)
      frame.hidden = index === null || index >= data.count
      if (frame.hidden) continue
      frame.style.setProperty("--row", Math.floor(index / columns))
      frame.style.setProperty("--column", index % columns)
      // Small cells get a frame around them rather than on them.
      frame.style.setProperty("--around", width / columns < 6 ? "2px" : "0px")
    }
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
    const [across, down] = [width / columns, height / rows]
    const [x, y] = [(index % columns) * across, Math.floor(index / columns) * down]
    const box = tip.getBoundingClientRect()
    // Beside the pixel, on the side that has room; below it when neither has.
    const right = x + across + 10
    const left = x - box.width - 10
    // On a phone its answer stands beside the map: nothing lies over it.
    const room = root.classList.contains("stacked") ? width : Math.max(width, root.clientWidth)
    const fitsRight = right + box.width <= room
    const beside = fitsRight || left >= 0
    tip.style.left = `${fitsRight ? right : Math.max(0, left)}px`
    tip.style.top = `${beside ? Math.max(0, y + down / 2 - box.height / 2) : y + down + 10}px`
  }

  function describe(index) {
    let place = data.names?.[index] ?? `feature ${index + 1}`
    if (data.shape) {
      place = `row ${Math.floor(index / columns) + 1}, column ${(index % columns) + 1}`
    }
    const { scores, ceilings } = shown
    const places = ranks()
    if (Number.isNaN(scores[index])) return `${place} · no score`
    let score = scores[index] === 0 ? "exact zero" : `score ${number(scores[index])}`
    const most = ceilings?.[index]
    if (Number.isFinite(most)) score += `, proven at most ${number(most)} % of the best`
    const sharing = places.reduce((count, rank) => count + (rank === places[index]), 0)
    if (data.count > 1 && sharing === data.count) return `${place} · ${score} · tied with all`
    const shared = sharing > 1 ? `, shared by ${whole(sharing)}` : ""
    return `${place} · ${score} · rank ${whole(places[index])} of ${whole(data.count)}${shared}`
  }

  function select(index) {
    // Drawn at once; Python's answer confirms it.
    pending = { index, until: Date.now() + PATIENCE }
    selected = index
    live.textContent = index === null ? "Nothing selected" : `Selected: ${describe(index)}`
    drawMarks()
    send("pick", { index, size: data.count, serial: Date.now() })
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

  const start = () => cursor ?? selected ?? Math.max(0, ranks().indexOf(1))

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

  const code = part("code")
  part("full").onclick = async ({ currentTarget: button }) => {
    if (document.fullscreenElement) return document.exitFullscreen()
    await root.requestFullscreen?.()
    // Left on the button, Space would leave the full screen in place of playing the film.
    button.blur()
    bar.focus()
  }
  part("copy").onclick = async () => {
    try {
      await navigator.clipboard.writeText(address(data.link))
      tell(part("copy"), "Link copied")
    } catch {
      // Browsers give the clipboard to safe addresses only.
      showCode(true)
    }
  }
  part("show-code").onclick = () => showCode()
  part("embed").onclick = () => {
    const link = new URL(address(data.link))
    link.searchParams.set("embed", "true")
    const safe = link.href.replaceAll("&", "&amp;").replaceAll('"', "&quot;")
    const words = `<iframe src="${safe}" width="100%" height="720" style="border:0" title="CSPCA Studio" allow="fullscreen; clipboard-write"></iframe>`
    // It is shown too, for browsers that give no clipboard.
    code.querySelector("p").textContent = words
    navigator.clipboard?.writeText(words).then(() => tell(part("embed"), "Code copied"), () => {})
  }
  part("shut").onclick = () => code.close()
  code.onclick = (event) => event.target === code && code.close()

  function showCode(whole = false) {
    const { text, source, warning } = data.link ?? { text: address(), source: "", warning: "" }
    const image = code.querySelector("img")
    image.hidden = !source
    image.src = source
    image.alt = `QR code of ${text}`
    // What nobody types is not spelt out to a room: the answer of a lesson is in it.
    const shown = whole || text.length < 90 ? text : `${text.split("?")[0]}?…`
    code.querySelector("p").textContent = [shown, warning].filter(Boolean).join(" ")
    code.dataset.whole = whole
    if (!code.open) code.showModal()
  }
  /** Say a word for a moment, on a button that has words. */
  function tell(button, words) {
    live.textContent = words
    const usual = (button.dataset.usual ??= button.textContent)
    if (usual) button.textContent = words
    button.classList.add("done")
    setTimeout(() => {
      if (usual) button.textContent = usual
      button.classList.remove("done")
    }, 1500)
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
  observer.observe(plot)
  addEventListener("resize", layout)
  const close = () => {
    shelf.body = undefined
    observer.disconnect()
    bar.close()
    removeEventListener("resize", layout)
  }
  return { update, close }
}

/** The address of this view for somebody else, at the host by which others reach this machine. */
function address(shared) {
  const link = new URL(location.href)
  if (shared) link.host = new URL(shared.text).host
  for (const name of ["embed", "embed_options"]) link.searchParams.delete(name)
  return link.href
}

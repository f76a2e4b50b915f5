/*
 * The cloud: samples on two components, as points in the colour and shape of their class, as small
 * pictures, or as a density. A lasso by mouse or finger, a click or the keyboard chooses a group,
 * which is told to the server; where a new fit moves the points they glide to their places, and a
 * film (film.js) moves them from frame to frame.
 *
 * Streamlit calls the default export again on every change of the data or the theme, on the same
 * nodes. Text goes in through textContent only.
 */

const clouds = new WeakMap()
const GLIDE = 450 // Milliseconds of a move.
const PATIENCE = 3000 // Milliseconds that a group is believed without Python's answer.
const REACH = 16 // Pixels from a point at which the pointer still finds it.
const TAP = 6 // A shorter way of the pointer is a click.
const MARGIN = { left: 46, right: 12, top: 10, bottom: 34 }
const QUICK = 34 // Milliseconds of a frame in which the page does little else,
const CALM = 2 // how many of them come before points move,
const LONGEST = 400 // and how long these wait for them.
const FADED = 0.16
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

export default function ({ parentElement, data, setStateValue, setTriggerValue }) {
  const root = parentElement.querySelector(".cl")
  if (!root || !data) return undefined
  if (!clouds.has(root)) clouds.set(root, cloudOn(root))
  const cloud = clouds.get(root)
  cloud.update(opened(data), (message) => setTriggerValue("group", message), setStateValue)
  return () => {
    cloud.close()
    clouds.delete(root)
  }
}

function cloudOn(root) {
  const part = (name) => root.querySelector(`.cl-${name}`)
  const [stage, base, over, tip, key, live] = ["stage", "base", "over", "tip", "key", "live"].map(part)
  const calm = matchMedia("(prefers-reduced-motion: reduce)")
  let data, send, tell, classes, counts
  let look = {}
  let classed = "" // Of which classes, on which page, the list and the marks are.
  let shape = "" // The set and the axes: only within them points glide.
  let goal = null // Where points are going, of 1 by 1, and where they were and are.
  let start = null
  let now = null
  let places = null // The same in pixels of the screen.
  let began = null
  let calmed = 0 // Quick frames since points wait to move, and the first frame of all.
  let first = null
  let width = 0
  let height = 0
  let sprites = []
  let album = null // Small pictures at the size of the screen, with their borders.
  let group = new Uint8Array(0)
  let pending = null
  let lasso = null
  let hover = null
  let cursor = null
  let waits = false
  let held = null // The titles of the axes and the extent of a frame that is held.

  const bar = filmBar(root.querySelector(".film"), {
    show: (film, index) => showNow(film, index),
    wish: (along, make) => tell("wish", { along, make, serial: Date.now() }),
    letGo: (along, value) => tell("let_go", { along, value, serial: Date.now() }),
  })

  /** Put the points where a frame has them, or with null where the fit of the page has them. */
  function showNow(film, index) {
    held = film && { words: film.titles[index], extent: film.extent }
    start = null
    if (film) {
      film.decoded ??= decode(film.points, Float32Array)
      const points = film.decoded.subarray(2 * index * data.count, 2 * (index + 1) * data.count)
      now = aimOf(points, film.extent)
    } else now = goal.slice()
    hover = null
    showTip(null)
    draw()
  }

  /** Coordinates as shares of the drawing, 1 by 1, from its upper left corner. */
  function aimOf(points, [low, right, bottom, high]) {
    const aim = new Float32Array(points.length)
    for (let i = 0; i < points.length; i += 2) {
      aim[i] = (points[i] - low) / (right - low)
      aim[i + 1] = (high - points[i + 1]) / (high - bottom)
    }
    return aim
  }

  function update(given, sendGroup, sendState) {
    data = given
    send = sendGroup
    tell = sendState
    classes = decode(data.classes, Uint16Array)
    counts = data.density && decode(data.density.counts, Int32Array)
    const aim = aimOf(decode(data.points, Float32Array), data.extent)
    const of = `${data.of} ${data.axes.keys}`
    const glides = of === shape && !calm.matches && !data.density && goal
    const moves = glides && aim.some((place, i) => place !== goal[i])
    if (data.of !== shape.split(" ")[0]) cursor = hover = lasso = null
    shape = of
    goal = aim
    if (bar.held) start = null
    else if (moves) {
      start = now.slice()
      began = null
      calmed = 0
      first = null
    } else if (!glides || !start) {
      start = null
      now = aim.slice()
    }
    // What was drawn holds until Python has answered: data under way may still be older.
    if (pending && (pending.bits === data.group || Date.now() > pending.until)) pending = null
    group = unpack(pending ? pending.bits : data.group, data.count)
    dress()
    bar.offer(data.films, "", JSON.stringify(data.asked), data.stale)
    layout()
  }

  function dress() {
    const style = getComputedStyle(root)
    const colour = (name) => style.getPropertyValue(`--st-${name}`)
    look = { text: colour("text-color"), line: colour("border-color"), page: colour("background-color"), font: style.fontFamily }
    root.dataset.stale = String(data.stale)
    stage.style.setProperty("--height", `${data.height}px`)
    stage.setAttribute("aria-busy", String(data.stale))
    stage.setAttribute("aria-label", `${data.label}. ${data.density ? "Draw a line around some to choose them; Escape clears." : "Arrow keys move, Enter chooses, Escape clears."}`)
    base.setAttribute("aria-label", data.description)
    // The same classes keep their list and their pictures: only points have moved.
    const dressed = `${data.of} ${look.page} ${JSON.stringify(data.legend)}`
    if (dressed === classed) return
    classed = dressed
    album = null
    sprites = marksOf(data.legend)
    key.hidden = data.legend.length < 2
    key.replaceChildren(
      ...data.legend.slice(0, data.most_listed).map((entry) => {
        const item = document.createElement("li")
        item.append(spriteOf(entry, 9), document.createTextNode(`${entry.name} (${whole(entry.n_samples)})`))
        return item
      })
    )
    if (data.legend.length > data.most_listed) {
      const more = document.createElement("li")
      more.textContent = `and ${whole(data.legend.length - data.most_listed)} more`
      key.append(more)
    }
  }

  function marksOf(legend) {
    const drawn = new Map()
    return legend.map((entry) => {
      const kind = entry.colour + entry.shape
      if (!drawn.has(kind)) drawn.set(kind, spriteOf(entry, 9))
      return drawn.get(kind)
    })
  }

  /** A mark of a class on its own small canvas, so that drawing a point is copying it. */
  function spriteOf({ colour, shape: form }, size) {
    const ratio = devicePixelRatio || 1
    const canvas = document.createElement("canvas")
    canvas.width = canvas.height = Math.ceil((size + 3) * ratio)
    canvas.setAttribute("aria-hidden", "true")
    const context = canvas.getContext("2d")
    context.scale(ratio, ratio)
    const [middle, half] = [(size + 3) / 2, size / 2]
    const path = new Path2D()
    const corners = { square: [-0.85, -0.85, 0.85, -0.85, 0.85, 0.85, -0.85, 0.85], triangle: [0, -1.1, 1.05, 0.8, -1.05, 0.8], diamond: [0, -1.15, 1.15, 0, 0, 1.15, -1.15, 0] }[form]
    if (corners) {
      for (let i = 0; i < corners.length; i += 2) path.lineTo(middle + half * corners[i], middle + half * corners[i + 1])
      path.closePath()
    } else if (form === "cross") {
      path.rect(middle - half, middle - half / 3, size, size / 3)
      path.rect(middle - half / 3, middle - half, size / 3, size)
    } else {
      path.arc(middle, middle, form === "ring" ? half - 1 : half, 0, 2 * Math.PI)
    }
    if (form === "ring") {
      context.strokeStyle = colour
      context.lineWidth = 2.5
      context.stroke(path)
    } else {
      context.strokeStyle = look.page
      context.lineWidth = 1
      context.stroke(path)
      context.fillStyle = colour
      context.fill(path)
    }
    return canvas
  }

  const pictures = () => window.cspcaThumbnails?.get(data.of)
  const drawsPictures = () => data.pictured && pictures()

  /** Side of the small pictures: they may overlap, and leave the cloud to be seen. */
  const sideOf = () => Math.min(40, Math.max(14, Math.sqrt((width * height) / data.count) * 0.62))

  function albumOf() {
    const { pixels, rows, columns } = pictures()
    const ratio = devicePixelRatio || 1
    const long = Math.round(sideOf() * ratio)
    const [wide, high] = [columns, rows].map((side) => Math.max(1, Math.round((long * side) / Math.max(rows, columns))))
    const border = Math.max(1, Math.round(2 * ratio))
    const across = Math.ceil(Math.sqrt(data.count))
    const [stepX, stepY] = [wide + 2 * border, high + 2 * border]
    const canvas = document.createElement("canvas")
    canvas.width = across * stepX
    canvas.height = Math.ceil(data.count / across) * stepY
    const context = canvas.getContext("2d")
    const one = document.createElement("canvas")
    for (let i = 0; i < data.count; i++) {
      putPicture(one, pixels, i, rows, columns)
      const [x, y] = [(i % across) * stepX, Math.floor(i / across) * stepY]
      context.fillStyle = data.legend[classes[i]].colour
      context.fillRect(x, y, stepX, stepY)
      context.drawImage(one, x + border, y + border, wide, high)
      // Where a colour is used again, the mark in the corner tells its classes apart.
      const mark = sprites[classes[i]]
      if (data.legend[classes[i]].shape !== "circle") context.drawImage(mark, x + stepX - mark.width, y + stepY - mark.height)
    }
    return { canvas, across, stepX, stepY, ratio }
  }

  function putPicture(canvas, pixels, number, rows, columns) {
    if (canvas.width !== columns || canvas.height !== rows) [canvas.width, canvas.height] = [columns, rows]
    const image = new ImageData(columns, rows)
    const from = number * rows * columns
    for (let i = 0; i < rows * columns; i++) {
      image.data.fill(pixels[from + i], 4 * i, 4 * i + 3)
      image.data[4 * i + 3] = 255
    }
    canvas.getContext("2d").putImageData(image, 0, 0)
  }

  function layout() {
    if (!data) return
    ;[width, height] = [stage.clientWidth, stage.clientHeight]
    if (width <= 0 || height <= 0) return
    const ratio = devicePixelRatio || 1
    for (const canvas of [base, over]) {
      const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)]
      if (canvas.width !== wide || canvas.height !== high) {
        ;[canvas.width, canvas.height] = [wide, high]
        album = null
      }
    }
    draw()
    if (start) glide()
  }

  /** Move all points a little with every frame, once the rest of the page has been drawn. */
  function glide(before = null) {
    if (waits) return
    waits = true
    requestAnimationFrame((time) => {
      waits = false
      if (!start) return
      if (began === null) {
        first ??= time
        if (before !== null && time - before < QUICK) calmed++
        if (calmed < CALM && time - first < LONGEST) return glide(time)
        began = time
      }
      const share = eased((time - began) / GLIDE)
      for (let i = 0; i < now.length; i++) now[i] = start[i] + share * (goal[i] - start[i])
      if (share === 1) start = null
      draw()
      if (start) glide()
    })
  }

  const area = () => ({ left: MARGIN.left, top: MARGIN.top, wide: width - MARGIN.left - MARGIN.right, high: height - MARGIN.top - MARGIN.bottom })

  function draw() {
    const ratio = devicePixelRatio || 1
    const context = base.getContext("2d")
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.clearRect(0, 0, width, height)
    const { left, top, wide, high } = area()
    drawAxes(context)
    places ??= new Float32Array(now.length)
    if (places.length !== now.length) places = new Float32Array(now.length)
    for (let i = 0; i < now.length; i += 2) {
      places[i] = left + now[i] * wide
      places[i + 1] = top + now[i + 1] * high
    }
    if (data.density) drawDensity(context)
    else drawPoints(context, ratio)
    root.dataset.moving = start ? (began === null ? "soon" : "true") : "false"
    root.dataset.chosen = String(chosen())
    drawOver()
  }

  const chosen = () => group.reduce((sum, mark) => sum + mark, 0)

  function drawPoints(context, ratio) {
    const some = group.includes(1)
    if (drawsPictures()) album ??= albumOf()
    const stride = strideOf(data.count)
    // Whole pixels of the screen are copied, others blended, which takes half as long again.
    const snap = (place) => Math.round(place * ratio) / ratio
    // The others first, so that the group lies above them; in an order that mixes the classes.
    for (const turn of some ? [0, 1] : [0]) {
      context.globalAlpha = some && turn === 0 ? FADED : album ? 1 : 0.85
      for (let k = 0; k < data.count; k++) {
        const i = (k * stride) % data.count
        if (some && group[i] !== turn) continue
        if (album) {
          const { canvas, across, stepX, stepY } = album
          const [w, h] = [stepX / ratio, stepY / ratio]
          const [sx, sy] = [(i % across) * stepX, Math.floor(i / across) * stepY]
          context.drawImage(canvas, sx, sy, stepX, stepY, snap(places[2 * i] - w / 2), snap(places[2 * i + 1] - h / 2), w, h)
        } else {
          const sprite = sprites[classes[i]]
          const side = sprite.width / ratio
          context.drawImage(sprite, snap(places[2 * i] - side / 2), snap(places[2 * i + 1] - side / 2), side, side)
        }
      }
    }
    context.globalAlpha = 1
  }

  function drawDensity(context) {
    const { rows, columns, colours } = data.density
    const canvas = document.createElement("canvas")
    ;[canvas.width, canvas.height] = [columns, rows]
    canvas.getContext("2d").putImageData(new ImageData(decode(colours, Uint8ClampedArray), columns, rows), 0, 0)
    context.imageSmoothingEnabled = false
    const { left, top, wide, high } = area()
    context.globalAlpha = group.includes(1) ? 0.4 : 1
    context.drawImage(canvas, left, top, wide, high)
    context.globalAlpha = 1
    context.fillStyle = look.text
    for (let i = 0; i < data.count; i++) if (group[i]) context.fillRect(places[2 * i], places[2 * i + 1], 1, 1)
  }

  function drawAxes(context) {
    const { left, top, wide, high } = area()
    const [from, to, bottom, upper] = (held ?? data).extent
    context.font = `12px ${look.font}`
    context.fillStyle = look.text
    context.strokeStyle = look.line
    context.lineWidth = 1
    context.textBaseline = "middle"
    context.textAlign = "center"
    context.beginPath()
    const across = ticksOf(from, to, wide / 90)
    for (const tick of across.ticks) {
      const x = left + ((tick - from) / (to - from)) * wide
      context.moveTo(x, top)
      context.lineTo(x, top + high)
      context.fillText(tick.toFixed(across.decimals), x, top + high + 9)
    }
    const up = ticksOf(bottom, upper, high / 60)
    context.textAlign = "right"
    for (const tick of up.ticks) {
      const y = top + ((upper - tick) / (upper - bottom)) * high
      context.moveTo(left, y)
      context.lineTo(left + wide, y)
      context.fillText(tick.toFixed(up.decimals), left - 5, y)
    }
    context.stroke()
    context.textAlign = "center"
    const titles = (held ?? data.axes).words
    context.fillText(titles[0], left + wide / 2, top + high + 24)
    context.save()
    context.translate(8, top + high / 2)
    context.rotate(-Math.PI / 2)
    context.fillText(titles[1], 0, 0)
    context.restore()
  }

  /** What follows the pointer, above the points, so that these need not be drawn for it. */
  function drawOver() {
    const ratio = devicePixelRatio || 1
    const context = over.getContext("2d")
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.clearRect(0, 0, width, height)
    context.strokeStyle = look.text
    const at = hover ?? (stage.matches(":focus-visible") ? cursor : null)
    if (at !== null && !data.density) {
      context.lineWidth = 2
      const side = album ? Math.max(album.stepX, album.stepY) / album.ratio + 4 : 16
      context.strokeRect(places[2 * at] - side / 2, places[2 * at + 1] - side / 2, side, side)
    }
    if (lasso && lasso.length > 2) {
      context.lineWidth = 1.5
      context.setLineDash([5, 3])
      context.beginPath()
      for (let i = 0; i < lasso.length; i += 2) context.lineTo(lasso[i], lasso[i + 1])
      context.closePath()
      context.stroke()
      context.setLineDash([])
    }
  }

  let asks = false
  /** Draw what follows the pointer once a frame, however many events come. */
  function soon() {
    if (asks) return
    asks = true
    requestAnimationFrame(() => {
      asks = false
      drawOver()
    })
  }

  const nameOf = (i) => {
    const own = data.names?.[i]
    const name = `${data.noun} ${data.numbers?.[i] ?? i + 1}${own ? ` (${own})` : ""}`
    return data.legend.length > 1 ? `${name}\n${data.legend[classes[i]].name}` : name
  }

  function showTip(words, number, x, y) {
    tip.hidden = words === null
    if (words === null) return
    const [canvas, text] = tip.children
    const shelf = number === null ? null : pictures()
    canvas.hidden = !shelf
    if (shelf) putPicture(canvas, shelf.pixels, number, shelf.rows, shelf.columns)
    text.textContent = words
    const [wide, high] = [tip.offsetWidth, tip.offsetHeight]
    tip.style.left = `${x + 18 + wide < width ? x + 18 : Math.max(0, x - 18 - wide)}px`
    tip.style.top = `${Math.min(Math.max(0, y - high / 2), Math.max(0, height - high))}px`
  }

  const reach = () => (album ? Math.max(album.stepX, album.stepY) / album.ratio / 1.6 : REACH)

  function point(x, y) {
    if (data.density) {
      const { rows, columns } = data.density
      const { left, top, wide, high } = area()
      const [column, row] = [Math.floor(((x - left) / wide) * columns), Math.floor(((y - top) / high) * rows)]
      const there = column >= 0 && column < columns && row >= 0 && row < rows
      const count = there ? counts[row * columns + column] : 0
      showTip(count ? `${whole(count)} ${count === 1 ? data.noun : data.nouns}` : null, null, x, y)
      return
    }
    const found = nearest(places, x, y, reach())
    if (found === hover && !tip.hidden) return
    hover = found
    showTip(found === null ? null : nameOf(found), found, found === null ? 0 : places[2 * found], found === null ? 0 : places[2 * found + 1])
    soon()
  }

  const place = (event) => {
    const box = stage.getBoundingClientRect()
    return [event.clientX - box.left, event.clientY - box.top]
  }

  stage.onpointerdown = (event) => {
    if (!event.isPrimary || event.button !== 0) return
    try {
      stage.setPointerCapture(event.pointerId)
    } catch {
      // A pointer that is gone already.
    }
    lasso = place(event)
    showTip(null)
  }

  stage.onpointermove = (event) => {
    const [x, y] = place(event)
    if (lasso && event.isPrimary) {
      for (const one of event.getCoalescedEvents?.() ?? []) lasso.push(...place(one))
      lasso.push(x, y)
      soon()
    } else if (event.pointerType !== "touch") point(x, y)
  }

  stage.onpointerup = (event) => {
    if (!lasso || !event.isPrimary) return
    const [x, y] = place(event)
    let farthest = 0
    for (let i = 0; i < lasso.length; i += 2) farthest = Math.max(farthest, Math.hypot(lasso[i] - lasso[0], lasso[i + 1] - lasso[1]))
    const drawn = lasso
    lasso = null
    if (farthest < TAP) {
      if (data.density) return
      const found = nearest(places, x, y, reach())
      if (event.pointerType === "touch") {
        hover = found
        if (found !== null) showTip(nameOf(found), found, places[2 * found], places[2 * found + 1])
      }
      if (found !== null) toggle(found)
    } else {
      const marks = marksInside(drawn, places)
      if (event.shiftKey) marks.forEach((mark, i) => (marks[i] = mark | group[i]))
      if (marks.includes(1)) choose(marks)
      else {
        live.textContent = `No ${data.noun} lies inside.`
        draw()
      }
    }
  }

  // A second finger zooms: what the first one drew meanwhile was not meant.
  stage.onpointercancel = () => {
    lasso = null
    drawOver()
  }

  stage.onpointerleave = () => {
    hover = null
    showTip(null)
    if (places) drawOver()
  }

  stage.onfocus = () => {
    cursor ??= 0
    drawOver()
  }
  stage.onblur = () => drawOver()

  stage.onkeydown = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    cursor ??= 0
    if (event.key === "Escape") {
      if (!group.includes(1)) return
      event.preventDefault()
      choose(new Uint8Array(data.count))
      return
    }
    if (data.density) return
    const ends = { Home: 0, End: data.count - 1 }
    if (event.key in DIRECTIONS) cursor = nextPoint(places, cursor ?? 0, DIRECTIONS[event.key])
    else if (event.key in ends) cursor = ends[event.key]
    else if (event.key === "Enter" || event.key === " ") toggle(cursor ?? 0)
    else return
    event.preventDefault()
    hover = null
    showTip(nameOf(cursor), cursor, places[2 * cursor], places[2 * cursor + 1])
    live.textContent = `${nameOf(cursor).replace("\n", ", ")}${group[cursor] ? ", chosen" : ""}. ${whole(chosen())} chosen`
    drawOver()
  }

  function toggle(number) {
    const marks = group.slice()
    marks[number] = 1 - marks[number]
    choose(marks)
  }

  function choose(marks) {
    group = marks
    const bits = pack(marks)
    pending = { bits, until: Date.now() + PATIENCE }
    live.textContent = `${whole(chosen())} of ${whole(data.count)} ${data.nouns} chosen`
    draw()
    send({ of: data.of, size: data.count, bits, serial: Date.now() })
  }

  const arrived = () => data && (album = null, layout())
  addEventListener("cspca-thumbnails", arrived)
  // The width is the container's; the canvas never changes it, so this cannot loop.
  const observer = new ResizeObserver(layout)
  observer.observe(stage)
  return {
    update,
    close() {
      bar.close()
      observer.disconnect()
      removeEventListener("cspca-thumbnails", arrived)
      start = null
    },
  }
}

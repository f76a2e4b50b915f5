/*
 * Paint: choose pixels of an image with mouse, finger or keyboard, up to a budget.
 *
 * Nothing is sent while somebody paints: what is unfinished lies in this tab's own storage, which
 * survives a rerun, a change of page and a reload, and goes with the tab. One message carries the
 * chosen pixels, on the button. Text goes in through textContent only.
 */

const paintings = new WeakMap()
const kept = new Map() // Where the browser lends no storage: as long as this script lives.
const TINT = [240, 140, 0]
const SHARE = 0.62 // Of the tint in a painted pixel; the rest is the image.
const STEPS_BACK = 60

export default function ({ parentElement, data, setTriggerValue }) {
  const root = parentElement.querySelector(".pt")
  if (!root || !data) return undefined
  if (!paintings.has(root)) paintings.set(root, painting(root))
  const one = paintings.get(root)
  one.update(opened(data), (mask) => setTriggerValue("mask", mask))
  return () => {
    one.close()
    paintings.delete(root)
  }
}

function painting(root) {
  const part = (name) => root.querySelector(`.pt-${name}`)
  const [stage, base, mark, live, count] = ["stage", "base", "mark", "live", "count"].map(part)
  let data, send, rows, columns, grey, bits
  let id = null
  let width = 0
  let height = 0
  let brush = 1
  let erasing = false
  let mirrored = false
  let cursor = null
  let hover = null
  let stroke = null // Where the pointer was last, in pixels of the image, while it paints.
  let refused = false
  const before = []

  function update(given, sendMask) {
    data = given
    send = sendMask
    ;[rows, columns] = data.shape
    grey = data.grey
    if (data.id !== id) {
      id = data.id
      bits = unpack(recall(id) ?? data.start, rows * columns)
      before.length = 0
      cursor = hover = stroke = null
      brush = data.brushes[Math.min(1, data.brushes.length - 1)]
      drawBrushes()
    }
    // What was typed comes once; Undo brings back what was painted before.
    if (data.typed && data.typed !== recall(`${id}-typed`)) {
      keep(`${id}-typed`, data.typed)
      remember()
      bits = unpack(data.start, rows * columns)
      store()
    }
    const size = `${rows} × ${columns} pixels`
    const keys =
      "Arrow keys move, Space paints, Delete erases, Shift with an arrow paints on, Control Z undoes."
    stage.setAttribute("aria-label", `${data.label}, ${size}. ${keys}`)
    base.setAttribute("aria-label", data.description)
    part("send").textContent = data.action
    layout()
  }

  /** Fit the image into the container, each of its pixels a whole number of the screen's. */
  function layout() {
    const room = root.clientWidth
    if (!data || room <= 0) return
    const cell = Math.min(room / columns, data.height / rows)
    const side = cell >= 1 ? Math.floor(cell) : cell
    width = Math.max(1, Math.round(side * columns))
    height = Math.max(1, Math.round(side * rows))
    base.style.width = `${width}px`
    base.style.height = `${height}px`
    part("foot").style.maxWidth = part("tools").style.maxWidth = `${Math.max(width, 340)}px`
    draw()
  }

  function draw() {
    base.width = columns
    base.height = rows
    const pixels = new Uint8ClampedArray(4 * grey.length)
    for (let i = 0; i < grey.length; i++) {
      const share = bits[i] ? SHARE : 0
      for (let c = 0; c < 3; c++) pixels[4 * i + c] = share * TINT[c] + (1 - share) * grey[i]
      pixels[4 * i + 3] = 255
    }
    base.getContext("2d").putImageData(new ImageData(pixels, columns, rows), 0, 0)
    const n = painted()
    const over = n - data.k
    count.dataset.over = String(over > 0 || refused)
    count.textContent = counted(n)
    if (over > 0) count.textContent = `${whole(n)} of ${whole(data.k)} pixels: erase ${whole(over)}`
    else if (refused) count.textContent += ": full"
    part("send").disabled = n === 0 || over > 0
    part("undo").disabled = before.length === 0
    part("clear").disabled = n === 0
    drawMark()
  }

  function drawBrushes() {
    const place = part("brushes")
    place.replaceChildren()
    for (const [at, size] of data.brushes.entries()) {
      const button = document.createElement("button")
      const dot = document.createElement("i")
      button.type = "button"
      button.className = "pt-tool pt-brush"
      button.setAttribute("aria-label", `${size} × ${size} pixel${size === 1 ? "" : "s"}`)
      button.title = `Brush of ${size} × ${size}`
      dot.style.width = dot.style.height = `${5 + 5 * at}px`
      button.append(dot)
      button.onclick = () => {
        brush = size
        press()
      }
      place.append(button)
    }
    press()
  }

  function press() {
    const buttons = [...part("brushes").children]
    for (const [at, one] of buttons.entries()) pressed(one, data.brushes[at] === brush)
    pressed(part("erase"), erasing)
    pressed(part("mirror"), mirrored)
    drawMark()
  }

  function drawMark() {
    const at = hover ?? (stage.matches(":focus-visible") ? cursor : null)
    mark.hidden = at === null
    if (at === null) return
    const cell = width / columns
    const [top, left, bottom, right] = block(Math.floor(at / columns), at % columns)
    mark.style.left = `${left * cell - 1}px`
    mark.style.top = `${top * cell - 1}px`
    mark.style.width = `${(right - left) * cell + 2}px`
    mark.style.height = `${(bottom - top) * cell + 2}px`
  }

  /** The pixels under the brush, from row and column to row and column. */
  function block(row, column) {
    const back = Math.floor((brush - 1) / 2)
    const [top, left] = [row - back, column - back]
    return [
      Math.max(0, top),
      Math.max(0, left),
      Math.min(rows, top + brush),
      Math.min(columns, left + brush),
    ]
  }

  const painted = () => bits.reduce((sum, one) => sum + one, 0)
  const counted = (n) => `${whole(n)} of ${whole(data.k)} pixels painted`

  function stamp(row, column, on) {
    let left = data.k - painted()
    const [top, from, bottom, to] = block(row, column)
    for (let r = top; r < bottom; r++) {
      for (let c = from; c < to; c++) {
        const both = mirrored ? [c, columns - 1 - c] : [c]
        for (const one of both) {
          const i = r * columns + one
          if (!on) bits[i] = 0
          if (!on || bits[i]) continue
          refused ||= left <= 0
          if (left > 0) {
            bits[i] = 1
            left -= 1
          }
        }
      }
    }
  }

  function remember() {
    before.push(bits.slice())
    if (before.length > STEPS_BACK) before.shift()
    refused = false
  }

  function store() {
    forget()
    keep(id, pack(bits))
    live.textContent = counted(painted()) + (refused ? ": erase some to paint others" : "")
  }

  /** A stroke that changed nothing is no step back. */
  function forget() {
    if (before.at(-1)?.every((one, i) => one === bits[i])) before.pop()
    part("undo").disabled = before.length === 0
  }

  function locate(event) {
    const box = base.getBoundingClientRect()
    const row = Math.floor(((event.clientY - box.top) / box.height) * rows)
    const column = Math.floor(((event.clientX - box.left) / box.width) * columns)
    return [row, column]
  }

  /** From where the pointer was to where it is, without gaps however fast it went. */
  function along([row, column]) {
    const [fromRow, fromColumn] = stroke
    const steps = Math.max(1, Math.abs(row - fromRow), Math.abs(column - fromColumn))
    for (let step = 1; step <= steps; step++) {
      const r = Math.round(fromRow + ((row - fromRow) * step) / steps)
      const c = Math.round(fromColumn + ((column - fromColumn) * step) / steps)
      if (inside(r, c)) stamp(r, c, !erasing)
    }
    stroke = [row, column]
  }

  const inside = (row, column) => row >= 0 && row < rows && column >= 0 && column < columns

  stage.onpointerdown = (event) => {
    if (!event.isPrimary || event.button !== 0) return
    const [row, column] = locate(event)
    if (!inside(row, column)) return
    try {
      stage.setPointerCapture(event.pointerId)
    } catch {
      // A pointer that is gone already.
    }
    remember()
    cursor = row * columns + column
    stroke = [row, column]
    stamp(row, column, !erasing)
    draw()
  }

  stage.onpointermove = (event) => {
    const [row, column] = locate(event)
    const finger = event.pointerType === "touch"
    hover = inside(row, column) && !finger ? row * columns + column : null
    if (stroke && event.isPrimary) {
      const all = event.getCoalescedEvents?.() ?? []
      for (const one of all.length ? all : [event]) along(locate(one))
      draw()
    } else drawMark()
  }

  stage.onpointerup = (event) => {
    if (!stroke || !event.isPrimary) return
    stroke = null
    store()
  }

  // A second finger zooms: what the first one painted meanwhile was not meant.
  stage.onpointercancel = (event) => {
    if (!stroke || !event.isPrimary) return
    stroke = null
    undo()
  }

  stage.onpointerleave = () => {
    hover = null
    drawMark()
  }

  stage.onfocus = () => {
    cursor ??= Math.floor(rows / 2) * columns + Math.floor(columns / 2)
    if (stage.matches(":focus-visible")) say()
    drawMark()
  }
  stage.onblur = drawMark

  function say() {
    const place = `row ${Math.floor(cursor / columns) + 1}, column ${(cursor % columns) + 1}`
    const state = bits[cursor] ? "painted" : "not painted"
    live.textContent = `${place}, ${state}. ${counted(painted())}`
  }

  stage.onkeydown = (event) => {
    if (event.altKey) return
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() !== "z") return
      event.preventDefault()
      undo()
      return
    }
    const paints = event.key === " " || event.key === "Enter"
    const erases = event.key === "Delete" || event.key === "Backspace"
    if (!paints && !erases && !(event.key in MOVES)) return
    event.preventDefault()
    hover = null
    const here = () => stamp(Math.floor(cursor / columns), cursor % columns, !erases && !erasing)
    if (event.key in MOVES) {
      const [down, right] = MOVES[event.key]
      if (event.shiftKey) remember()
      // Every pixel on the way, where Shift paints on.
      const far = Math.max(Math.abs(down), Math.abs(right))
      const steps = event.shiftKey ? Math.min(far, Math.max(rows, columns)) : 1
      for (let step = 0; step < steps; step++) {
        const by = event.shiftKey ? Math.sign : (one) => one
        const row = clip(Math.floor(cursor / columns) + by(down), rows)
        const column = clip((cursor % columns) + by(right), columns)
        cursor = row * columns + column
        if (event.shiftKey) here()
      }
    } else {
      remember()
      here()
    }
    forget()
    keep(id, pack(bits))
    draw()
    say()
  }

  function undo() {
    if (!before.length) return
    bits = before.pop()
    refused = false
    draw()
    store()
  }

  part("erase").onclick = () => {
    erasing = !erasing
    press()
  }
  part("mirror").onclick = () => {
    mirrored = !mirrored
    press()
  }
  part("undo").onclick = undo
  part("clear").onclick = () => {
    remember()
    bits.fill(0)
    draw()
    store()
  }
  part("send").onclick = () => {
    send({ size: bits.length, bits: pack(bits), serial: Date.now() })
    // On a phone the answer comes below: make room for it on the screen.
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches
    if (matchMedia("(max-width: 640px)").matches) {
      part("foot").scrollIntoView({ behavior: calm ? "auto" : "smooth", block: "start" })
    }
  }

  // The root's width is the container's; the canvas never changes it, so this cannot loop.
  const observer = new ResizeObserver(layout)
  observer.observe(root)
  return { update, close: () => observer.disconnect() }
}

const pressed = (button, on) => button.setAttribute("aria-pressed", String(on))

function keep(id, text) {
  kept.set(id, text)
  try {
    sessionStorage.setItem(`cspca-paint-${id}`, text)
  } catch {
    // In a frame without storage, or a full one.
  }
}

function recall(id) {
  try {
    return sessionStorage.getItem(`cspca-paint-${id}`) ?? kept.get(id) ?? null
  } catch {
    return kept.get(id) ?? null
  }
}

/*
 * The components of a fit, and below each the one of PCA with its number, all pairs on a scale of
 * their own; a frame of a film (film.js) stands in place of the fit.
 */

const grids = new WeakMap()

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector(".axes")
  if (!root || !data) return undefined
  if (!grids.has(root)) grids.set(root, axesIn(root))
  const grid = grids.get(root)
  grid.update(opened(data), setStateValue)
  return () => {
    grid.close()
    grids.delete(root)
  }
}

const ANSWERED = 10_000 // Milliseconds that a frame is held for Python's answer.

function axesIn(root) {
  const part = (name) => root.querySelector(`.${name}`)
  let data, send
  let left = null // What was let go, until Python has answered.

  const bar = filmBar(part("film"), {
    show: (film, index) => draw(film ? frame(film, index) : data),
    wish: (along, make) => send("wish", { along, make, serial: Date.now() }),
    letGo(film, at, home) {
      if (home) return bar.release()
      left = { asked: JSON.stringify(data.asked), until: Date.now() + ANSWERED }
      send("let_go", { along: film.along, value: film.values[at], serial: Date.now() })
    },
  })

  function update(given, sendState) {
    data = given
    send = sendState
    bar.offer(data.films, "")
    const answered = left && (JSON.stringify(data.asked) !== left.asked || Date.now() > left.until)
    if (bar.held && !bar.busy && answered && !data.stale) bar.release()
    if (bar.held) return
    left = null
    draw(data)
  }

  /** What a frame shows, in the fields of the fit. */
  function frame(film, index) {
    const size = data.count * data.shape[0] * data.shape[1]
    return { ours: film.ours.subarray(index * size, (index + 1) * size), lines: film.lines[index], words: film.words[index] }
  }

  function draw(shown) {
    const held = shown !== data
    root.dataset.stale = String(!held && data.stale)
    const box = part("pairs")
    box.setAttribute("aria-label", data.label)
    while (box.children.length > data.count) box.lastChild.remove()
    while (box.children.length < data.count) box.append(pair())
    for (let k = 0; k < data.count; k++) {
      const [ours, said, theirs, known] = box.children[k].children
      const lines = shown.lines[k]
      paint(ours, shown.ours, lines ? k : null)
      paint(theirs, data.theirs, k)
      said.textContent = lines ?? `No component ${k + 1}`
      known.textContent = data.known[k]
      ours.setAttribute("aria-label", held ? said.textContent : data.alts[k])
      theirs.setAttribute("aria-label", data.known_alts[k])
    }
    part("said").textContent = shown.words
  }

  function pair() {
    const made = document.createElement("figure")
    made.className = "pair"
    for (const tag of ["canvas", "figcaption", "canvas", "figcaption"]) {
      const one = document.createElement(tag)
      if (tag === "canvas") one.setAttribute("role", "img")
      made.append(one)
    }
    return made
  }

  /** Draw a picture of many by the table of colours; without a number the middle of the scale. */
  function paint(canvas, levels, number) {
    const [rows, columns] = data.shape
    const size = rows * columns
    if (canvas.width !== columns || canvas.height !== rows) [canvas.width, canvas.height] = [columns, rows]
    const pixels = new Uint8ClampedArray(4 * size).fill(255)
    for (let i = 0; i < size; i++) {
      const from = 3 * (number === null ? 128 : levels[number * size + i])
      for (let c = 0; c < 3; c++) pixels[4 * i + c] = data.colours[from + c]
    }
    canvas.getContext("2d").putImageData(new ImageData(pixels, columns, rows), 0, 0)
  }

  const observer = new ResizeObserver(() => bar.redraw())
  observer.observe(root)
  const close = () => {
    observer.disconnect()
    bar.close()
  }
  return { update, close }
}

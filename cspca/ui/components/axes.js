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

function axesIn(root) {
  const part = (name) => root.querySelector(`.${name}`)
  let data, send

  const bar = filmBar(part("film"), {
    show: (film, index) => draw(film ? frame(film, index) : data),
    wish: (along, make) => send("wish", { along, make, serial: Date.now() }),
    letGo: (along, value) => send("let_go", { along, value, serial: Date.now() }),
  })

  function update(given, sendState) {
    data = given
    send = sendState
    bar.offer(data.films, "", JSON.stringify(data.asked), data.stale)
    if (!bar.held) draw(data)
  }

  /** What a frame shows, in the fields of the fit. */
  function frame(film, index) {
    const size = film.n_played * data.shape[0] * data.shape[1]
    const of = (name) => film[name][index]
    return { n_played: film.n_played, components: film.components.subarray(index * size, (index + 1) * size), reaches: of("reaches"), captions: of("captions"), pca_captions: of("pca_captions"), words: of("words") }
  }

  function draw(shown) {
    const held = shown !== data
    root.dataset.stale = String(!held && data.stale)
    const box = part("pairs")
    box.setAttribute("aria-label", data.label)
    while (box.children.length > data.count) box.lastChild.remove()
    while (box.children.length < data.count) box.append(pair())
    for (let k = 0; k < data.count; k++) {
      const [canvas, caption, pcaCanvas, pcaCaption] = box.children[k].children
      const plays = !held || k < shown.n_played
      paint(canvas, plays ? shown.components : null, k, 1)
      // Both of a pair are drawn on one scale, which a frame may have widened.
      paint(pcaCanvas, data.pca_components, k, plays ? data.reaches[k] / shown.reaches[k] : 1)
      caption.textContent = plays ? shown.captions[k] : "Not in the film: too large"
      pcaCaption.textContent = (plays ? shown : data).pca_captions[k]
      canvas.setAttribute("aria-label", held ? caption.textContent : data.alts[k])
      pcaCanvas.setAttribute("aria-label", held ? pcaCaption.textContent : data.pca_alts[k])
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

  /** Draw a picture of many by the table of colours, its values times a factor; null is grey. */
  function paint(canvas, levels, number, factor) {
    const [rows, columns] = data.shape
    const size = rows * columns
    if (canvas.width !== columns || canvas.height !== rows) [canvas.width, canvas.height] = [columns, rows]
    const pixels = new Uint8ClampedArray(4 * size).fill(255)
    for (let i = 0; i < size; i++) {
      const level = levels ? levels[number * size + i] : 128
      const from = 3 * (factor === 1 ? level : Math.round(127.5 + factor * (level - 127.5)))
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

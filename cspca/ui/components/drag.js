/*
 * A picture that answers to the hand: frames made beforehand over one or two knobs, drawn as SVG.
 *
 * A frame is chosen by a knob, which is a slider of the browser's own, or by dragging the grip of a
 * picture: then it is the frame whose grip lies nearest. Nothing asks the server, nothing moves by
 * itself. Streamlit calls the default export again on the same nodes with every run of the page.
 */

const SVG = "http://www.w3.org/2000/svg"
const drawn = new WeakMap()

export default function ({ parentElement, data }) {
  const root = parentElement.querySelector(".drag")
  if (!root || !data) return
  const scene = opened(data)
  if (drawn.get(root) === scene.key) return
  drawn.set(root, scene.key)
  picture(root, scene)
}

function picture(root, data) {
  const put = [] // One function a mark that moves: it takes what the frame says of it.
  const notes = []
  const images = []
  let grip = null

  const panels = root.querySelector(".drag-panels")
  panels.replaceChildren(...data.panels.map(panel))
  panels.classList.toggle("drag-noted", data.frames[0].notes.length > 0)
  root.classList.toggle("drag-alone", data.panels.length === 1)
  const sliders = data.knobs.map(knob)
  root.querySelector(".drag-knobs").replaceChildren(...sliders.map((one) => one.parentElement))
  const words = root.querySelector(".drag-words")
  show()

  function panel(given) {
    const figure = node("figure")
    figure.style.setProperty("--least", `${given.least}px`)
    figure.style.setProperty("--most", `${given.most}px`)
    figure.style.setProperty("--ratio", given.width / given.height)
    const caption = node("figcaption")
    const title = node("b")
    title.textContent = given.title
    const note = node("span")
    caption.append(title, note)
    notes.push(note)
    const image = shape("svg", "")
    image.setAttribute("viewBox", `0 0 ${given.width} ${given.height}`)
    image.setAttribute("role", "img")
    image.setAttribute("aria-label", given.title)
    images.push(image)
    for (const [kind, look, ...rest] of given.marks) {
      const mark = MARKS[kind](look, ...rest)
      image.append(mark.node)
      if (!mark.put.still) put.push(mark.put)
    }
    if (given.follow) follow(image, given)
    figure.append(caption, image)
    return figure
  }

  function follow(image, given) {
    image.dataset.follow = given.follow
    const reach = shape("circle", "reach")
    reach.setAttribute("r", 26)
    const dot = shape("circle", "grip")
    dot.setAttribute("r", 8)
    image.append(dot, reach)
    grip = [dot, reach]
    const near = (event) => {
      const box = image.getBoundingClientRect()
      const x = ((event.clientX - box.left) / box.width) * given.width
      const y = ((event.clientY - box.top) / box.height) * given.height
      const far = (at) =>
        (given.follow.includes("x") ? (at[0] - x) ** 2 : 0) +
        (given.follow.includes("y") ? (at[1] - y) ** 2 : 0)
      let best = 0
      data.frames.forEach((one, i) => far(one.at) < far(data.frames[best].at) && (best = i))
      choose(best)
    }
    let held = false
    // Browsers do not heed touch-action inside an SVG: without this the page scrolls instead.
    reach.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false })
    image.onpointerdown = (event) => {
      // A finger beside the grip may be about to scroll: what it does is known by its click.
      held = event.pointerType !== "touch" || event.target === reach
      if (!held) return
      image.setPointerCapture(event.pointerId)
      near(event)
      event.preventDefault()
    }
    image.onpointermove = (event) => held && image.hasPointerCapture(event.pointerId) && near(event)
    image.onclick = near
  }

  function knob(given) {
    const label = node("label")
    const name = node("span")
    name.textContent = given.name
    const slider = node("input")
    Object.assign(slider, { type: "range", min: 0, max: given.values.length - 1, step: 1 })
    slider.value = given.start
    slider.setAttribute("aria-label", `${data.label}: ${given.name}`)
    slider.oninput = show
    label.append(name, slider, node("output"))
    return slider
  }

  function choose(index) {
    for (let i = sliders.length - 1; i >= 0; i--) {
      const count = data.knobs[i].values.length
      sliders[i].value = index % count
      index = Math.floor(index / count)
    }
    show()
  }

  function show() {
    let index = 0
    sliders.forEach((one, i) => (index = index * data.knobs[i].values.length + Number(one.value)))
    const frame = data.frames[index]
    frame.put.forEach((value, i) => put[i](value))
    notes.forEach((note, i) => (note.textContent = frame.notes[i] ?? ""))
    for (const one of grip ?? []) {
      one.setAttribute("cx", frame.at[0])
      one.setAttribute("cy", frame.at[1])
    }
    words.textContent = frame.words
    sliders.forEach((one, i) => {
      const value = data.knobs[i].values[Number(one.value)]
      one.nextElementSibling.textContent = value
      one.setAttribute("aria-valuetext", `${value}. ${frame.words}`)
    })
  }
}

/** Kinds of marks. Each takes its role and, where it never moves, what a frame would say of it. */
const MARKS = {
  // x1, y1, x2, y2, …
  line: (look, still) => marked(shape("polyline", `line-${look}`), points, still),
  area: (look, still) => marked(shape("polygon", `fill-${look}`), points, still),
  // x, y, x, y, …
  dots: (look, still, radius = 4) =>
    marked(shape("g", `fill-${look}`), (group, at) => {
      each(group, "circle", at.length / 2, (dot, i) => {
        dot.setAttribute("r", radius)
        dot.setAttribute("cx", at[2 * i])
        dot.setAttribute("cy", at[2 * i + 1])
      })
    }, still),
  // x, y, width, height, …
  bars: (look, still) =>
    marked(shape("g", `fill-${look}`), (group, at) => {
      each(group, "rect", at.length / 4, (bar, i) => {
        for (const [k, name] of ["x", "y", "width", "height"].entries()) {
          bar.setAttribute(name, at[4 * i + k])
        }
      })
    }, still),
  // x, y, words
  text: (look, still) =>
    marked(shape("text", look), (text, [x, y, words]) => {
      text.setAttribute("x", x)
      text.setAttribute("y", y)
      text.textContent = words
    }, still),
  // A byte a cell, an index of the palette; the box and the number of columns stay.
  cells: (look, still, [left, top, wide, high], columns, palette) =>
    marked(shape("g", `cells-${look}`), (group, text) => {
      const bytes = atob(text)
      const across = wide / columns
      const down = high / (bytes.length / columns)
      each(group, "rect", bytes.length, (cell, i) => {
        if (!cell.hasAttribute("x")) {
          cell.setAttribute("x", left + (i % columns) * across)
          cell.setAttribute("y", top + Math.floor(i / columns) * down)
          cell.setAttribute("width", across)
          cell.setAttribute("height", down)
        }
        cell.style.fill = palette[bytes.charCodeAt(i)]
      })
    }, still),
}

function marked(group, draw, still) {
  const put = (value) => draw(group, value)
  put.still = still !== null && still !== undefined
  if (put.still) put(still)
  return { node: group, put }
}

function points(line, at) {
  line.setAttribute("points", at.join(" "))
}

function each(group, kind, count, set) {
  while (group.childElementCount < count) group.append(shape(kind, ""))
  while (group.childElementCount > count) group.lastChild.remove()
  ;[...group.children].forEach(set)
}

function node(kind) {
  return document.createElement(kind)
}

function shape(kind, look) {
  const made = document.createElementNS(SVG, kind)
  if (look) made.setAttribute("class", look)
  return made
}

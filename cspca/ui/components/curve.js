/*
 * The course of a fit as an SVG: best objective so far, the lower bound dashed from its first
 * certificate on, and shaded, down to the last lower bound, what could still be gained. Colours and
 * sizes stand in attributes, so that what is saved of it looks the same.
 *
 * chart: lines, each with name, colour, x, best and bound (null before there is one); across, the
 * name of what runs along the bottom; log, whether in decades; seconds and iterations for the tip.
 */

const SVG = "http://www.w3.org/2000/svg"
const LETTER = 6.6 // Pixels of a digit, about.
const BELOW = 0.22 // Share of the height that is left below the limit.

function node(name, attributes, parent, text) {
  const made = document.createElementNS(SVG, name)
  for (const key in attributes) made.setAttribute(key, attributes[key])
  if (text !== undefined) made.textContent = text
  parent?.append(made)
  return made
}

/** Steps of 1, 2 or 5 that cut a range into about so many parts. */
function stepOf(span, parts) {
  const raw = span / parts
  const ten = 10 ** Math.floor(Math.log10(raw))
  return ten * ([1, 2, 5].find((one) => one * ten >= raw) ?? 10)
}

/** Where values stand upwards: evenly, or drawn apart near the limit where the gap is too small to be seen. */
function upwards(chart) {
  const seen = chart.lines.flatMap((line) => line.best.filter(Number.isFinite))
  const bounds = chart.lines.flatMap((line) => line.bound.filter(Number.isFinite))
  const top = Math.max(...seen)
  const last = Math.min(...seen)
  const floor = Math.min(bounds.length ? Math.max(...bounds) : last, last)
  // W = 0 has one value only: the axis must not repeat it.
  const span = Math.max(top - floor, 1e-3 * Math.abs(top), 1e-9)
  const gap = last - floor
  const tight = !chart.even && (gap > 0 ? gap < 0.03 * span && gap > 1e-9 * span : top > 3 * Math.abs(last))
  const soft = gap > 0 ? Math.max(gap, 1e-6 * span) : 0.02 * span
  const to = tight ? (v) => Math.asinh((v - floor) / soft) : (v) => (v - floor) / span
  const from = tight ? (t) => floor + soft * Math.sinh(t) : (t) => floor + span * t
  const high = to(floor + span)
  return { to, from, low: -BELOW * high, high: 1.06 * high, tight, floor }
}

function levels(scale, count) {
  if (!scale.tight) {
    const [low, high] = [scale.from(scale.low), scale.from(scale.high)]
    const step = stepOf(high - low, count)
    const found = []
    for (let at = Math.ceil(low / step); at * step <= high; at++) found.push(at * step)
    return { found, step }
  }
  const found = []
  let finest = Infinity
  for (let i = 0; i <= count; i++) {
    const at = scale.low + ((scale.high - scale.low) * (i + 0.5)) / (count + 1)
    const near = Math.abs(scale.from(at + 0.08 * scale.high) - scale.from(at - 0.08 * scale.high))
    const step = stepOf(near, 2)
    const value = step * Math.round(scale.from(at) / step)
    if (value !== found.at(-1)) found.push(value)
    finest = Math.min(finest, step)
  }
  return { found, step: finest }
}

function drawCurve(svg, chart, across, down, ink) {
  svg.replaceChildren()
  // For a room all of it is drawn larger.
  const [width, height] = [across / ink.larger, down / ink.larger]
  const sizes = { width: across, height: down, viewBox: `0 0 ${width} ${height}`, "font-size": 11.5, "font-family": ink.font }
  for (const key in sizes) svg.setAttribute(key, sizes[key])
  const lines = chart.lines.filter((line) => line.best.some(Number.isFinite))
  if (!lines.length) {
    const at = { x: width / 2, y: height / 2, "text-anchor": "middle", fill: ink.quiet }
    node("text", at, svg, "Waiting for the first iteration")
    return null
  }
  const scale = upwards({ ...chart, lines })
  const ticks = levels(scale, height > 190 ? 5 : 4)
  const digits = Math.max(0, -Math.floor(Math.log10(ticks.step) + 1e-9))
  const said = (v) => v.toLocaleString("en-GB", { maximumFractionDigits: Math.min(digits, 12), minimumFractionDigits: Math.min(digits, 12) })
  const longest = Math.max(...ticks.found.map((v) => said(v).length))
  const box = { left: longest * LETTER + 8, right: width - 10, top: 6, bottom: height - 34 }

  const xs = lines.flatMap((line) => line.x)
  const ends = [Math.min(...xs), Math.max(...xs)].map(chart.log ? Math.log10 : Number)
  if (!chart.log && chart.across !== "Iteration") ends[0] = 0
  const wide = ends[1] - ends[0] || 1
  const x = (v) => box.left + (((chart.log ? Math.log10(v) : v) - ends[0]) / wide) * (box.right - box.left)
  const tall = scale.high - scale.low
  const y = (v) => {
    const share = Math.max(0, (scale.to(v) - scale.low) / tall)
    return box.bottom - share * (box.bottom - box.top)
  }

  for (const v of ticks.found) {
    if (y(v) > box.bottom - 1) continue
    node("line", { x1: box.left, x2: box.right, y1: y(v), y2: y(v), stroke: ink.line }, svg)
    node("text", { x: box.left - 6, y: y(v) + 4, "text-anchor": "end", fill: ink.quiet }, svg, said(v))
  }
  node("line", { x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom, stroke: ink.quiet }, svg)
  for (const v of along(ends, chart, (box.right - box.left) / 56)) {
    const anchor = x(v) > box.right - 8 ? "end" : "middle"
    const place = { x: Math.min(x(v), box.right + 8), y: box.bottom + 15, "text-anchor": anchor, fill: ink.quiet }
    node("text", place, svg, number(v))
  }

  // The best limit of any line, by where it was proved: no W is below it.
  const proofs = lines.filter((line) => line.bound.some(Number.isFinite))
  const proof = proofs.sort((one, other) => one.best.at(-1) - other.best.at(-1))[0]
  const main = proof ?? lines[0]
  if (!chart.even) {
    // What is proven in the end holds from the beginning: below it nothing can be gained.
    const ground = proof ? y(scale.floor) : box.bottom
    const area = main.x.map((v, i) => `${i ? "L" : "M"}${x(v)},${y(main.best[i])}`).join("")
    const limit = { y1: ground, y2: ground, stroke: main.colour, "stroke-width": 1, "stroke-dasharray": "1 3" }
    if (proof) node("line", { x1: box.left, x2: box.right, ...limit }, svg)
    node("path", { d: `${area}V${ground}H${x(main.x[0])}Z`, fill: main.colour, opacity: 0.13 }, svg)
  }
  for (const line of lines) {
    const from = line.bound.findIndex(Number.isFinite)
    const best = line.x.map((v, i) => `${i ? "L" : "M"}${x(v)},${y(line.best[i])}`).join("")
    const drawn = { fill: "none", stroke: line.colour, "stroke-linejoin": "round" }
    if (from >= 0) {
      let d = chart.even ? "" : `M${x(line.x[from])},${box.bottom}`
      line.bound.forEach((v, i) => {
        if (i < from) return
        if (chart.even) d += `${d ? "L" : "M"}${x(line.x[i])},${y(v)}`
        else d += `H${x(line.x[i])}V${y(v)}`
      })
      node("path", { ...drawn, d, "stroke-width": 1.5, "stroke-dasharray": "5 3", class: "bound" }, svg)
    }
    node("path", { ...drawn, d: best, "stroke-width": 2.25, class: "best" }, svg)
    if (chart.even) continue
    for (const v of [line.best.at(-1), line.bound.at(-1)].filter(Number.isFinite)) {
      node("circle", { cx: x(line.x.at(-1)), cy: y(v), r: 3, fill: line.colour }, svg)
    }
  }

  const gain = proof && main.proven.at(-1)
  const place = { x: box.right - 6, y: y(scale.floor) + 14, "text-anchor": "end", fill: ink.text, stroke: ink.page, "stroke-width": 3, "paint-order": "stroke" }
  if (gain && !chart.even) node("text", place, svg, gain)

  if (scale.tight) {
    const corner = { x: box.right, y: box.top + 9, "text-anchor": "end", fill: ink.quiet }
    node("text", corner, svg, "drawn larger towards the limit")
  }

  // What is what, in one line below, or two on a phone.
  const key = lines.map((line) => [lines.length > 1 ? line.name : chart.even ? "Objective" : "Best objective", line.colour, ""])
  if (proof) key.push(["Lower bound", lines.length > 1 ? ink.quiet : proof.colour, "5 3"])
  let at = 0
  node("text", { x: width, y: height - 3, "text-anchor": "end", fill: ink.quiet }, svg, chart.across)
  for (const [name, colour, dash] of key) {
    node("line", { x1: at, x2: at + 16, y1: height - 7, y2: height - 7, stroke: colour, "stroke-width": 2, "stroke-dasharray": dash }, svg)
    node("text", { x: at + 20, y: height - 3, fill: ink.text }, svg, name)
    at += 30 + 5.6 * name.length
  }

  const marker = node("g", { display: "none" }, svg)
  node("line", { y1: box.top, y2: box.bottom, stroke: ink.text, "stroke-width": 1 }, marker)
  const dots = lines.map((line) => node("circle", { r: 4, fill: line.colour, stroke: ink.page, "stroke-width": 1.5 }, marker))
  return {
    box,
    /** Put the marker at a value, or take it away; returns what stands there of each line. */
    mark(value) {
      marker.setAttribute("display", value === null ? "none" : "inline")
      if (value === null) return []
      marker.firstChild.setAttribute("x1", x(value))
      marker.firstChild.setAttribute("x2", x(value))
      return lines.map((line, k) => {
        let i = line.x.findIndex((v) => v > value)
        i = Math.max(0, (i < 0 ? line.x.length : i) - 1)
        dots[k].setAttribute("cx", x(value))
        dots[k].setAttribute("cy", y(line.best[i]))
        return { line, i }
      })
    },
    /** The point nearest to a place on the screen. */
    nearest(px) {
      const from = (v) => Math.abs(x(v) - px / ink.larger)
      let found = null
      for (const v of xs) if (found === null || from(v) < from(found)) found = v
      return [found, ink.larger * x(found)]
    },
  }
}

/** Round numbers along the bottom, whole ones where iterations are counted. */
function along(ends, chart, most) {
  const found = []
  if (chart.log) {
    for (let ten = Math.floor(ends[0]); ten <= ends[1]; ten++) {
      for (const one of most > 6 ? [1, 2, 5] : [1, 3]) {
        const at = ten + Math.log10(one)
        if (at >= ends[0] - 1e-9 && at <= ends[1] + 1e-9) found.push(one * 10 ** ten)
      }
    }
    return found
  }
  const whole = chart.across === "Iteration"
  const step = Math.max(stepOf(ends[1] - ends[0] || 1, Math.max(2, most)), whole ? 1 : 0)
  for (let at = Math.ceil(ends[0] / step); at * step <= ends[1] + 1e-9; at++) found.push(at * step)
  return found
}

/*
 * The tour: a small card beside the thing it speaks of, and a ring around that. The page below
 * stays in use; Escape, the cross and the last button end it. Text goes in through textContent.
 */

const tours = new WeakMap()
const MARGIN = 12
const HEADER = 70 // Pixels of the page's own bar.
const NARROW = 640 // Pixels under which the card lies at the foot of the screen.
const LOOKS = 200 // Milliseconds between two looks at where things are: pages are drawn in parts.

export default function ({ parentElement, data, setTriggerValue }) {
  const root = parentElement.querySelector(".tour")
  if (!root || !data) return undefined
  if (!tours.has(root)) tours.set(root, tourOn(root))
  const tour = tours.get(root)
  tour.update(data, setTriggerValue)
  return () => {
    tour.leave()
    tours.delete(root)
  }
}

function tourOn(root) {
  const part = (name) => root.querySelector(`.${name}`)
  const [ring, card, back, next, links] = ["ring", "card", "back", "next", "links"].map(part)
  const before = document.activeElement
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches
  let data, tell, timer
  let step = 0
  let sought = false

  function update(given, setTriggerValue) {
    const first = !data
    data = given
    tell = setTriggerValue
    step = Math.min(step, data.steps.length - 1)
    if (!first) return say()
    root.showPopover?.()
    links.replaceChildren(...data.links.map(linkTo))
    document.addEventListener("keydown", byKey)
    document.addEventListener("scroll", place, true)
    addEventListener("resize", place)
    timer = setInterval(place, LOOKS)
    say()
    next.focus({ preventScroll: true })
  }

  function linkTo(words, number) {
    const button = document.createElement("button")
    button.type = "button"
    button.textContent = words
    button.onclick = () => {
      leave()
      tell("chosen", number)
    }
    return button
  }

  function say() {
    const last = step === data.steps.length - 1
    part("count").textContent = `${step + 1} of ${data.steps.length}`
    part("title").textContent = data.steps[step].title
    part("words").textContent = data.steps[step].words
    next.textContent = last ? "Done" : "Next"
    back.hidden = step === 0
    links.hidden = !last
    place()
  }

  function go(by) {
    step += by
    if (step === data.steps.length) return end()
    sought = false
    say()
    if (back.hidden || by > 0) next.focus({ preventScroll: true })
  }

  /** What the step speaks of, as far as it is drawn. */
  function things() {
    return seek(data.steps[step].about).filter((one) => {
      const box = one.getBoundingClientRect()
      return box.width > 0 && box.height > 0 && box.right > 0 && box.left < innerWidth
    })
  }

  /** Elements of the page, or behind an arrow those inside its components. */
  function seek(selector) {
    const [outer, inner] = selector.split(" >>> ")
    const found = [...document.querySelectorAll(outer)]
    if (!inner) return found
    const hosts = found.flatMap((one) => [...one.querySelectorAll("*")])
    return hosts.flatMap((one) => [...(one.shadowRoot?.querySelectorAll(inner) ?? [])])
  }

  function around(found) {
    const boxes = found.map((one) => one.getBoundingClientRect())
    const most = (side) => Math.max(...boxes.map((box) => box[side]))
    const least = (side) => Math.min(...boxes.map((box) => box[side]))
    return { left: least("left"), top: least("top"), right: most("right"), bottom: most("bottom") }
  }

  function place() {
    const found = things()
    const narrow = innerWidth < NARROW
    const [wide, high] = [card.offsetWidth, card.offsetHeight]
    ring.hidden = found.length === 0
    let [left, top] = [(innerWidth - wide) / 2, innerHeight - high - MARGIN]
    if (found.length) {
      if (!sought) bring(found, narrow ? high : 0)
      const box = around(found)
      put(ring, box.left - 6, box.top - 6)
      ring.style.width = `${box.right - box.left + 12}px`
      ring.style.height = `${box.bottom - box.top + 12}px`
      if (!narrow) [left, top] = beside(box, wide, high) ?? [innerWidth - wide - MARGIN, top]
    }
    put(card, left, top)
    // It slides from step to step, not from nowhere.
    requestAnimationFrame(() => root.classList.add("moves"))
  }

  /** Scroll once to what is out of sight, on a phone between what stays at the top and the card. */
  function bring(found, below) {
    sought = true
    const box = around(found)
    let above = HEADER
    for (const one of below ? seek(data.stays) : [])
      if (!one.contains(found[0])) above += one.offsetHeight
    const room = innerHeight - below - MARGIN
    if (box.top >= above && box.bottom <= room) return
    const main = document.querySelector("[data-testid=stMain]")
    const most = box.top - above - MARGIN
    const top = box.top < above ? most : Math.min(most, box.bottom - room + MARGIN)
    main?.scrollBy({ top, behavior: calm ? "instant" : "smooth" })
  }

  /** The first of the sides of a box on which the card has room. */
  function beside(box, wide, high) {
    const inside = (at, size, room) => Math.max(MARGIN, Math.min(at, room - size - MARGIN))
    const gap = MARGIN + 6
    const along = { left: inside(box.left, wide, innerWidth), top: inside(box.top, high, innerHeight) }
    const places = {
      left: [box.left - wide - gap, along.top],
      right: [box.right + gap, along.top],
      above: [along.left, box.top - high - gap],
      below: [along.left, box.bottom + gap],
    }
    const fits = ([left, top]) =>
      left >= 4 && top >= 4 && left + wide <= innerWidth - 4 && top + high <= innerHeight - 4
    return data.steps[step].sides.map((side) => places[side]).find(fits)
  }

  function put(one, left, top) {
    one.style.left = `${Math.round(left)}px`
    one.style.top = `${Math.round(top)}px`
  }

  function byKey(event) {
    if (event.key === "Escape" && !event.defaultPrevented) end()
  }

  function leave() {
    clearInterval(timer)
    document.removeEventListener("keydown", byKey)
    document.removeEventListener("scroll", place, true)
    removeEventListener("resize", place)
    if (root.isConnected) root.hidePopover?.()
  }

  function end() {
    leave()
    if (before?.isConnected) before.focus({ preventScroll: true })
    tell("ended", true)
  }

  back.onclick = () => go(-1)
  next.onclick = () => go(1)
  part("close").onclick = end
  return { update, leave }
}

// Asks the server how far the work is that the page waits for, and has the page drawn anew when it is
// in another state than the one that was drawn. What bars show changes without that.
const askers = new WeakMap()
const AGAIN = 5000 // Milliseconds after which a wish to draw that came to nothing is sent once more.
const ACTED = 1000 // Milliseconds that the server may take to begin with what the visitor did.
const SENT = "button:not([aria-expanded]), label, input, [role=option], [role=slider]" // Is sent at once.
const VALUE = "[data-testid=stButton], [data-testid=stButtonGroup], [role=option], [data-testid=stSlider]"
const MOVES = ["Enter", " ", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"]
const HELD = 1000 // Milliseconds that a press on a link waits at most until the server begins.
const LOOK = 100 // Milliseconds after which the browser has put on another theme.

// When the visitor sent a value last, when the server last began to draw a page, or ended one for
// the next, and the link that waits for it.
let sentAt = -Infinity
let begunAt = 0
let held
const begins = new MutationObserver(() => (begunAt = performance.now()))

const runs = () => document.querySelector("[data-test-script-state=running]") !== null
// Light or dark, as the page is shown; figures and pictures are of the theme that they were drawn in.
const theme = () => getComputedStyle(document.querySelector("[data-testid=stApp]")).colorScheme

export default function ({ parentElement, data, setTriggerValue }) {
  if (!askers.has(parentElement)) askers.set(parentElement, asker())
  const its = askers.get(parentElement)
  its.update(data, setTriggerValue)
  return () => {
    its.leave()
    askers.delete(parentElement)
  }
}

// Each place has its own: the page before leaves its place when the next has its own already.
function asker() {
  let data, trigger, timer, looking, drawnAt, wished, wishedAt, recoloured
  let left = false
  let goesTo
  let quietUntil = 0
  let quietAtLeast = 0
  const signs = ["popstate", "click", "keydown", "pointerup", "change"]
  for (const sign of signs) addEventListener(sign, giveWay, true)
  begins.observe(document, { subtree: true, attributeFilter: ["data-test-script-state"] })

  // What the visitor did goes first. A press is lost where another request follows before the server
  // has begun with it; and until its page is there the browser names the page before in all that it
  // sends, which undoes a turn to another page, and Back (Streamlit 1.67).
  function giveWay(event) {
    const path = event.composedPath().filter((node) => node instanceof Element)
    const links = path.filter((node) => node instanceof HTMLAnchorElement)
    const turn = event.type === "popstate" ? location : event.type === "click" ? links[0] : undefined
    if (event.type === "click" && turn && holdPress(event, turn)) return
    if (turn) goesTo = turn.pathname
    const now = performance.now()
    const acts = event.type !== "keydown" || MOVES.includes(event.key)
    const hasValue = event.type === "change" || (acts && path.some((node) => node.matches(VALUE)))
    if (hasValue && !turn) sentAt = now
    if (event.type === "pointerup" || event.type === "change") return
    const sent = turn || path.some((node) => node.matches(SENT))
    quietUntil = Math.max(quietUntil, now + (sent ? AGAIN : ACTED))
    // The page that arrives next may be one that was being drawn before.
    if (runs() || wished) quietAtLeast = now + ACTED
  }

  // A turn to another page says nothing of fields: a value that was sent right before it, and that
  // the server has not begun with, is lost (Streamlit 1.67). The press is made again once it has, or
  // after a second.
  function holdPress(event, link) {
    const isNew = event.ctrlKey || event.metaKey || event.shiftKey || link.target === "_blank"
    const waits = () => begunAt < sentAt && performance.now() < sentAt + HELD
    if (!event.isTrusted || isNew || link.origin !== location.origin || !waits()) return false
    event.preventDefault()
    event.stopImmediatePropagation()
    const again = () => {
      if (waits()) return setTimeout(again, 20)
      if (held.isConnected) held.click()
      else location.assign(held.href)
      held = undefined
    }
    const isFirst = held === undefined
    held = link // The last press counts.
    if (isFirst) again()
    return true
  }

  function update(drawn, setTriggerValue) {
    if (goesTo === undefined || goesTo === location.pathname) {
      goesTo = undefined
      quietUntil = quietAtLeast
    }
    data = drawn
    trigger = setTriggerValue
    drawnAt = performance.now()
    wished = undefined
    clearTimeout(timer)
    timer = setTimeout(ask, 1000 * data.after)
    // The theme is part of what a component is given, so that this is called when it changes.
    clearTimeout(looking)
    looking = setTimeout(recolour, LOOK)
  }

  // Once for each theme: a server that took it for another would be asked for ever.
  function recolour() {
    const shown = theme()
    if (shown === data.theme) recoloured = undefined
    else if (shown !== recoloured && draw(shown)) recoloured = shown
  }

  // Whether the page is drawn anew for it.
  function draw(why) {
    const now = performance.now()
    // A page that is being drawn already will show it.
    if (runs() || now < quietUntil || (wished === why && now - wishedAt < AGAIN)) return false
    wished = why
    wishedAt = now
    trigger("changed", why)
    return true
  }

  async function ask() {
    const drawn = data
    let after = 2
    try {
      const answer = await fetch(drawn.address, { cache: "no-store" })
      const now = answer.ok ? await answer.json() : null
      // Drawn anew meanwhile, which asks for itself.
      if (left || drawn !== data) return
      if (now) {
        after = now.after
        dispatchEvent(new CustomEvent("cspca-work", { detail: now.bars }))
        const since = (performance.now() - drawnAt) / 1000
        if (now.state !== drawn.drawn.state) draw(now.state)
        else if (now.moved !== drawn.drawn.moved && since >= now.every) draw(now.state + now.moved)
      } else if (answer.status === 404) draw("forgotten")
    } catch {
      // The server is not to be reached: it is asked again.
    }
    if (left || drawn !== data) return
    timer = setTimeout(ask, 1000 * after)
    recolour()
  }

  function leave() {
    left = true
    clearTimeout(timer)
    clearTimeout(looking)
    for (const sign of signs) removeEventListener(sign, giveWay, true)
  }

  return { update, leave }
}

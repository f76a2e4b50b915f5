/*
 * The film bar: play, pause, scrub, speed, loop, and which film. It knows frames by their number
 * only; what a frame looks like is drawn by who holds the bar (stage.js).
 *
 * A film comes through a component of its own, once it has grown, not with every look at the fit;
 * all of a page stand on one shelf, by their keys.
 */

const shelf = (window.cspcaFilms ??= { films: new Map(), watch: new Set() })

const ALONG = { alpha: "α", beta: "β", iterations: "iteration" }
const SPEEDS = [0.5, 1, 2, 4]
const ANSWERED = 10_000 // Milliseconds that a frame which was let go is held for Python's answer.
const KEYS_REST = 500 // Milliseconds after the last key until it counts as let go.
const calm = matchMedia("(prefers-reduced-motion: reduce)")

function filmBar(box, on) {
  const part = (name) => box.querySelector(`.${name}`)
  const names = ["scrub", "marks", "play", "readout", "make", "stop", "loop"]
  const [scrub, marks, play, readout, make, stop, loop] = names.map(part)
  const tabs = [...box.querySelectorAll("[data-along]")]
  let film = null
  let offers = {}
  let along = "alpha"
  let home = 0 // The frame that the fit of the page is nearest to.
  let at = null // The frame that is held, or null: the fit itself is shown.
  let timer = null
  let playing = false
  let dragging = false
  let scrolling = false
  let speed = 1
  let queued = false
  let prefix = ""
  let asked = "" // The penalties of the page.
  let left = null // Those when a frame was let go, until Python has answered.

  const nearest = (index) => {
    let found = film.there[0]
    for (const one of film.there) if (Math.abs(one - index) < Math.abs(found - index)) found = one
    return found
  }
  const name = (value) => prefix + (along === "iterations" ? `iteration ${value}` : `${ALONG[along]} = ${number(value)}`)

  /** Show the frame that is held, at the next frame of the screen. */
  function show() {
    if (queued) return
    queued = true
    requestAnimationFrame(() => {
      queued = false
      if (film && at !== null) {
        const frame = nearest(at)
        on.show(film, film.there.indexOf(frame))
        say(frame)
      }
    })
  }

  function say(frame) {
    scrub.value = String(Math.round(at ?? frame))
    readout.textContent = name(film.values[frame])
    scrub.setAttribute("aria-valuetext", name(film.values[frame]))
  }

  function hold(index) {
    clearTimeout(timer)
    at = Math.min(Math.max(index, 0), film.values.length - 1)
    show()
  }

  /** Back to the fit of the page. */
  function release() {
    clearTimeout(timer)
    at = null
    pause()
    on.show(null)
    rest()
  }

  function pause() {
    playing = false
    play.setAttribute("aria-label", "Play")
    play.dataset.playing = "false"
  }

  function letGo() {
    if (at === null) return
    const frame = nearest(at)
    at = frame
    show()
    on.rest?.()
    if (along === "iterations") return
    if (frame === home) return release()
    left = { asked, until: Date.now() + ANSWERED }
    on.letGo(along, film.values[frame])
  }

  function start() {
    const last = film.values.length - 1
    // From the fit on, and once round to it again; over the iterations from the beginning to the end.
    let place = at ?? (along === "iterations" ? 0 : home)
    let round = place >= last
    if (round) place = 0
    let before = null
    playing = true
    play.setAttribute("aria-label", "Pause")
    play.dataset.playing = "true"
    const rate = Math.min(25, Math.max(2.5, (last + 1) / 8))
    const step = (now) => {
      if (!playing || !film) return
      place += before === null ? 0 : ((now - before) / 1000) * rate * speed * (calm.matches ? 0.5 : 1)
      before = now
      const once = loop.getAttribute("aria-pressed") !== "true"
      if (place > last + rate * 0.8) {
        if (once && along === "iterations") return pause()
        place = 0
        round = true
      } else if (once && round && place >= home && along !== "iterations") return release()
      hold(Math.floor(Math.min(place, last)))
      requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  }

  const toggle = () => {
    if (!playing) return start()
    pause()
    letGo()
  }
  play.onclick = toggle
  scrub.oninput = () => {
    if (playing) pause()
    scrolling = false
    hold(Number(scrub.value))
  }
  scrub.onpointerdown = () => (dragging = true)
  // A finger that turned out to scroll the page has chosen no frame.
  scrub.onpointercancel = () => {
    dragging = false
    scrolling = true
    release()
  }
  scrub.onchange = () => {
    if (scrolling) return
    clearTimeout(timer)
    if (dragging) letGo()
    else timer = setTimeout(letGo, KEYS_REST)
    dragging = false
  }
  box.onkeydown = (event) => {
    if (event.key === "Escape" && at !== null) {
      event.preventDefault()
      release()
    }
    if (event.key === " " && event.target === scrub) {
      event.preventDefault()
      toggle()
    }
  }
  loop.onclick = ({ currentTarget: one }) => {
    one.setAttribute("aria-pressed", String(one.getAttribute("aria-pressed") !== "true"))
  }
  part("speed").onclick = ({ currentTarget: one }) => {
    speed = SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length]
    one.textContent = `${speed === 0.5 ? "½" : speed}×`
    one.setAttribute("aria-label", `Speed ${speed}`)
  }
  for (const tab of tabs) {
    tab.onclick = () => {
      if (tab.dataset.along === along) return
      if (at !== null) release()
      along = tab.dataset.along
      if (!offers[along].there) wish(null)
      find()
    }
  }
  const wish = (made) => on.wish(along, made)
  make.onclick = () => wish(true)
  stop.onclick = () => wish(false)

  /** The bar while nothing is held: where the fit of the page is. */
  function rest() {
    if (!film) return
    // Over the iterations the fit is the last one.
    const now = offers[along].now ?? film.values.at(-1)
    home = nearestValue(film.values, now)
    scrub.value = String(home)
    readout.textContent = name(now)
    scrub.setAttribute("aria-valuetext", readout.textContent)
  }

  function find() {
    const offer = offers[along]
    film = shelf.films.get(offer?.key) ?? null
    if (!film?.there.length) film = null
    const [made, all] = film ? [film.there.length, film.values.length] : [0, 1]
    for (const tab of tabs) {
      tab.hidden = !offers[tab.dataset.along]
      tab.setAttribute("aria-checked", String(tab.dataset.along === along))
      tab.tabIndex = tab.dataset.along === along ? 0 : -1
    }
    make.hidden = made === all || !offer?.cost
    make.textContent = film ? `Go on (${made} of ${all})` : `Make the film (${offer?.cost})`
    // While a film is made, what stops that stands where it can be told to repeat: nothing moves.
    stop.hidden = made === all || !offer?.there
    loop.hidden = !stop.hidden
    for (const one of [play, scrub]) one.disabled = !film
    box.dataset.waiting = String(!film)
    scrub.setAttribute("aria-label", `Film along ${ALONG[along]}, ${made} of ${all} frames`)
    if (!film) {
      if (at !== null) release()
      readout.textContent = offer?.cost ? "" : "…"
      marks.getContext("2d").clearRect(0, 0, marks.width, marks.height)
      return
    }
    const count = film.values.length
    scrub.max = String(count - 1)
    if (at !== null) show()
    else rest()
    // Both solvers stand beside each other from the beginning: nothing moves under a hand.
    if (at === null && along === "iterations") hold(count - 1)
    drawMarks()
  }

  /** Below the track, where frames are there. */
  function drawMarks() {
    if (!film) return
    const ratio = window.devicePixelRatio || 1
    const wide = scrub.clientWidth
    marks.width = Math.round(wide * ratio)
    marks.height = Math.round(4 * ratio)
    const pen = marks.getContext("2d")
    pen.fillStyle = getComputedStyle(box).color
    pen.globalAlpha = 0.45
    const last = Math.max(1, film.values.length - 1)
    for (const one of film.there) pen.fillRect(ratio * (8 + (one / last) * (wide - 16)) - 0.5, 0, Math.max(1, ratio), 4 * ratio)
  }

  const arrived = () => find()
  shelf.watch.add(arrived)
  return {
    /** Which films there are of the fit on the page: by what they go along, with keys and costs. */
    offer(given, before, penalties, stale) {
      offers = given ?? {}
      prefix = before
      asked = penalties
      box.hidden = given === null
      if (box.hidden) return
      if (!Object.keys(offers).length) box.dataset.waiting = "none"
      if (!Object.keys(offers).length) return
      if (!offers[along]) along = Object.keys(offers)[0]
      find()
      // A frame that was let go stays until the page's own fit of it is there.
      const answered = left && (asked !== left.asked || Date.now() > left.until)
      if (at !== null && !playing && !dragging && answered && !stale) release()
      if (at === null) left = null
    },
    redraw: drawMarks,
    /** Let the keys move the film: arrows from frame to frame, Space plays it. */
    focus: () => scrub.focus(),
    release,
    get held() {
      return at !== null
    },
    close() {
      pause()
      clearTimeout(timer)
      shelf.watch.delete(arrived)
    },
  }
}

function nearestValue(values, wanted) {
  let found = 0
  values.forEach((value, i) => {
    if (Math.abs(value - wanted) < Math.abs(values[found] - wanted)) found = i
  })
  return found
}

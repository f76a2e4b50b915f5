// Films: a map or bars per solver, drawn from one byte per score, with play, pause and a slider.
(() => {
  "use strict"
  const PAUSE = 160 // Duration of a frame in milliseconds.
  const INK = "#1f2730" // Colour of a line on paper.
  const bytes = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  const number = (value) => (value === null ? "none yet" : value.toLocaleString("en-GB", { maximumSignificantDigits: 6 }))

  for (const root of document.querySelectorAll(".film")) {
    const film = JSON.parse(root.querySelector("script").textContent)
    const [rows, columns] = film.shape ?? [160, Math.min(film.count, 480)]
    const colours = bytes(film.colours)
    const canvases = [...root.querySelectorAll("canvas:not(.rebuilt)")]
    const scores = film.tracks.map((track) => bytes(track.scores))
    const rebuilt = root.querySelector(".rebuilt")
    const reconstruction = rebuilt && bytes(film.tracks[0].rebuilt)
    const [button, slider, output] = ["button", "input", "output"].map((tag) => root.querySelector(tag))
    let timer = null

    function paint(canvas, colour) {
      canvas.width = columns
      canvas.height = rows
      const image = new ImageData(columns, rows)
      for (let i = 0; i < rows * columns; i++) {
        const rgb = colour(i)
        if (rgb) image.data.set([...rgb, 255], 4 * i)
      }
      canvas.getContext("2d").putImageData(image, 0, 0)
    }

    /** Draw a sample along its axis, and over it what a frame rebuilds of it. */
    function trace(canvas, levels, ink) {
      const [first, last] = film.span
      const values = Array.from(levels, (level) => first + (level / 255) * (last - first))
      const low = Math.min(first, ...film.sample)
      const high = Math.max(last, ...film.sample)
      canvas.width = 2 * columns
      canvas.height = 2 * rows
      const context = canvas.getContext("2d")
      const line = (curve, colour) => {
        context.beginPath()
        curve.forEach((value, i) => {
          const share = high > low ? (value - low) / (high - low) : 0.5
          context.lineTo(((i + 0.5) / film.count) * canvas.width, (0.97 - 0.94 * share) * canvas.height)
        })
        context.strokeStyle = colour
        context.lineWidth = 2
        context.stroke()
      }
      line(film.sample, ink)
      line(values, film.rebuilt_colour)
    }

    /** Return a function from a pixel to its colour, of a map or of bars. */
    function colouring(levels) {
      const top = levels.reduce((most, level) => Math.max(most, level), 1)
      const of = (level) => {
        const at = level && Math.max(1, Math.round((255 * level) / top))
        return colours.subarray(3 * at, 3 * at + 3)
      }
      if (film.shape) return (i) => of(levels[i])
      const each = film.count / columns
      const bars = Array.from({ length: columns }, (_, k) =>
        levels.subarray(Math.floor(k * each), Math.ceil((k + 1) * each)).reduce((most, level) => Math.max(most, level), 0),
      )
      return (i) => {
        const level = bars[i % columns]
        return (rows - Math.floor(i / columns)) / rows <= level / top ? of(level) : null
      }
    }

    function draw(ink = getComputedStyle(root).color) {
      const at = Number(slider.value)
      const part = (all) => all.subarray(at * film.count, (at + 1) * film.count)
      const value = film.values[film.there[at]]
      const penalty = film.along === "alpha" ? "α" : "β"
      const steps = `after ${value} iteration${value === 1 ? "" : "s"}`
      output.textContent = film.along === "iterations" ? steps : `${penalty} = ${value} ${film.unit}`
      slider.setAttribute("aria-valuetext", output.textContent)
      film.tracks.forEach((track, k) => {
        paint(canvases[k], colouring(part(scores[k])))
        const words = `${number(track.used[at])} of ${number(film.count)} ${film.features} in use`
        canvases[k].setAttribute("aria-label", `${track.title}: ${words}`)
        canvases[k].parentElement.querySelector(".numbers").textContent = `${words}, objective ${number(track.objective[at])}, lower bound ${number(track.bound[at])}`
      })
      const levels = reconstruction && part(reconstruction)
      if (reconstruction && film.span) trace(rebuilt, levels, ink)
      else if (reconstruction) paint(rebuilt, (i) => [levels[i], levels[i], levels[i]])
    }

    function play(on) {
      clearInterval(timer)
      timer = on ? setInterval(step, PAUSE) : null
      button.textContent = on ? "Pause" : "Play"
    }

    function step() {
      slider.value = slider.value === slider.max ? 0 : Number(slider.value) + 1
      draw()
      if (slider.value === slider.max) play(false)
    }

    button.addEventListener("click", () => play(timer === null))
    slider.addEventListener("input", () => {
      play(false)
      draw()
    })
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw())
    addEventListener("beforeprint", () => draw(INK))
    addEventListener("afterprint", () => draw())
    draw()
  }
})()

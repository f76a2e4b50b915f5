/*
 * What the stage draws, made of a frame of a film, or of two fits held against each other: the same
 * fields as those of the fit of the page. Of a film scores are as exact as 8 bits.
 */

const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16))

const precise = (value, digits = 7) => value.toLocaleString("en-GB", { maximumSignificantDigits: digits })

/** Scores in the colours of a table, from low to high; exact zeros in their own, if there is one. */
function coloured(scores, low, high, table, zero) {
  const colours = new Uint8ClampedArray(4 * scores.length).fill(255)
  const steps = 255 / (high - low || 1)
  scores.forEach((score, i) => {
    const from = 3 * Math.max(1, Math.round(steps * (score - low)))
    for (let k = 0; k < 3; k++) colours[4 * i + k] = zero && !score ? zero[k] : table[from + k]
  })
  return colours
}

/** A frame of a film, held against what is pinned. */
function frameOf(film, index, data) {
  if (!film.made || film.against !== data.pinned?.name) film.made = []
  film.against = data.pinned?.name
  film.made[index] ??= made(film, index, data)
  return film.made[index]
}

function made(film, index, data) {
  film.chart ??= chartOf(film, data)
  const of = (array) => array.subarray(index * data.count, (index + 1) * data.count)
  const scores = film.tracks.map((track, k) => Float32Array.from(of(track.scores), (level) => (level / 255) * track.top))
  // Of the strongest of its own, as the page's map: where the film is let go no colour jumps.
  const high = scores.reduce((most, one) => one.reduce((a, b) => Math.max(a, b), most), 0)
  const zero = channels(data.zero_colour)
  const views = film.tracks.map((track, k) => ({
    scores: scores[k],
    colours: coloured(scores[k], 0, high, film.colours, zero),
    low: 0,
    high,
    words: `${track.title}: ${whole(track.used[index])} in use, objective ${precise(track.objective[index], 6)}`,
  }))
  // The certified solver is the last one.
  const view = views.pop()
  const track = film.tracks.at(-1)
  Object.assign(view, {
    value: film.values[film.there[index]],
    others: views,
    rebuilt: track.rebuilt && rebuiltOf(of(track.rebuilt), film.span),
    body: film.bodies?.[index],
    numbers: numbersOf(track, index, data),
    zeros: view.scores.reduce((count, score) => count + (score === 0), 0),
    chart: film.chart,
  })
  if (views.length) view.numbers.unshift([track.title, "", ["This map, and these numbers."]])
  else if (data.pinned) compare(view, data)
  return view
}

/** Values of a curve, which its levels run over; the levels themselves of an image. */
function rebuiltOf(levels, span) {
  if (!span) return levels
  const [low, high] = span
  return Float32Array.from(levels, (level) => low + (level / 255) * (high - low))
}

function numbersOf(track, index, data) {
  const [used, rank, objective, limit] = data.numbers ?? []
  // The numbers that are put in are those of the fit, not of a frame.
  const means = (of) => (of ? [of[2][0], of[2][1], "", of[2][3]] : [])
  return [
    [used?.[0] ?? "in use", `${whole(track.used[index])} of ${whole(data.count)}`, means(used)],
    ["rank", track.rank[index] === null ? "–" : whole(track.rank[index]), means(rank)],
    ["objective", precise(track.objective[index], 6), means(objective), true],
    ["lower bound", track.bound[index] > 0 ? precise(track.bound[index], 6) : "–", means(limit), true],
  ]
}

/** The objective of all frames with their limits, and over iterations the best of them so far. */
function chartOf(film, data) {
  const even = film.along !== "iterations"
  const across = { alpha: "α", beta: "β" }[film.along] ?? "Iteration"
  const x = film.there.map((one) => film.values[one])
  const lines = film.tracks.map((track) => {
    let [best, bound] = [track.objective, track.bound.map((one) => (one > 0 ? one : null))]
    if (!even) {
      best = best.map((one, i) => Math.min(...best.slice(0, i + 1)))
      bound = bound.map((one, i) => Math.max(...bound.slice(0, i + 1)) || null)
      // One limit holds for both: it is drawn with the certified solver.
      if (track !== film.tracks.at(-1)) bound = bound.map(() => null)
    }
    return { name: even ? "Objective" : track.title, colour: track.colour, x, best, bound, proven: track.proven }
  })
  const title = even ? film.title : "Who comes closer, and how fast?"
  return { title, alt: title, across, log: even, even, lines, quiet: data.course?.quiet }
}

/** Hold a view, B, against the pinned fit, A: both and A − B, on one scale, and what they share. */
function compare(view, data) {
  const pinned = data.pinned
  pinned.read ??= decode(pinned.scores, Float32Array)
  const a = pinned.read
  const b = view.scores.map((score) => score || 0)
  const change = a.map((score, i) => score - b[i])
  let [high, reach, both, onlyA, onlyB] = [0, 0, 0, 0, 0]
  for (let i = 0; i < data.count; i++) {
    high = Math.max(high, a[i], b[i])
    reach = Math.max(reach, Math.abs(change[i]))
    both += a[i] > 0 && b[i] > 0
    onlyA += a[i] > 0 && b[i] === 0
    onlyB += a[i] === 0 && b[i] > 0
  }
  const zero = channels(data.zero_colour)
  const coloursOf = (scores) => coloured(scores, 0, high, pinned.colours, zero)
  let words = "A − B: no difference yet. Move α or β, and B follows"
  if (reach) words = `A − B, up to ${number(reach)}: orange where A has more, blue where B has more`
  const turned = coloured(change, -reach, reach, pinned.signed)
  const numbers = view.numbers.map(([name, value, meaning, folded], i) => {
    const of = pinned.numbers[i]
    return [of ? `${name}, A → B` : name, of ? `${of} → ${value}` : value, meaning, folded]
  })
  const all = both + onlyA + onlyB
  const share = all ? ` (${Math.round((100 * both) / all)} %)` : ""
  const meaning = ["Used by both, of all that either uses; then by A alone and by B alone."]
  // They are what a comparison is for: before those that are folded away.
  const shared = [["in both", `${whole(both)} of ${whole(all)}${share}`, meaning]]
  shared.push(["only A", whole(onlyA), meaning], ["only B", whole(onlyB), meaning])
  const first = numbers.findIndex(([, , , folded]) => folded)
  numbers.splice(first < 0 ? numbers.length : first, 0, ...shared)
  const others = [
    { scores: a, colours: coloursOf(a), low: 0, high, words: pinned.name },
    { scores: change, colours: turned, low: -reach, high: reach, words },
  ]
  Object.assign(view, { colours: coloursOf(b), low: 0, high, others, numbers })
}

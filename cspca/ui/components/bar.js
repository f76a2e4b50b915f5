// How far a piece of work is, in words and as a bar; kept up to date by what `follow` hears.
const bars = new WeakMap()

export default function ({ data, parentElement }) {
  if (!bars.has(parentElement)) bars.set(parentElement, barIn(parentElement))
  const bar = bars.get(parentElement)
  bar.update(data)
  return () => {
    bar.leave()
    bars.delete(parentElement)
  }
}

function barIn(root) {
  const words = root.querySelector("p")
  const track = root.querySelector(".track")
  const done = root.querySelector(".done")
  let name

  function show(share, text) {
    const percent = Math.round(100 * Math.min(1, Math.max(0, share)))
    words.textContent = text
    done.style.width = `${percent}%`
    track.setAttribute("aria-valuenow", percent)
    track.setAttribute("aria-label", text)
  }

  function update(data) {
    // What ended is said by the page alone: an answer of before may still be under way.
    name = data.active ? data.name : undefined
    show(data.share, data.words)
  }

  const hear = ({ detail }) => detail[name] && show(...detail[name])
  addEventListener("cspca-work", hear)
  return { update, leave: () => removeEventListener("cspca-work", hear) }
}

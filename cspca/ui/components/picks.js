/*
 * Pictures side by side, each a button: the one that is pressed is told to the server by its number.
 * Text goes in through textContent.
 */

const drawn = new WeakMap()

export default function ({ parentElement, data, setTriggerValue }) {
  const root = parentElement.querySelector(".picks")
  if (!root || !data) return
  root.setAttribute("aria-label", data.label)
  root.classList.toggle("stale", data.stale)
  // The same pictures stay, and with them the keyboard's place.
  const known = JSON.stringify(data.items)
  if (drawn.get(root) !== known) {
    drawn.set(root, known)
    root.replaceChildren(...data.items.map(one))
  }
  data.items.forEach((item, at) => {
    const button = root.children[at]
    button.setAttribute("aria-pressed", String(item.number === data.picked))
    button.onclick = () => setTriggerValue("picked", item.number)
  })
}

function one(item) {
  const button = document.createElement("button")
  button.type = "button"
  button.dataset.kind = item.kind
  const picture = document.createElement("img")
  picture.src = item.source
  picture.alt = item.alt
  const words = document.createElement("span")
  words.textContent = item.words
  button.append(picture, words)
  return button
}

/*
 * Pictures side by side, each a button: the one that is pressed is told to the server by its number.
 * Text goes in through textContent.
 */

const drawn = new WeakMap()

export default function ({ parentElement, data, setTriggerValue }) {
  const root = parentElement.querySelector(".picks")
  if (!root || !data) return
  const { label, stale, picked, items } = opened(data)
  root.setAttribute("aria-label", label)
  root.classList.toggle("stale", stale)
  // The same pictures stay, and with them the keyboard's place.
  const known = JSON.stringify(items, (_, value) => (ArrayBuffer.isView(value) ? String(value) : value))
  if (drawn.get(root) !== known) {
    drawn.set(root, known)
    root.replaceChildren(...items.map(one))
  }
  items.forEach((item, at) => {
    const button = root.children[at]
    button.setAttribute("aria-pressed", String(item.number === picked))
    button.onclick = () => setTriggerValue("picked", item.number)
  })
}

function one(item) {
  const button = document.createElement("button")
  button.type = "button"
  button.dataset.kind = item.kind
  const picture = document.createElement("img")
  picture.src = URL.createObjectURL(new Blob([item.png], { type: "image/png" }))
  picture.onload = () => URL.revokeObjectURL(picture.src)
  picture.alt = item.alt
  const words = document.createElement("span")
  words.textContent = item.words
  button.append(picture, words)
  return button
}

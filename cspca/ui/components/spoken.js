// Mends what Streamlit tells wrongly, or not at all, those who hear a page.
let waits = false

export default function () {
  mend()
  const observer = new MutationObserver(() => {
    if (waits) return
    waits = true
    setTimeout(mend, 50)
  })
  const attributeFilter = ["aria-labelledby", "href"]
  observer.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter })
  return () => observer.disconnect()
}

function mend() {
  waits = false
  // The menu shows which page this is by a shade alone.
  const here = location.pathname.split("/").pop()
  for (const link of document.querySelectorAll(".st-key-page_menu a")) {
    const current = link.getAttribute("href").split("?")[0] === here
    if (current !== link.hasAttribute("aria-current")) {
      if (current) link.setAttribute("aria-current", "page")
      else link.removeAttribute("aria-current")
    }
  }
  // A slider is named by its label and by its group, which has the same one: heard twice.
  for (const knob of document.querySelectorAll("input[type=range][aria-label][aria-labelledby]"))
    knob.removeAttribute("aria-labelledby")
}

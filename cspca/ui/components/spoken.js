// Mends what Streamlit tells wrongly, or not at all, those who hear a page. What has become another
// page at the same address is shown from its top.
let waits = false

export default function () {
  mend()
  const observer = new MutationObserver(() => {
    if (waits) return
    waits = true
    setTimeout(mend, 50)
  })
  const attributeFilter = ["aria-labelledby"]
  observer.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter })
  return () => observer.disconnect()
}

function mend() {
  waits = false
  const presents = document.querySelector(".st-key-present_button")?.textContent
  const stands = `${presents} ${document.querySelector(".st-key-class_panel") !== null}`
  // On the window: of this script there may be another copy by then.
  if (presents && (window.cspcaStands ??= stands) !== stands) {
    window.cspcaStands = stands
    document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0)
  }
  // A slider is named by its label and by its group, which has the same one: heard twice.
  for (const knob of document.querySelectorAll("input[type=range][aria-label][aria-labelledby]"))
    knob.removeAttribute("aria-labelledby")
}

// Mends what Streamlit tells wrongly, or not at all, those who hear a page; and shuts its menu on a
// phone, where it lies over the page that was chosen. What has become another page at the same
// address is shown from its top.
let waits = false
const phone = matchMedia("(max-width: 768px), (max-height: 500px)")
const lying = matchMedia("(orientation: landscape)")

export default function () {
  mend()
  shut()
  const chosen = (event) => event.target.closest("[data-testid=stSidebarNav] a") && shut()
  // Streamlit opens it when there is room, and that is after it has heard of the turn.
  const turned = () => setTimeout(shut, 300)
  document.addEventListener("click", chosen)
  lying.addEventListener("change", turned)
  const observer = new MutationObserver(() => {
    if (waits) return
    waits = true
    setTimeout(mend, 50)
  })
  const attributeFilter = ["aria-labelledby"]
  observer.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter })
  return () => {
    observer.disconnect()
    document.removeEventListener("click", chosen)
    lying.removeEventListener("change", turned)
  }
}

function shut() {
  if (phone.matches) document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click()
}

function mend() {
  waits = false
  const hasClass = document.querySelector(".st-key-class_panel") !== null
  // On the window: of this script there may be another copy by then.
  if ((window.cspcaHasClass ??= hasClass) !== hasClass) {
    window.cspcaHasClass = hasClass
    document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0)
  }
  // A slider is named by its label and by its group, which has the same one: heard twice.
  for (const knob of document.querySelectorAll("input[type=range][aria-label][aria-labelledby]"))
    knob.removeAttribute("aria-labelledby")
}

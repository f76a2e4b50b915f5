// Says that a proxy refused an upload as too large, which the uploader shows as a bare status: the
// server never hears of that request. A click elsewhere or Escape closes the sentence.
const UPLOAD = /\/_stcore\/upload_file\//

export default function ({ data, parentElement }) {
  const box = parentElement.querySelector(".refused")
  const observer = new PerformanceObserver((list) => {
    const uploads = list.getEntries().filter((entry) => UPLOAD.test(entry.name))
    if (uploads.some((entry) => entry.responseStatus === 413)) {
      box.textContent = data
      box.showPopover()
    }
  })
  observer.observe({ type: "resource" })
  return () => observer.disconnect()
}

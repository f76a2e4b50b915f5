/* The QR code of a text; `qrCode` is in qr.js, which is put below. */

const QUIET = 4 // Modules that are left white around it, as the standard asks.

export default function ({ parentElement, data }) {
  const canvas = parentElement.querySelector(".qr")
  if (!canvas || !data || canvas.dataset.text === data.text) return
  const rows = qrCode(data.text)
  canvas.hidden = rows === null
  if (rows === null) return
  canvas.dataset.text = data.text
  canvas.setAttribute("aria-label", data.label)
  canvas.width = canvas.height = rows.length + 2 * QUIET
  const context = canvas.getContext("2d")
  context.fillStyle = "#fff"
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.fillStyle = "#000"
  for (const [y, row] of rows.entries()) {
    for (const [x, dark] of row.entries()) if (dark) context.fillRect(x + QUIET, y + QUIET, 1, 1)
  }
}

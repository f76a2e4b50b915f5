/* The QR code of a text; `drawQr` is in qr.js, which is put below. */

export default function ({ parentElement, data }) {
  const svg = parentElement.querySelector(".qr")
  if (svg && data && svg.dataset.text !== data.text) drawQr(svg, data.text, data.label)
}

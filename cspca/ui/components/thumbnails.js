/* Puts the small pictures of a data set on a shelf of the page, where the cloud finds them. */

export default function ({ data }) {
  const { of, ...pictures } = opened(data)
  const shelf = (window.cspcaThumbnails ??= new Map())
  if (shelf.has(of)) return
  shelf.set(of, pictures)
  if (shelf.size > 3) shelf.delete(shelf.keys().next().value)
  dispatchEvent(new Event("cspca-thumbnails"))
}

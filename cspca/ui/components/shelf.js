/* Puts a film that has grown on the shelf of the page, where the stage finds it. */

export default function ({ data }) {
  const { key, film, serial } = opened(data)
  const { films, watch } = (window.cspcaFilms ??= { films: new Map(), watch: new Set() })
  if (films.get(key)?.serial === serial) return
  films.delete(key)
  films.set(key, { ...film, serial })
  if (films.size > 12) films.delete(films.keys().next().value)
  for (const tell of watch) tell()
}

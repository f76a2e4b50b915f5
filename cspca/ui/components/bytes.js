/** What Python packed (`packed` in components/__init__.py), its arrays as bytes. */
function opened(message) {
  const view = new DataView(message.buffer, message.byteOffset)
  const start = 4 + view.getUint32(0, true)
  const head = new TextDecoder().decode(message.subarray(4, start))
  const arrayOf = (value) => message.subarray(start + value.from, start + value.to)
  return JSON.parse(head, (_, value) => (value?.is === "array" ? arrayOf(value) : value))
}

/** Numbers of a type, of bytes that may begin anywhere. */
const decode = (bytes, type) => new type(bytes.slice().buffer)

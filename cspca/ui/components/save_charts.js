// Saves the charts of the page as pictures: see charts.py.
export default function ({ data: [data], parentElement }) {
  const list = parentElement.querySelector(".charts")
  const said = parentElement.querySelector(".said")
  list.setAttribute("aria-label", "Charts as images")
  list.replaceChildren(
    ...data.charts.map((chart) => {
      const line = document.createElement("div")
      line.className = "chart"
      const words = document.createElement("span")
      words.textContent = chart.label
      line.append(words)
      for (const format of ["png", "svg"]) {
        const button = document.createElement("button")
        button.type = "button"
        button.textContent = format.toUpperCase()
        button.setAttribute("aria-label", `${chart.label} as ${format.toUpperCase()}`)
        button.onclick = () => save(chart, format)
        line.append(button)
      }
      return line
    }),
  )

  async function save(chart, format) {
    said.textContent = ""
    // A chart is drawn a moment after the page that holds it: wait for it, two seconds at most.
    let plot, marks
    for (let tries = 0; tries < 20 && !plot && !marks; tries++) {
      if (tries) await new Promise((done) => setTimeout(done, 100))
      const box = document.querySelector(`.st-key-${CSS.escape(chart.box)}`)
      plot = box?.querySelector(".js-plotly-plot")
      const own = [...(box?.querySelectorAll("*") ?? [])].find((one) => one.shadowRoot)
      marks = own?.shadowRoot.querySelector("svg.curve")
    }
    try {
      if (plot) savePlot(plot, chart.name, format)
      else if (marks) await saveMarks(marks, chart.name, format)
      else said.textContent = `${chart.label} is not drawn just now.`
    } catch {
      said.textContent = `${chart.label} could not be saved: try the other format.`
    }
  }

  // Plotly draws a copy of the chart at once, so what is changed here can be put back at once.
  function savePlot(plot, name, format) {
    const options = plot._context.toImageButtonOptions
    const before = { ...options }
    const paper = plot.layout.paper_bgcolor
    Object.assign(options, { format, filename: name, scale: format === "svg" ? 1 : data.scale })
    plot.layout.paper_bgcolor = data.page
    try {
      plot.querySelector(".modebar-btn").click()
    } finally {
      Object.assign(options, before)
      plot.layout.paper_bgcolor = paper
    }
  }

  async function saveMarks(marks, name, format) {
    const copy = marks.cloneNode(true)
    const { width, height } = marks.getBoundingClientRect()
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg")
    copy.setAttribute("width", width)
    copy.setAttribute("height", height)
    const page = document.createElementNS("http://www.w3.org/2000/svg", "rect")
    page.setAttribute("width", "100%")
    page.setAttribute("height", "100%")
    page.setAttribute("fill", data.page)
    copy.prepend(page)
    const text = new XMLSerializer().serializeToString(copy)
    const file = new Blob([text], { type: "image/svg+xml" })
    if (format === "svg") return offer(file, `${name}.svg`)
    const image = new Image()
    image.src = URL.createObjectURL(file)
    await image.decode()
    URL.revokeObjectURL(image.src)
    const canvas = document.createElement("canvas")
    canvas.width = Math.round(width * data.scale)
    canvas.height = Math.round(height * data.scale)
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height)
    offer(await new Promise((resolve) => canvas.toBlob(resolve, "image/png")), `${name}.png`)
  }

  function offer(file, name) {
    const link = document.createElement("a")
    link.href = URL.createObjectURL(file)
    link.download = name
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
  }
}

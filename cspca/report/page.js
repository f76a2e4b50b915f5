(() => {
  "use strict"
  const SHEET = 680 // Width of the text of a sheet of A4 or Letter in pixels.
  const TALLEST = 850 // Height of a chart that a sheet of Letter holds below its title.
  const atNight = matchMedia("(prefers-color-scheme: dark)")
  const stem = document.documentElement.dataset.stem
  const charts = [...document.querySelectorAll(".chart")].map((node) => ({
    node,
    plot: node.querySelector(".plot"),
    figure: JSON.parse(node.querySelector("script").textContent),
  }))
  // Scrolling the page must not rotate the figure under the pointer.
  const config = { displayModeBar: false, displaylogo: false, responsive: true, scrollZoom: false, displayNotifier: false }

  async function draw(dark) {
    for (const { plot, figure } of charts) {
      const { data, layout } = figure[dark ? "dark" : "light"]
      await Plotly.react(plot, structuredClone(data), structuredClone(layout), config)
      scalable(plot)
    }
    document.documentElement.dataset.drawn = dark ? "dark" : "light"
  }

  /** Let a drawing be scaled by the style of the page: paper is not as wide as the screen. */
  function scalable(plot) {
    for (const drawing of plot.querySelectorAll("svg.main-svg")) {
      const [width, height] = ["width", "height"].map((name) => drawing.getAttribute(name))
      drawing.setAttribute("viewBox", `0 0 ${width} ${height}`)
      plot.style.setProperty("--shape", `${width} / ${height}`)
    }
  }

  // The page is still as wide as the screen here: each chart is drawn for a sheet, which never cuts it.
  function drawForPaper() {
    for (const { plot, figure } of charts) {
      const { data, layout } = structuredClone(figure.light)
      const size = { width: SHEET, height: Math.min(plot.clientHeight, TALLEST) }
      Plotly.react(plot, data, { ...layout, ...size }, { ...config, responsive: false })
      scalable(plot)
    }
  }

  // A picture for a paper is dark on white, whatever the theme of the screen.
  function save({ node, plot, figure }, format) {
    const { data, layout } = structuredClone(figure.light)
    const width = plot.clientWidth
    const height = plot.clientHeight
    const filename = `${stem}-${node.dataset.name}`
    return Plotly.downloadImage(
      { data, layout: { ...layout, paper_bgcolor: "#ffffff", width, height } },
      { format, filename, width, height, scale: format === "png" ? 3 : 1 },
    )
  }

  for (const chart of charts) {
    for (const button of chart.node.querySelectorAll("[data-save]")) {
      button.addEventListener("click", () => save(chart, button.dataset.save))
    }
  }
  draw(atNight.matches)
  atNight.addEventListener("change", () => draw(atNight.matches))
  addEventListener("beforeprint", drawForPaper)
  addEventListener("afterprint", () => draw(atNight.matches))
})()

(() => {
  "use strict"
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
    }
    document.documentElement.dataset.drawn = dark ? "dark" : "light"
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
  addEventListener("beforeprint", () => draw(false))
  addEventListener("afterprint", () => draw(atNight.matches))
})()

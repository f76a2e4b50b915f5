/* What the cloud computes, without a page: which points a lasso has, which one is near, and ticks. */

const DIGITS = [1, 2, 5, 10]

/** Whether a point lies in a polygon of [x, y, x, y, …]: a ray to the right crosses it oddly often. */
function isInside(polygon, x, y) {
  let inside = false
  const last = polygon.length - 2
  for (let i = 0, j = last; i <= last; j = i, i += 2) {
    const [ax, ay, bx, by] = [polygon[i], polygon[i + 1], polygon[j], polygon[j + 1]]
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside
  }
  return inside
}

/** A mark for each of the points [x, y, x, y, …]: 1 inside of the polygon, else 0. */
function marksInside(polygon, points) {
  const marks = new Uint8Array(points.length / 2)
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let i = 0; i < polygon.length; i += 2) {
    left = Math.min(left, polygon[i])
    right = Math.max(right, polygon[i])
    top = Math.min(top, polygon[i + 1])
    bottom = Math.max(bottom, polygon[i + 1])
  }
  for (let i = 0; i < marks.length; i++) {
    const [x, y] = [points[2 * i], points[2 * i + 1]]
    if (x < left || x > right || y < top || y > bottom) continue
    marks[i] = isInside(polygon, x, y) ? 1 : 0
  }
  return marks
}

/** The number of the point nearest to a place, if it is no farther than `reach`; else null. */
function nearest(points, x, y, reach) {
  let best = null
  let least = reach * reach
  for (let i = 0; i < points.length / 2; i++) {
    const far = (points[2 * i] - x) ** 2 + (points[2 * i + 1] - y) ** 2
    if (far <= least) [best, least] = [i, far]
  }
  return best
}

/** The next point from one in a direction [right, down]; the same one where there is no other. */
function nextPoint(points, from, [right, down]) {
  let best = from
  let least = Infinity
  for (let i = 0; i < points.length / 2; i++) {
    const across = points[2 * i] - points[2 * from]
    const below = points[2 * i + 1] - points[2 * from + 1]
    const ahead = across * right + below * down
    if (ahead <= 0) continue
    // What lies aside counts twice, so that a step goes where the arrow points.
    const far = ahead + 2 * Math.abs(across * down + below * right)
    if (far < least) [best, least] = [i, far]
  }
  return best
}

/** Round numbers between two, about so many and at least two, and how many decimals they need. */
function ticksOf(low, high, count) {
  const rough = (high - low) / Math.max(count, 1)
  if (!(rough > 0 && Number.isFinite(rough))) return { ticks: [], decimals: 0 }
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * DIGITS.find((digit) => digit * power >= rough * (1 - 1e-9))
  const decimals = Math.max(0, -Math.floor(Math.log10(step * (1 + 1e-9))))
  const ticks = []
  for (let k = Math.ceil(low / step); k * step <= high; k++) ticks.push(k * step)
  if (ticks.length < 2) return ticksOf(low, high, 2 * Math.max(count, 1))
  return { ticks, decimals }
}

/** How much of a move is done after a share of its time: it begins and ends slowly. */
const eased = (share) => (share >= 1 ? 1 : share * share * (3 - 2 * share))

/** A number that shares no factor with n, so that its multiples visit all of 0 … n − 1 once. */
function strideOf(n) {
  const divisor = (a, b) => (b ? divisor(b, a % b) : a)
  let stride = Math.max(1, Math.floor(0.618 * n))
  while (divisor(stride, n) !== 1) stride++
  return stride
}

// How large everything is: the picture takes the room that the window has, and the charts lie over its right edge.

const RIBBON_HEIGHT = 44; // pixels; larger type does not need a higher one
const GAP = 6; // pixels below the playhead
const LEAST_SHARE = 0.5; // of the window's height, where the player begins far down on its page
const LOWEST = 170; // pixels
const INSET_FROM = 700; // pixels of width from which charts lie over the plot, else they are below
const [NARROWEST_INSET, WIDEST_INSET] = [226, 300];
const FOLDED_BELOW = 620; // pixels of width: options are in a menu then
const [LOWEST_CHART, HIGHEST_CHART] = [48, 120];

// Columns of panels, and what takes room beside the plots.
export function arrangement(player, width) {
  const { scale } = player.theme;
  const count = player.panels.length;
  const inThrees = (count === 3 || count > 4) && width >= 860 * scale;
  const columns = count === 1 || width < 640 * scale ? 1 : inThrees ? 3 : 2;
  const charts = player.shownCharts().length;
  const inset = count === 1 && charts > 0 && width >= INSET_FROM * scale;
  return {
    width, count, columns, scale, charts,
    folded: width < FOLDED_BELOW * scale || (count === 1 && scale > 1.1),
    few: player.root.classList.contains("few"),
    ribbon: player.options.ribbon && player.run.last > 0 ? Math.round(RIBBON_HEIGHT * Math.sqrt(scale)) : 0,
    inset: inset ? Math.round(Math.min(WIDEST_INSET * scale, Math.max(NARROWEST_INSET * scale, 0.22 * width))) : 0,
  };
}

// How many charts have room below an answer that is as high as `above`.
export function chartsBelow({ charts, scale }, height, above) {
  if (above === 0) return charts;
  return Math.max(0, Math.floor((height - 76 * scale - above) / ((LOWEST_CHART + 28) * scale)));
}

// Height of the charts that lie over a plot of this height, below an answer that is as high as `above`.
export function chartHeight({ charts, scale }, height, above) {
  const room = (height - 76 * scale - above) / Math.max(1, charts) - 28 * scale;
  return Math.round(Math.min(HIGHEST_CHART * scale, Math.max(LOWEST_CHART * scale, room)));
}

// Pixels by which a node is below the start of what scrolls it, wherever that is scrolled to.
function depth(node) {
  let y = node.getBoundingClientRect().top;
  for (let at = node.parentNode; at; at = at.parentNode ?? at.host) y += at.scrollTop ?? 0;
  return y;
}

// Height of each plot: as asked for, or so that plot, ribbon and playhead end where the window does.
export function stageHeight(player, room) {
  const { width, count, columns, ribbon, scale } = room;
  const widest = count === 1 ? 0.95 * width : (0.72 / columns) * width;
  const asked = player.opening.height;
  if (asked && !player.isFull()) return Math.max(LOWEST, Math.min(asked * scale - ribbon, widest));
  const rows = Math.ceil(count / columns);
  const head = player.panels[0].stage.getBoundingClientRect().top - player.root.getBoundingClientRect().top;
  const heads = (rows - 1) * (player.panels[0].header.offsetHeight + 8);
  const below = count > 1 ? player.chartGrid.offsetHeight + GAP : 0; // several runs are compared by their curves
  const chrome = head + heads + rows * ribbon + below + player.transport.node.offsetHeight + GAP;
  const whole = innerHeight - chrome;
  const left = whole - (player.isFull() ? 0 : depth(player.root));
  const fitting = Math.max(left, Math.min(whole, LEAST_SHARE * innerHeight)) / rows;
  return Math.max(LOWEST, Math.round(player.isFull() ? fitting : Math.min(fitting, widest)));
}

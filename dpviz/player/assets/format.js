// Numbers for people: round ticks, thousands apart as the pages write them, few digits.

function group(digits) {
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

export function formatFixed(value, decimals) {
  if (!Number.isFinite(value)) return "–";
  const [whole, fraction] = Math.abs(value).toFixed(decimals).split(".");
  const sign = value < 0 && Number(Math.abs(value).toFixed(decimals)) !== 0 ? "−" : "";
  return sign + group(whole) + (fraction ? `.${fraction}` : "");
}

// Three digits, as a knob shows its value.
export const shortNumber = (value) => String(Number(value.toPrecision(3))).replace("-", "−");

// About `digits` significant digits, in plain notation where that stays short.
export function formatNumber(value, digits = 5) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return powerOfTen(value);
  const decimals = size === 0 ? 0 : Math.max(0, Math.min(8, digits - 1 - Math.floor(Math.log10(size))));
  const text = formatFixed(value, decimals);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

// 9.36 × 10⁻⁹
function powerOfTen(value) {
  const [digits, power] = value.toExponential(2).replace("-", "−").split("e");
  const raised = power.replace(/^\+/, "").replace(/^[-−]/, "⁻").replace(/\d/g, (digit) => SUPERSCRIPTS[digit]);
  return `${digits} × 10${raised}`;
}

// Beside values of the size of `largest`, what is far smaller says no more than that it is nearly nothing.
export function formatBeside(value, largest, digits) {
  if (value > 0 && value < 1e-4 * largest) return "≈ 0";
  return formatNumber(value, digits);
}

// What distinguishes titles such as "MAP-DP · N0 = 3 · seed 1", where they have parts in common.
export function distinctParts(titles) {
  const parts = titles.map((title) => title.split(" · "));
  const short = parts.map((own) => own.filter((part) => !parts.every((other) => other.includes(part))).join(" · "));
  return short.every((text, k) => text !== "" && short.indexOf(text) === k) ? short : titles;
}

export function formatSeconds(seconds) {
  if (seconds < 1e-3) return `${formatNumber(seconds * 1e6, 2)} µs`;
  return seconds < 1 ? `${formatNumber(seconds * 1e3, 2)} ms` : `${formatNumber(seconds, 3)} s`;
}

// That of some steps which is nearest in proportion.
export function nearestStep(steps, rough) {
  const distance = (step) => Math.abs(Math.log(step / rough));
  return steps.reduce((best, step) => (distance(step) < distance(best) ? step : best));
}

export function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  return nearestStep([1, 2, 5, 10].map((factor) => factor * power), rough);
}

// Round tick positions within [low, high], about `count` of them; `whole` keeps them integers.
export function niceTicks(low, high, count, whole = false) {
  if (!(high > low)) return [low];
  let step = niceStep((high - low) / Math.max(1, count));
  if (whole) step = Math.max(1, Math.round(step));
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k += 1) ticks.push(k * step);
  return ticks;
}

// One number of decimals for a whole axis, from its step; long numbers turn to k and M.
export function tickLabels(ticks, step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : Math.abs(ticks[0]) || 1) {
  const largest = Math.max(...ticks.map(Math.abs));
  const [unit, suffix] = largest >= 1e7 ? [1e6, "M"] : largest >= 1e5 ? [1e3, "k"] : [1, ""];
  const decimals = Math.max(0, Math.min(8, Math.ceil(-Math.log10(step / unit) - 1e-9)));
  if (step < 1e-8 || largest >= 1e13) return ticks.map(powerOfTen);
  return ticks.map((tick) => formatFixed(tick / unit, decimals) + (tick === 0 ? "" : suffix));
}

export function shortened(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let kept = text.length;
  while (kept > 1 && context.measureText(`${text.slice(0, kept)}…`).width > width) kept -= 1;
  return `${text.slice(0, kept)}…`;
}

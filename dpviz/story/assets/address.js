// What the address says of the page, and goes on saying: a reload, or a link, opens what was shown.

const REST = 300; // milliseconds without a change: browsers refuse an address that changes with every frame
const said = new URLSearchParams(globalThis.location?.search); // of none outside a page
let due = 0;

export const saidOf = (name) => said.get(name);

// null is not said.
export function note(name, value) {
  if (value === null) said.delete(name);
  else said.set(name, value);
  clearTimeout(due);
  if (location.protocol !== "about:") due = setTimeout(follow, REST); // a frame of the app has no address
}

function follow() {
  const search = said.size > 0 ? `?${said}` : "";
  try { history.replaceState(history.state, "", `${location.pathname}${search}${location.hash}`); } catch { /* a browser that keeps the addresses of files */ }
}

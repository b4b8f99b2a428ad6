// What Streamlit's frame around the pages lacks: steps of the history that are steps of the reader, lists that are,
// and a first sight that stays.
//
// A page completes the address it was opened at with what it shows, which is no step of the browser's history.

const page = (address) => address.pathname.replace(/\/$/, "");
const holds = (one, other) => [...other.searchParams].every(([name, value]) => one.searchParams.get(name) === value);

// Whether one address only says more than another: of the same page, or of an old link to the first page that is led on.
export function completes(from, to) {
  if (!holds(to, from)) return false;
  const isRun = ["data", "run", "sweep"].some((name) => from.searchParams.has(name));
  return page(from) === page(to) || (isRun && page(to) === `${page(from)}/explore`);
}

// On narrow screens the rooms are boxes inside a list, whose items are in no list then: groups of links, in truth.
function groupRooms() {
  for (const list of document.querySelectorAll("[data-testid=stSidebarNavItems]:not([role])")) {
    list.setAttribute("role", "none");
    for (const room of list.querySelectorAll(":scope > div")) {
      room.setAttribute("role", "group");
      room.setAttribute("aria-label", room.querySelector("[data-testid=stNavSectionHeader] p")?.textContent ?? "Pages");
      for (const item of room.querySelectorAll("li")) item.setAttribute("role", "none");
    }
  }
}

// Streamlit may write the address of the next page's settings before it leaves the page: what one press leads to is one
// step, whose first address is none.
function mendHistory() {
  const push = history.pushState.bind(history);
  let presses = 0;
  let pushed = -1; // the press that led to the present address
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => (presses += 1), true);
  addEventListener("popstate", () => (pushed = -1));
  history.pushState = (state, title, url) => {
    const from = new URL(location.href);
    const to = new URL(url ?? "", from);
    const leaves = page(from) !== page(to) && pushed === presses;
    if (leaves || completes(from, to)) history.replaceState(state, title, url);
    else {
      push(state, title, url);
      pushed = presses;
    }
  };
}

// The rules that keep a page out of sight until it stands, or says what it waits for: a script that has ended may still
// have controls on the way.
function showOnceItStands() {
  const rules = document.querySelector(".dpviz-until-it-stands");
  const app = document.querySelector("[data-testid=stApp]");
  const has = (selector) => app.querySelector(selector) !== null;
  const stands = () => (app.dataset.testScriptState === "notRunning" || has("[data-testid=stSpinner]")) &&
    !has("[data-testid=stSkeleton]") && has(".stMain [data-testid=stElementContainer]:not(.st-key-frame)");
  const look = () => (stands() ? rules.remove() : requestAnimationFrame(look));
  if (rules && app) look();
}

// Which of the rooms above the page is in: a closed room does not show it by itself.
function markRoom() {
  for (const entry of document.querySelectorAll("[data-testid=stTopNav] :is(button, a), [data-testid=stTopNavSection]")) {
    const label = entry.querySelector("p, span:not([data-testid=stIconMaterial])")?.textContent.trim();
    if (label === globalThis.dpvizHere) entry.setAttribute("aria-current", "true");
    else if (entry.getAttribute("aria-current") === "true") entry.removeAttribute("aria-current");
  }
}

export default function ({ data }) {
  globalThis.dpvizHere = data?.here;
  markRoom();
  if (globalThis.dpvizFrame) return;
  globalThis.dpvizFrame = true;
  mendHistory();
  showOnceItStands();
  let asked = null;
  const grouped = () => (asked ??= requestAnimationFrame(() => { asked = null; groupRooms(); markRoom(); }));
  new MutationObserver(grouped).observe(document.body, { childList: true, subtree: true });
  groupRooms();
}

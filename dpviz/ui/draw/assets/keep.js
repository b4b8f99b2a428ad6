// Keeps a drawing with its name in the tab's storage, which outlives a reload, and finds it again.

export default function keepInTab({ data, parentElement, setStateValue }) {
  const box = parentElement.host?.closest('[data-testid="stElementContainer"]');
  if (box) box.style.display = "none";
  try {
    if (data.kept) sessionStorage.setItem(data.storage, JSON.stringify(data.kept));
    else setStateValue("found", JSON.parse(sessionStorage.getItem(data.storage)) ?? {});
  } catch {
    if (!data.kept) setStateValue("found", {}); // no storage, or it holds something else
  }
}

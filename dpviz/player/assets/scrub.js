// Dragging along a time axis scrubs, pointing at it asks.

// `frameAt(x)` turns pixels into a frame. `scrub(frame, done)` is called while dragging and once at the end,
// `hover(frame, x, y)` while pointing, with frame null when the pointer leaves.
export function listenToScrubs(overlay, frameAt, { scrub, hover }) {
  let dragging = false;
  const place = (event) => {
    const box = overlay.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const frameOf = (event) => frameAt(place(event).x);
  overlay.addEventListener("pointerdown", (event) => {
    dragging = true;
    overlay.setPointerCapture(event.pointerId);
    scrub(frameOf(event), false);
  });
  overlay.addEventListener("pointermove", (event) => {
    if (dragging) scrub(frameOf(event), false);
    const { x, y } = place(event);
    if (event.pointerType !== "touch") hover(frameAt(x), x, y);
  });
  const finish = (event) => {
    if (dragging) scrub(frameOf(event), true);
    dragging = false;
  };
  overlay.addEventListener("pointerup", finish);
  overlay.addEventListener("pointercancel", finish);
  overlay.addEventListener("pointerleave", () => hover(null, 0, 0));
}

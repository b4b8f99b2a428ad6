// Dragging along a time axis scrubs, pointing at it asks.

// `frameAt(x)` turns pixels into a frame. `scrub(frame, done)` is called while dragging and once at the end,
// `hover(frame, x, y)` while pointing, with frame null when the pointer leaves.
export function listenToScrubs(overlay, frameAt, { scrub, hover }) {
  let dragging = false;
  let last = null; // frame of a drag
  const place = (event) => {
    const box = overlay.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const frameOf = (event) => frameAt(place(event).x);
  const drag = (event) => {
    last = frameOf(event);
    scrub(last, false);
  };
  overlay.addEventListener("pointerdown", (event) => {
    dragging = true;
    overlay.setPointerCapture(event.pointerId);
    drag(event);
  });
  overlay.addEventListener("pointermove", (event) => {
    if (dragging) drag(event);
    const { x, y } = place(event);
    if (event.pointerType !== "touch") hover(frameAt(x), x, y);
  });
  const finish = (frame) => {
    if (dragging) scrub(frame, true);
    dragging = false;
  };
  overlay.addEventListener("pointerup", (event) => finish(frameOf(event)));
  overlay.addEventListener("pointercancel", () => finish(last)); // the page scrolls: it has no place of its own
  overlay.addEventListener("pointerleave", () => hover(null, 0, 0));
}

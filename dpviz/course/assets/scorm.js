// The learning system (SCORM 1.2) that a chapter is opened in, if it is.

const MOST_WINDOWS = 8; // around the page, or from which it was opened

function findApi() {
  for (let around = window, k = 0; around && k < MOST_WINDOWS; around = around === around.parent ? around.opener : around.parent, k += 1) {
    try { if (typeof around.API?.LMSInitialize === "function") return around.API; } catch { return null; } // of another site
  }
  return null;
}

// Returns `report(isRight)`, which tells it how the first prediction was marked; elsewhere nobody is told. A system that
// fails, as one whose session is over, must not keep the chapter from going on.
export function learningSystem() {
  const api = findApi();
  if (!api) return () => {};
  const tell = (call) => {
    try { return call(); } catch { return ""; }
  };
  tell(() => api.LMSInitialize(""));
  addEventListener("pagehide", () => tell(() => api.LMSFinish("")));
  for (const link of document.links) link.target = "_blank"; // its frame stays with this chapter
  return (isRight) => {
    if (tell(() => api.LMSGetValue("cmi.core.lesson_status")) === "completed") return; // the answer was seen
    const said = { "score.min": 0, "score.max": 100, "score.raw": isRight ? 100 : 0, lesson_status: "completed" };
    for (const [name, value] of Object.entries(said)) tell(() => api.LMSSetValue(`cmi.core.${name}`, String(value)));
    tell(() => api.LMSCommit(""));
  };
}

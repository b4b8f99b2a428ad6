// The way in, as a Streamlit component that shows nothing: it brings the engine, or points, and takes messages back.

import { inflate, openEnvelope } from "../../player/assets/decode.js";
import { liveShared } from "./shared.js";

export default function mountLive({ data, parentElement, setTriggerValue }) {
  const box = parentElement.host?.closest('[data-testid="stElementContainer"]');
  if (box) box.style.display = "none";
  const { opening: header, payload } = openEnvelope(data);
  if (header.kind === "engine") {
    liveShared.send = setTriggerValue;
    liveShared.greet(globalThis.dpvizPlayers?.values() ?? []);
    if (liveShared.bytes === null) inflate(payload).catch(() => []).then((bytes) => liveShared.takeEngine(new Uint8Array(bytes))); // an empty one says so
    return;
  }
  const values = new Float64Array(payload.slice().buffer);
  liveShared.takePoints(header.id, { values, nPoints: values.length / header.n_features, nFeatures: header.n_features });
}

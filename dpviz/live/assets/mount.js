// The way in, as a Streamlit component that shows nothing: it brings the engine, or points, and takes messages back.

import { inflate, openEnvelope } from "../../player/assets/decode.js";
import { hide } from "../../player/assets/layout.js";
import { liveShared } from "./shared.js";

export default function mountLive({ data, parentElement, setTriggerValue }) {
  hide(parentElement);
  const { opening: header, payload } = openEnvelope(data);
  if (header.kind === "engine") {
    liveShared.send = setTriggerValue;
    liveShared.greet(globalThis.dpvizPlayers?.values() ?? []);
    if (liveShared.bytes === null) inflate(payload).catch(() => new Uint8Array()).then((bytes) => liveShared.takeEngine(bytes)); // an empty one says so
    return;
  }
  const values = new Float64Array(payload.slice().buffer);
  liveShared.takePoints(header.id, { values, nPoints: values.length / header.n_features, nFeatures: header.n_features });
}

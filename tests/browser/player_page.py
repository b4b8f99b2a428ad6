"""The page that browser tests open: ``?scenario=`` chooses a run, what Python knows is written out."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import streamlit as st

sys.path.insert(0, str(Path(__file__).parent))

import fake_runs

from dpviz.player import build_payload, standalone_html, track_labels
from dpviz.ui.player import PlaceEvent, Pull, player


@st.cache_resource(max_entries=40)
def payload_for(scenario: str, seed: int) -> bytes:
    """Payload of a scenario, built once."""
    if scenario == "one_column":
        return build_payload([fake_runs.one_column_panel()])
    if scenario == "merging":
        return build_payload([fake_runs.merging_panel()])
    if scenario == "shapes":
        return build_payload([fake_runs.shaped_panel(wide=bool(seed))])
    if scenario == "steep":
        return build_payload([fake_runs.steep_panel()])
    if scenario == "crowd":
        return build_payload([fake_runs.crowded_panel()])
    if scenario == "compare":
        return build_payload(fake_runs.compared_panels())
    if scenario == "titles":
        titles = ("MAP-DP · N0 = 3 · seed 1", "MAP-DP · N0 = 5 · seed 1")
        return build_payload([fake_runs.full_panel(seed=k, title=title) for k, title in enumerate(titles)])
    return build_payload([fake_runs.full_panel(seed=seed, title=f"run {seed}")])


@st.fragment(run_every=0.3)
def live() -> None:
    """Grow by a sweep at each tick, then stop."""
    stages = growing()
    st.session_state["stage"] = min(st.session_state.get("stage", 0) + 1, len(stages))
    count = st.session_state["stage"]
    partial = count < len(stages)
    progress = f"sweep {count} of {len(stages)}" if partial else ""
    payload = build_payload([stages[count - 1]], partial=partial, progress=progress)
    state = player(payload, key="player")
    report({"sweep": state.sweep, "stage": count})


@st.cache_resource
def growing() -> list[fake_runs.PanelData]:
    """Every stage of the growing run."""
    return fake_runs.growing_panels()


def interactive() -> None:
    """Let points be placed, moved and painted.

    Pulls are the sizes of the clusters times a bump around their means; far on the right nobody knows any.
    """
    panel = fake_runs.full_panel(true_labels=None)

    def pulls(place: PlaceEvent) -> list[Pull]:
        if place.x > 8:
            return []
        tracks = track_labels(panel.labels).tracks[place.sweep]
        groups = [panel.points[tracks == track] for track in range(4)]
        squared = [((group.mean(axis=0) - [place.x, place.y]) ** 2).sum() for group in groups]
        known = [Pull(k, len(group), -0.5 * d) for k, (group, d) in enumerate(zip(groups, squared, strict=True))]
        return [*known, Pull(-1, 3.0, -4.0)]

    state = player(payload_for("plain", 0), key="player", pulls=pulls, editable=True)
    for name in ("moved", "painted"):
        if (event := getattr(state, name)) is not None:
            st.session_state[name] = {k: np.asarray(v).tolist() for k, v in vars(event).items()}
    place = None if state.place is None else vars(state.place)
    report(
        {
            "sweep": state.sweep,
            "place": place,
            "moved": st.session_state.get("moved"),
            "painted": st.session_state.get("painted"),
        }
    )


def report(values: dict[str, object]) -> None:
    """Write what Python knows where a test can read it."""
    st.text(json.dumps(values))


st.set_page_config(layout="wide")
scenario = st.query_params.get("scenario", "plain")
if scenario == "live":
    live()
elif scenario == "interactive":
    interactive()
elif scenario == "two":
    states = [player(payload_for("plain", seed), key=f"player {seed}", height=200) for seed in (0, 1)]
    report({"sweeps": [state.sweep for state in states]})
else:
    scale = float(st.query_params.get("scale", "1"))
    away = st.checkbox("Another page")
    other = st.checkbox("Other run")
    asked = 5 if st.checkbox("Go to sweep 5") else None
    payload = payload_for(scenario, int(other))
    if not away:
        state = player(payload, key="player", sweep=asked, scale=scale)
        if state.point is not None:
            st.session_state["asked point"] = vars(state.point)
        report({"sweep": state.sweep, "point": st.session_state.get("asked point")})
    if scenario == "plain":
        st.download_button("Standalone", standalone_html(payload, "A <run> & </script>"), "run.html")

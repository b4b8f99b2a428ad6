"""Objects that a session has as long as it lasts."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from dpviz.ui.session import state


def page() -> None:
    """Ask for an object several times, and for a value that the browser, a link, or nobody has set."""
    import streamlit as st

    from dpviz.ui.session import state

    made = state.of_session("made", list)
    made.append(len(made))
    assert state.of_session("made", dict) is made is st.session_state["made"]
    st.number_input("number", 0, 9, state.value("number", 3), key="number")
    st.markdown(f"{made} {state.value('number')} {state.is_asked('number')}")
    if st.button("put"):
        state.put({"number": 7})
        st.markdown(f"put {state.value('number')} {state.is_asked('number')}")


def test_an_object_of_a_session_is_made_once_and_not_shared():
    one, other = AppTest.from_function(page).run(), AppTest.from_function(page).run()
    one.run()
    assert [at.markdown[0].value for at in (one, other)] == ["[0, 1] 3 False", "[0] 3 False"]


def test_a_value_is_the_readers_unless_it_was_set_here_since():
    at = AppTest.from_function(page).run()
    at.number_input[0].set_value(5).run()
    assert at.markdown[0].value == "[0, 1] 5 False"
    at.button[0].click().run()
    assert at.markdown[1].value == "put 7 True"
    at.run()
    assert at.markdown[0].value.endswith("7 True"), "the browser still has the value before, which is not its reader's"
    at.number_input[0].set_value(2).run()
    assert at.markdown[0].value.endswith("2 False")


def test_without_a_page_there_are_settings_too():
    assert state.settings() is state.settings()

"""What the build of the browser's engine leaves of numba's counting of references."""

from __future__ import annotations

import pytest

from dpviz.browser.references import without_needless_counting

ARRAY = "{ ptr, ptr, i64 }"
COUNTS = "  call void @NRT_incref(ptr %arg)\n  call void @NRT_decref(ptr %arg)\n"


def function(name, body, stored="store i64 %.1, ptr %retptr, align 8"):
    head = f"define linkonce_odr i32 @{name}(ptr noalias %retptr, ptr %excinfo, ptr %arg) {{"
    return f"{head}\nentry:\n{body}  {stored}\n  ret i32 0\n}}\n"


EMPTY = function('"_ZN5empty(i64)"', "  %m = call ptr @NRT_MemInfo_alloc(i64 8)\n", f"store {ARRAY} %.1, ptr %retptr")
OWNER = '  %s = call i32 @"_ZN5empty(i64)"(ptr %r, ptr %e, ptr %arg)\n'
NUMBER = function("number", COUNTS)
NOTHING = function("nothing", COUNTS, "store ptr null, ptr %retptr, align 4")


def body_of(code, name):
    body = code[code.index(f"@{name}(ptr noalias") :]
    return body[: body.index("\n}")]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("number", NUMBER),
        ("nothing", NOTHING),
        ("caller", NUMBER + function("caller", COUNTS + "  %s = call i32 @number(ptr %r, ptr %e, ptr %arg)\n")),
        (  # what a callee allocates ends in it
            "caller",
            EMPTY
            + function("inner", COUNTS + OWNER)
            + function("caller", COUNTS + "  %s = call i32 @inner(ptr %r, ptr %e, ptr %arg)\n"),
        ),
        ("_ZN5dpviz7browser6driver6_write", function("_ZN5dpviz7browser6driver6_write", COUNTS)),
    ],
)
def test_what_only_borrows_counts_nothing(name, code):
    assert "@NRT_" in body_of(code, name)
    shorter = body_of(without_needless_counting(code), name)
    assert "@NRT_" not in shorter and "@memory_" not in shorter


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("owner", EMPTY + function("owner", COUNTS + OWNER)),
        ("maker", function("maker", COUNTS + "  %m = call noalias ptr @NRT_MemInfo_alloc_aligned(i64 8, i32 32)\n")),
    ],
)
def test_what_allocates_frees_it_at_every_return(name, code):
    code = code.replace(
        "  ret i32 0", "  br i1 %.2, label %other, label %end\n\nother:\n  ret i32 1\n\nend:\n  ret i32 0"
    )
    body = body_of(without_needless_counting(code), name)
    assert "cref" not in body
    assert body.split("\n")[2] == "  %latest = call ptr @memory_latest()"
    for end in ("ret i32 1", "ret i32 0"):
        assert f"  call void @memory_free_after(ptr %latest)\n  {end}" in body


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("same", function("same", COUNTS, f"store {ARRAY} %.1, ptr %retptr, align 4")),
        ("pair", function("pair", COUNTS, f"store [2 x {ARRAY}] %.1, ptr %retptr, align 4")),
        ("part", function("part", COUNTS + "  %f = getelementptr i8, ptr %retptr, i64 4\n")),
        ("_ZN5dpviz7browser6driver3run", EMPTY + function("_ZN5dpviz7browser6driver3run", COUNTS + OWNER)),
        ("NRT_fast", "define ptr @NRT_fast(ptr noalias %.1) {\nentry:\n" + COUNTS + "  ret ptr %.1\n}\n"),
    ],
)
def test_what_hands_arrays_over_or_lasts_counts_all(name, code):
    assert "@NRT_" in body_of(code, name)
    assert without_needless_counting(code) == code

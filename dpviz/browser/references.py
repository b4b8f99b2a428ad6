"""Counting of references in numba's code, which takes half of a run's time where nothing omits it.

Natively numba omits most pairs by passes that the code of a browser does not go through. Here it is enough to count
where arrays are handed over; elsewhere what a function has allocated is freed when it returns.
"""

from __future__ import annotations

import re

COUNTERS = ("NRT_incref", "NRT_decref", "nrt_atomic_add", "nrt_atomic_sub")
"""Functions that numba brings along; :data:`COUNTING` stands in place of the first two."""
COUNTING = """
declare void @NRT_MemInfo_call_dtor(ptr)

define void @NRT_incref(ptr %memory) alwaysinline {
entry:
  %none = icmp eq ptr %memory, null
  br i1 %none, label %done, label %count
count:
  %before = load i64, ptr %memory
  %after = add i64 %before, 1
  store i64 %after, ptr %memory
  br label %done
done:
  ret void
}

define void @NRT_decref(ptr %memory) alwaysinline {
entry:
  %none = icmp eq ptr %memory, null
  br i1 %none, label %done, label %count
count:
  call void @discount(ptr %memory)
  br label %done
done:
  ret void
}

define void @discount(ptr %memory) noinline {
entry:
  %before = load i64, ptr %memory
  %after = sub i64 %before, 1
  store i64 %after, ptr %memory
  %last = icmp eq i64 %after, 0
  br i1 %last, label %free, label %done
free:
  call void @NRT_MemInfo_call_dtor(ptr %memory)
  br label %done
done:
  ret void
}
"""
"""What they do in one thread; of an array that is known to be borrowed nothing is left."""
DECLARED = """
declare void @NRT_incref(ptr)
declare void @NRT_decref(ptr)
declare ptr @memory_latest()
declare void @memory_free_after(ptr)
"""
"""What code without needless counting calls."""
NAME = r'@("[^"]+"|[\w.$]+)\('
FUNCTION = re.compile(r"^define [^\n]*?i32 " + NAME + r"ptr [^,\n]*%retptr,.*?^}$", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"\bcall [^@\n]*" + NAME)
COUNT = re.compile(r"^ *call void @NRT_(?:incref|decref)\([^\n]*\n", re.MULTILINE)
RETURNED = re.compile(r"^ *store (?P<kind>[^%\n]*?) ?(?P<value>%\S+|\S+), ptr %retptr\b", re.MULTILINE)
ENTRY, RETURN = re.compile(r"(?<={\n)([^\n]*:[^\n]*\n)"), re.compile(r"^( *ret i32 )", re.MULTILINE)
DRIVER = "7browser6driver"
"""In names of the functions that last: what they allocate in every sweep has to be freed in every sweep."""


def _returns_arrays(body: str) -> bool:
    """Whether a function may return an array, which it has counted for its caller.

    Numba writes what a function returns through ``%retptr``, and None as a null pointer.
    """
    stored = list(RETURNED.finditer(body))
    otherwise = body.count("%retptr") - 1 - len(stored)
    return otherwise > 0 or any("ptr" in match["kind"] and match["value"] != "null" for match in stored)


def without_needless_counting(code: str) -> str:
    """Return code that counts only in functions that return arrays, and in the driver's.

    A function borrows its arguments from its caller, so what it counts up it counts down again, unless it returns it.
    One that returns numbers only need not count: what has been allocated since its call can be freed at its end. In
    the driver's functions, which allocate in long loops, arrays are freed as they are counted down.
    """
    functions = {match[1]: match[0] for match in FUNCTION.finditer(code)}
    returning = {name for name, body in functions.items() if _returns_arrays(body)}

    def kept(match: re.Match[str]) -> str:
        name, body = match[1], match[0]
        allocates = any(called in returning or called.startswith("NRT_") for called in _called(body))
        if name in returning or allocates and DRIVER in name:
            return body
        body = COUNT.sub("", body)
        return _freeing(body) if allocates else body

    return FUNCTION.sub(kept, code)


def _called(body: str) -> set[str]:
    """Return the names of all functions that one calls, but for those that count."""
    return set(CALL.findall(body)).difference(COUNTERS)


def _freeing(body: str) -> str:
    """Let a function free what has been allocated since its call."""
    body = ENTRY.sub(r"\1  %latest = call ptr @memory_latest()\n", body, count=1)
    return RETURN.sub(r"  call void @memory_free_after(ptr %latest)\n\1", body)

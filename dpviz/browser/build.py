"""Build ``engine.wasm`` and ``columns.wasm``: ``make wasm``.

numba's unoptimised code of the driver's kernels, which no machine has shaped yet, is given to LLVM's back end for
wasm32 and optimised there; Zig's linker, from the package ``ziglang``, adds :file:`runtime.c` and what that and the
kernels need of a C library (memory, ``log``, ``exp``, ``log1p``), so that no browser's own mathematics changes a label.
A file beside each, as ``engine.json``, keeps a digest of the sources of all kernels within, which a test compares with
the files.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numpy as np

from dpviz._jit import unoptimised_code
from dpviz.browser import FOLDER, module_file
from dpviz.browser.answers import places, scores, shapes
from dpviz.browser.driver import run, run_centres
from dpviz.browser.layout import CENTRES_ONLY, COLUMNS, ENGINE
from dpviz.browser.references import COUNTERS, COUNTING, DECLARED, without_needless_counting
from dpviz.browser.visits import visits, visits_of_centres
from dpviz.engine.kernels.centres import CentresKind
from dpviz.families.columns.placing import Columns
from dpviz.families.gaussian.known_covariance import KnownCovarianceKind, SphericalNormalKind
from dpviz.families.gaussian.normal_gamma import NormalGammaKind
from dpviz.families.gaussian.normal_wishart import NormalWishartKind
from dpviz.kernel_sources import digest as digest_of
from dpviz.kernel_sources import sources as sources_of

TRIPLE, TARGET = "wasm32-unknown-unknown", "wasm32-wasi"
FEATURES = "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint"
BUILDING = ("build.py", "layout.py", "references.py", "runtime.c")
"""What shapes the module beside its kernels."""
LINK = ("-O2", "-mexec-model=reactor", "-Wl,--no-entry", "-Wl,--gc-sections", "-Wl,--strip-all")
DROPPED = re.compile(r'@"?(_ZN7cpython|cfunc\.|' + "|".join(COUNTERS) + r")")
"""Functions for calls from Python, and those that count references."""
APART = ("10_find_move", "8evaluate", "6_visit", "4seat")
"""Parts of names of functions with long loops. Browsers run a function quickly from its next call on, not at once."""
ONCE = ("20draw_hyperparameters", "15_draw_parameter", "13slice_goes_on", "11draw_normal", "16draw_exponential",
        "10draw_gamma", "9log_gamma", "16next_instruction", "15collapsed_sweep", "13kmeans_labels",
        "5begun", "11begun_start", "10next_sweep", "13present_model", "8model_of", "9placed_by", "17_collapsed_visits",
        "13_score_places", "10_shape_row", "11clusters_of", "9points_of", "10hard_start",
        "12_score_state", "15_split_or_merge", "7plan_of", "8note_end", "11_note_start", "13moves_between", "7no_ends",
        "9record_of", "12most_matched", "7_decide", "15list_candidates", "10follow_nll", "14predictives_of", "6_write",
        "13_write_shapes", "16_starting_labels", "9labels_at", "7half_of", "6mapped", "7centred", "11close_ranks",
        "19centred_coordinates", "16draw_permutation", "13draw_uniforms", "13seeded_stream")  # fmt: skip
"""Parts of names of functions that are called now and then from many places, in each of which they would be large."""
FAST = (*APART, "7kernels15collapsed_sweep", "7kernels6search", "7kernels7seeding")
"""In names of functions with the loops of runs: small code is worth more than fast code in all others."""
VERBS = ("_add_point", "_remove_point", "_clear_slot", "_rebuild", "_log_predictive", "_log_leave_one_out",
         "_score_open_slots", "_log_marginal")  # fmt: skip
"""Of columns: each asks what kind a column is, with code for all kinds, and within every kernel it would be large."""
WITHIN = re.compile(r"#\d+ \{$")
"""What says of a function that it goes into its callers."""
CONSTANT = re.compile(r"= (internal|private) constant ")
"""Constants of which nobody takes the address: of equal ones, as numba writes one per function, a single one stays."""
TRACEBACK = re.compile(r'(\[\d+ x i8\]) c"[^"]*\.py[^"]*"')
"""What exceptions would tell of the places of sources on this machine, which nothing reads."""


class Module(NamedTuple):
    """What a module holds.

    Attributes
    ----------
    kinds : mapping of str to NamedTuple
        The families for which its entries are compiled, and what stands for none.
    questions : tuple of str
        What is asked of each.
    sources : tuple of str
        Files with the entries and the families.
    options : tuple of str
        How ``runtime.c`` is compiled.
    are_parts : bool
        Whether entries are compiled as parts.
    called : tuple of str
        Parts of names of functions that are called, though kernels have them within.
    fast : tuple of str
        In names of functions of which fast code is worth more than small code.
    """

    kinds: Mapping[str, Any]
    questions: tuple[str, ...]
    sources: tuple[str, ...]
    options: tuple[str, ...] = ()
    are_parts: bool = False
    called: tuple[str, ...] = ()
    fast: tuple[str, ...] = FAST


_KINDS: dict[str, Any] = {
    "normal_wishart": NormalWishartKind(),
    "normal_gamma": NormalGammaKind(),
    "spherical_normal": SphericalNormalKind(),
    "normal_known_covariance": KnownCovarianceKind(),
    CENTRES_ONLY: CentresKind(),
}
_ASKING = tuple(f"browser/{name}.py" for name in ("driver", "answers", "visits"))
_PLACING = tuple(f"families/gaussian/{name}.py" for name in ("normal_wishart", "normal_gamma", "known_covariance"))
MODULES = {
    ENGINE: Module(_KINDS, ("run", "scores", "places", "shapes", "visits"), (*_ASKING, *_PLACING)),
    COLUMNS: Module(
        {"mixed": Columns(np.zeros(1))},
        ("run", "scores", "visits"),
        (*_ASKING, "families/columns/placing.py"),
        ("-DCOLUMNS",),
        are_parts=True,
        called=tuple(f"7columns5verbs{len(verb)}{verb}" for verb in VERBS),
        fast=(),
    ),
}

STRIDES = """
define i32 @numba_attempt_nocopy_reshape(i64 %nd, ptr %dims, ptr %strides, i64 %newnd, ptr %newdims, ptr %newstrides,
                                         i64 %itemsize, i32 %fortran) alwaysinline {
entry:
  br label %test
test:
  %after = phi i64 [ %newnd, %entry ], [ %axis, %body ]
  %stride = phi i64 [ %itemsize, %entry ], [ %wider, %body ]
  %more = icmp sgt i64 %after, 0
  br i1 %more, label %body, label %done
body:
  %axis = sub i64 %after, 1
  %place = getelementptr i64, ptr %newstrides, i64 %axis
  store i64 %stride, ptr %place
  %length_place = getelementptr i64, ptr %newdims, i64 %axis
  %length = load i64, ptr %length_place
  %wider = mul i64 %stride, %length
  br label %test
done:
  ret i32 1
}
"""
"""New strides of an array that is contiguous, as all here are: numba reinterprets the bits of a number through them."""


def _entries(module: Module) -> Iterator[tuple[str, str, str]]:
    """Compile every question for every family, and without one: yield each entry, its code, and its name in that."""
    numbers, labels = np.zeros(1), np.zeros(1, np.int32)
    asked: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
        "run": (run, run_centres, (labels, numbers, numbers, numbers, 0.0)),
        "scores": (scores, None, (labels, 0, numbers)),
        "places": (places, places, (labels, numbers, numbers, numbers)),
        "shapes": (shapes, shapes, (labels, numbers, numbers, labels)),
        "visits": (visits, visits_of_centres, (0, 0, labels, labels, numbers, numbers)),
    }
    for question, (name, kind) in product(module.questions, module.kinds.items()):
        modelled, without, given = asked[question]
        function = without if name == CENTRES_ONLY else modelled
        if function is not None:
            code = unoptimised_code(function, kind, numbers, numbers, *given, is_part=module.are_parts)
            yield f"dpviz_{question}_{name}", *code


def _portable(code: str, name: str, entry: str, target: str, called: tuple[str, ...]) -> str:
    """Return code without wrappers, needless counting and anything that names this machine, with the entry renamed.

    Functions whose names have one of these parts are not put into their callers.
    """
    lines, dropping = [target, DECLARED], False
    for line in code.split("\n"):
        dropping |= line.startswith("define") and bool(DROPPED.search(line))
        if line.startswith("define") and any(part in line for part in called):
            line = WITHIN.sub("{", line)
        if not dropping and not line.startswith(("target ", "source_filename")):
            lines.append(line)
        dropping &= line != "}"
    code = TRACEBACK.sub(r"\1 zeroinitializer", without_needless_counting("\n".join(lines)))
    code = CONSTANT.sub(r"= \1 unnamed_addr constant ", re.sub(r'"target-(cpu|features)"="[^"]*"', "", code))
    return re.sub(f'@"?{re.escape(name)}"?(?=\\()', f"@{entry}", code)


def _linked(machine: Any, module: Module) -> Any:
    """Return one module with all entries, of which everything else is internal."""
    target = f'target datalayout = "{machine.target_data}"\ntarget triple = "{TRIPLE}"\n'
    whole = llvm.parse_assembly(target + STRIDES)
    whole.link_in(llvm.parse_assembly(target + COUNTING))
    for entry, code, name in _entries(module):  # one at a time: all of them take some GB
        whole.link_in(llvm.parse_assembly(_portable(code, name, entry, target, module.called)))
    whole.verify()
    for function in whole.functions:
        if not function.is_declaration and not function.name.startswith("dpviz_"):
            function.linkage = "internal"
        if not function.is_declaration and any(part in function.name for part in APART + ONCE + module.called):
            function.add_function_attribute("noinline")
        if not function.is_declaration and not any(part in function.name for part in module.fast):
            function.add_function_attribute("optsize")
    for variable in whole.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    return whole


def _object_code(module: Module) -> bytes:
    """Return the kernels of a module as an object file of wasm32."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(TRIPLE)
    machine = target.create_target_machine(opt=3, features=FEATURES, reloc="static", codemodel="default")
    linked = _linked(machine, module)
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = True
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(linked, builder)
    code: bytes = machine.emit_object(linked)
    return code


def sources(name: str) -> list[Path]:
    """Return the files whose kernels a module may hold, and those that shape it, sorted."""
    kernels = sources_of(FOLDER.parent / source for source in MODULES[name].sources)
    return sorted({*kernels, *(FOLDER / source for source in BUILDING)})


def digest(name: str) -> str:
    """Return a digest of :func:`sources`, which says whether a module is up to date."""
    return digest_of(sources(name))


def build(name: str) -> None:
    """Write a module and its digest."""
    warnings.filterwarnings("ignore", message="Cannot cache compiled function")  # unoptimised code cannot be kept
    code = _object_code(MODULES[name])
    with tempfile.TemporaryDirectory() as folder:
        kernels, linked = Path(folder, "kernels.o"), Path(folder, "linked.wasm")
        kernels.write_bytes(code)
        command = [sys.executable, "-m", "ziglang", "cc", "-target", TARGET, *LINK, *MODULES[name].options]
        subprocess.run([*command, str(FOLDER / "runtime.c"), str(kernels), "-o", str(linked)], check=True)
        module_file(name).write_bytes(linked.read_bytes())
    module_file(name).with_suffix(".json").write_text(json.dumps({"digest": digest(name)}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    build(sys.argv[1])

"""The only module that uses numba: compiled kernels, family-generic functions, and where compiled code is kept.

With ``NUMBA_DISABLE_JIT=1`` everything runs as plain Python: kernels are ordinary functions and the generic ones
dispatch with :func:`functools.singledispatch`, so both ways execute the same lines.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import sys
import uuid
from collections.abc import Callable, Iterable
from contextlib import suppress
from multiprocessing import parent_process
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import cgutils, types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.typing.templates import infer, infer_global, make_overload_template
from numba.extending import lower_builtin, type_callable

from dpviz.cache_folder import cache_root, opened_cache
from dpviz.kernel_sources import PACKAGE, digest, everything, module_of, sources

COMPILED = not numba.config.DISABLE_JIT

_log = logging.getLogger(__name__)

Function = TypeVar("Function", bound=Callable[..., Any])


def cache_folder() -> Path:
    """Folder for what was measured of exactly these kernels, beside those of their compiled code.

    Returns
    -------
    pathlib.Path
        Named by a hash of all sources that hold kernels, in :func:`dpviz.cache_folder.cache_root`.
    """
    return cache_root() / hashlib.sha256(f"{numba.__version__} {digest(everything())}".encode()).hexdigest()[:16]


_READABLE, NOT_KEPT = opened_cache(cache_folder()) if COMPILED else (None, "")
"""That folder, None if compiled code cannot even be read there, and why none can be kept, empty if it is kept."""


def kernel(function: Function) -> Function:
    """Compile ``function`` in nopython mode, free of the GIL, cached on disk where a cache can be written.

    Neither ``fastmath`` (it breaks checks for −inf) nor ``parallel`` (it aborts when two threads enter) is used.
    """
    return cast(Function, _kept(nogil=True, error_model="numpy")(function)) if COMPILED else function


def _kept(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return numba's decorator with these options, which caches compiled code on disk."""

    def compile_lazily(function: Callable[..., Any]) -> Any:
        compiled = numba.njit(**options)(function)
        compiled.get_call_template = _by_kind(compiled.get_call_template)
        compiled._cache = _KernelCache(function)
        return compiled

    return compile_lazily


def _by_kind(call_template: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Let a call from another kernel find its version by types: numba would compile one more for every constant."""

    def found(arguments: Any, named: Any) -> Any:
        kinds = {name: types.unliteral(kind) for name, kind in dict(named).items()}
        return call_template(tuple(map(types.unliteral, arguments)), kinds)

    return found


def prepare(function: Callable[..., Any], *arguments: Any) -> None:
    """Compile or load a :func:`kernel` for arguments like these without a call, so that no call is slower."""
    if COMPILED:
        cast(Any, function).compile(tuple(numba.typeof(argument) for argument in arguments))


def unoptimised_code(function: Callable[..., Any], *arguments: Any) -> tuple[str, str]:
    """Return a :func:`kernel` for arguments like these as LLVM code, and its name there.

    Only what nothing has optimised for this machine can be compiled for another one, so this raises ``RuntimeError``
    unless the process was started with ``NUMBA_OPT=0`` and ``NUMBA_CPU_NAME=generic``.
    """
    if int(numba.config.OPT) != 0 or numba.config.CPU_NAME != "generic":
        raise RuntimeError("start with NUMBA_OPT=0 and NUMBA_CPU_NAME=generic")
    prepare(function, *arguments)
    version = cast(Any, function).overloads[tuple(numba.typeof(argument) for argument in arguments)]
    return version.library.get_llvm_str(), version.fndesc.llvm_func_name


class _CodeFiles(IndexDataCacheFile):  # type: ignore[misc]
    """The files of one function's compiled versions; another process may write them at the same time.

    Code gets a name that no other has, and is written before the index names it. Numba's numbers are the same in two
    processes that read the index at once, and the one's index then names the other's code. Here the worst is that an
    index lacks a version, which the next process compiles again.
    """

    def save(self, key: Any, data: Any) -> None:
        """Store a version."""
        try:
            names = self._load_index()
        except OSError:
            raise
        except Exception:  # it is damaged
            names = {}
        name = names.get(key, self._data_name_pattern.replace("{number:d}", uuid.uuid4().hex))
        self._save_data(name, data)
        if key not in names:
            self._save_index({**names, key: name})


class _Place(CompileResultCacheImpl._locator_classes[0]):  # type: ignore[misc]
    """The folder that is set, for this package's functions: its name says all that their code depends on.

    So a copy of the package at another place, or with other times of its files, finds what the first one compiled.
    """

    def __init__(self, function: Callable[..., Any], path: str) -> None:
        super().__init__(function, path)
        if _is_ours(function.__module__):
            self._cache_path = numba.config.CACHE_DIR

    def get_source_stamp(self) -> Any:
        """Return what an index must name as its source."""
        return "in the folder's name" if self._cache_path == numba.config.CACHE_DIR else super().get_source_stamp()

    def ensure_cache_path(self) -> None:
        """Make the folder; where that cannot be done, nothing can be stored, and what is there is read."""
        with suppress(OSError):
            super().ensure_cache_path()


class _Places(CompileResultCacheImpl):  # type: ignore[misc]
    """What is typed into a notebook has numba's place for that."""

    _locator_classes = (_Place, *CompileResultCacheImpl._locator_classes)


class _FunctionCache(FunctionCache):  # type: ignore[misc]
    _impl_class = _Places


def _cache_in(folder: Path, function: Callable[..., Any]) -> FunctionCache:
    """Return numba's cache of a function in a folder."""
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)  # read only here, so other users of numba keep their folder
    try:
        cache = _FunctionCache(function)
        files, base = cache._cache_file, cache._impl.filename_base
        cache._cache_file = _CodeFiles(files._cache_path, base, files._source_stamp)
        return cache
    finally:
        numba.config.CACHE_DIR = previous


class _KernelCache:
    """Cache of one function's compiled versions, each in the folder of all that its code depends on.

    An edit of one file leaves the code of all others as it is. And an index of a cache names the classes of states: one
    that named classes of other packages could not be read without these.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._caches: dict[str, tuple[FunctionCache | None, str]] = {}

    def _cache_for(self, signature: tuple[Any, ...]) -> tuple[FunctionCache | None, str]:
        """Return the cache of a version, None if none can be read, and why nothing can be kept, empty if it can."""
        key = _key(frozenset({self._function.__module__, *_modules_of(signature)}))
        if key not in self._caches:
            folder, not_kept = (None, NOT_KEPT) if _READABLE is None else _opened(key)
            self._caches[key] = (None if folder is None else _cache_in(folder, self._function)), not_kept
        return self._caches[key]

    def load_overload(self, signature: tuple[Any, ...], target_context: Any) -> Any:
        """Return the version compiled earlier for these types; None if there is none that can be read."""
        try:
            cache, _ = self._cache_for(signature)
            return None if cache is None else cache.load_overload(signature, target_context)
        except Exception as error:  # a power cut leaves empty files, and pickle raises whatever it likes
            name = self._function.__qualname__
            _log.warning("The compiled %s in %s cannot be read, so it is compiled again: %r", name, cache_root(), error)
            return None

    def save_overload(self, signature: tuple[Any, ...], data: Any) -> None:
        """Store the version compiled for these types; where that cannot be done, the next process compiles it again."""
        cache, not_kept = self._cache_for(signature)
        if not_kept:
            if parent_process() is None:  # it says so itself
                _say_once(not_kept)
            return
        with suppress(OSError):
            assert cache is not None
            cache.save_overload(signature, data)


_said: list[str] = []


def _say_once(words: str) -> None:
    """Warn, the first time, that compiled code is not kept: the folders of all kernels lie beside each other."""
    if not _said:
        _said.append(words)
        _log.warning(words)


@functools.cache
def _opened(key: str) -> tuple[Path | None, str]:
    return opened_cache(cache_root() / key)


def _is_ours(module: str) -> bool:
    return module.split(".")[0] == __package__


_implementing: dict[str, set[str]] = {}
"""Modules that implement generic functions for the states of a module."""


def _modules_of(signature: Iterable[Any]) -> set[str]:
    """Return the modules whose states a kernel is compiled for, with those of states within states."""
    found: set[str] = set()
    for kind in signature:
        if isinstance(kind, types.BaseNamedTuple):
            found.add(kind.instance_class.__module__)
        if isinstance(kind, types.BaseTuple):
            found |= _modules_of(kind.types)
    return found


def _key(modules: frozenset[str]) -> str:
    """Return a digest of all that the code of functions of these modules is made of; 16 hexadecimal digits.

    What implements generic functions for a state belongs to it.
    """
    return _digest_of(modules, frozenset((state, by) for state, known in _implementing.items() for by in known))


@functools.cache
def _digest_of(modules: frozenset[str], implementing: frozenset[tuple[str, str]]) -> str:
    names, known, files = set(modules), 0, list[Path]()
    while len(names) > known:
        known, files = len(names), sources(_files_of(names))
        names |= {module_of(path) for path in files if path.is_relative_to(PACKAGE)}
        names |= {by for state, by in implementing if state in names}
    constants = [(name, *constant) for name in sorted(names) for constant in _constants_of(name)]
    whole = hashlib.sha256(repr((numba.__version__, digest(files), constants)).encode())
    return whole.hexdigest()[:16]


def _files_of(modules: set[str]) -> list[Path]:
    """Return the files of modules; what is typed into a notebook may depend on every kernel."""
    found = [Path(getattr(sys.modules.get(module), "__file__", None) or os.devnull) for module in sorted(modules)]
    files = [path for path in found if path.is_file()]
    return files if len(files) == len(found) else files + everything()


def _constants_of(module: str) -> list[tuple[str, Any]]:
    """Return the numbers that functions of a module take as constants; files without kernels may define them."""

    def is_number(value: Any) -> bool:
        return isinstance(value, int | float) or (isinstance(value, tuple) and all(map(is_number, value)))

    written = vars(sys.modules[module]) if module in sys.modules else {}
    return sorted((name, value) for name, value in written.items() if name.isupper() and is_number(value))


def inlined(function: Function) -> Function:
    """Compile ``function`` into each of its callers: a call would count references to every array of a state.

    It is cached on disk as well, for the calls that plain Python makes.
    """
    if not COMPILED:
        return function
    return cast(Function, _kept(nogil=True, error_model="numpy", forceinline=True)(function))


def _without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Emit a copy of an array's description, or of those in a tuple, without the owner whose references would count."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        members = [
            _without_owner(context, builder, member, builder.extract_value(value, position))
            for position, member in enumerate(kind.types)
        ]
        return context.make_tuple(builder, kind, members)
    return value


def borrowed(value: Any) -> Any:
    """Borrow an array or a state that a caller keeps alive: compiled code counts no references to it.

    Counting is atomic and takes longer than scoring a cluster; numba omits it only in simple functions.
    """
    return value


if COMPILED:

    @type_callable(borrowed)  # type: ignore[untyped-decorator]
    def _type_of_borrowed(_context: Any) -> Callable[[Any], Any]:
        def same(value: Any) -> Any:
            return value

        return same

    @lower_builtin(borrowed, types.Any)  # type: ignore[untyped-decorator]
    def _emit_borrowed(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _without_owner(context, builder, signature.args[0], arguments[0])


def generic(function: Function) -> Function:
    """Declare a function whose implementation depends on the type of its first argument (a ``NamedTuple``)."""
    return functools.singledispatch(function)  # type: ignore[return-value]


def _overload(generic_function: Any, choose: Callable[..., Any]) -> None:
    """Act as numba's ``overload``, but cache the compiled code on disk for all callers with such a state.

    Compiling the verbs of a state takes several times as long as compiling the kernels that inline them.
    """
    template = make_overload_template(
        generic_function, choose, {"forceinline": True, "error_model": "numpy"}, strict=False, inline="never"
    )
    template._get_jit_decorator = lambda self: _kept
    infer(template)
    infer_global(generic_function, types.Function(template))


def optional(function: Function) -> Function:
    """Declare a :func:`generic` function whose own body serves all states without an implementation."""
    dispatching: Any = functools.singledispatch(function)
    if COMPILED:

        def choose(state: Any, *_: Any) -> Function | None:
            brought = isinstance(state, types.BaseNamedTuple) and state.instance_class in dispatching.registry
            return None if brought else function

        _overload(dispatching, choose)
    return cast(Function, dispatching)


def implements(generic_function: Any, state_class: type) -> Callable[[Function], Function]:
    """Register an implementation of a :func:`generic` or :func:`optional` function for states of ``state_class``."""

    def register(implementation: Function) -> Function:
        generic_function.register(state_class, implementation)
        _implementing.setdefault(state_class.__module__, set()).add(implementation.__module__)
        if COMPILED:

            def choose(state: Any, *_: Any) -> Function | None:
                matches = isinstance(state, types.BaseNamedTuple) and state.instance_class is state_class
                return implementation if matches else None

            _overload(generic_function, choose)
        return implementation

    return register

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
from collections.abc import Callable
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

COMPILED = not numba.config.DISABLE_JIT

_log = logging.getLogger(__name__)

Function = TypeVar("Function", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parent


def _sources_digest() -> str:
    """Hash every source that holds kernels, so that an edited callee never meets a stale cached caller."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        source = path.read_bytes()
        if b"_jit" in source:
            digest.update(str(path.relative_to(_PACKAGE)).encode())
            digest.update(source)
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Folder that holds the compiled kernels of exactly these sources.

    Returns
    -------
    pathlib.Path
        Named by a hash of the package's sources, in :func:`dpviz.cache_folder.cache_root`.
    """
    return cache_root() / _sources_digest()


_CACHE, NOT_KEPT = opened_cache(cache_folder()) if COMPILED else (None, "")
"""Folder that compiled code is read from, None if there is none, and why none can be kept, empty if it is kept."""


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
    """Numba's place below the folder that is set, also where one can read only: numba would look for another one."""

    def ensure_cache_path(self) -> None:
        """Make the folder; where that cannot be done, nothing can be stored, and what is there is read."""
        with suppress(OSError):
            super().ensure_cache_path()


class _Places(CompileResultCacheImpl):  # type: ignore[misc]
    """What is typed into a notebook has numba's place for that."""

    _locator_classes = (_Place, *CompileResultCacheImpl._locator_classes)


class _FunctionCache(FunctionCache):  # type: ignore[misc]
    _impl_class = _Places


def _cache_in_place(function: Callable[..., Any]) -> FunctionCache:
    """Return numba's cache of a function in the folder that is set now."""
    cache = _FunctionCache(function)
    files, base = cache._cache_file, cache._impl.filename_base
    cache._cache_file = _CodeFiles(files._cache_path, base, files._source_stamp)
    return cache


class _KernelCache:
    """Cache of one function's compiled versions: those for states of this package, and separately all others.

    The index of a cache names the classes of states. If it named classes of other modules, no process without those
    modules could read it. So each such module has its own folder, named by its source.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._caches: dict[str, FunctionCache] = {}

    def _cache_for(self, signature: tuple[Any, ...]) -> FunctionCache:
        assert _CACHE is not None
        folder = str(Path(_CACHE, *_origins(signature)))
        if folder not in self._caches:
            previous = numba.config.CACHE_DIR
            numba.config.CACHE_DIR = folder  # read only here, so other users of numba keep their folder
            try:
                self._caches[folder] = _cache_in_place(self._function)
            finally:
                numba.config.CACHE_DIR = previous
        return self._caches[folder]

    def load_overload(self, signature: tuple[Any, ...], target_context: Any) -> Any:
        """Return the version compiled earlier for these types; None if there is none that can be read."""
        if _CACHE is None:
            return None
        try:
            return self._cache_for(signature).load_overload(signature, target_context)
        except Exception as error:  # a power cut leaves empty files, and pickle raises whatever it likes
            name = self._function.__qualname__
            _log.warning("The compiled %s in %s cannot be read, so it is compiled again: %r", name, _CACHE, error)
            return None

    def save_overload(self, signature: tuple[Any, ...], data: Any) -> None:
        """Store the version compiled for these types; where that cannot be done, the next process compiles it again."""
        if NOT_KEPT:
            if parent_process() is None:  # it says so itself
                _say_once(NOT_KEPT)
            return
        with suppress(OSError):
            self._cache_for(signature).save_overload(signature, data)


@functools.cache
def _say_once(words: str) -> None:
    _log.warning(words)


def _origins(signature: tuple[Any, ...]) -> list[str]:
    """Name the modules outside this package whose states a kernel is compiled for, each with a hash of its source."""
    classes = {kind.instance_class for kind in signature if isinstance(kind, types.BaseNamedTuple)}
    outside = sorted({c.__module__ for c in classes if not c.__module__.startswith(f"{__package__}.")})
    named = []
    for module in outside:
        source = Path(getattr(sys.modules.get(module), "__file__", None) or os.devnull).read_bytes()
        named.append(f"{module}-{hashlib.sha256(source).hexdigest()[:16]}")
    return named


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
        if COMPILED:

            def choose(state: Any, *_: Any) -> Function | None:
                matches = isinstance(state, types.BaseNamedTuple) and state.instance_class is state_class
                return implementation if matches else None

            _overload(generic_function, choose)
        return implementation

    return register

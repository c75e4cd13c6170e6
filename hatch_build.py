"""What hatch packs beyond the package: sources, sweeps and published tables; never without WASM."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKED = ("data/published", "engine", "modules", "sweeps")
BUILT = frozenset({"target", "node_modules", "dist"})


class PackHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        root = Path(self.root)
        modules = {path.parent.name for path in root.glob("modules/*/Cargo.toml")}
        missing = modules - {path.stem for path in root.glob("analyzer/wasm/*.wasm")}
        if missing:
            raise SystemExit(
                f"the WASM of {', '.join(sorted(missing))} is not in analyzer/wasm: "
                "build with `make wheel`, which takes Rust; a wheel must not need it"
            )
        if self.target_name != "wheel":
            return
        for folder in PACKED:
            inside = Path("analyzer/data", folder.removeprefix("data/"))
            for path in root.joinpath(folder).rglob("*"):
                place = path.relative_to(root / folder)
                if path.is_file() and BUILT.isdisjoint(place.parts):
                    build_data["force_include"][str(path)] = (inside / place).as_posix()

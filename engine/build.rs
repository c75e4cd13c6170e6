//! Stands in for the V8 library.
//!
//! The engine crate links V8 for JavaScript modules, which this host refuses. So V8 is not part of
//! the build: each function its Rust crate declares is defined here as one that says so and aborts.
//! They are compiled to an object, not an archive, so that their place on the link line is no matter.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=Cargo.lock");
    // Names the sources: two checkouts share a target folder, and cargo compares only dates.
    println!("cargo:rerun-if-env-changed=ENGINE_SOURCES");

    let packages = packages();
    println!(
        "cargo:rustc-env=ENGINE_VERSION={}",
        packages["spacetimedb-core"].version
    );

    let names = foreign_functions(&packages["v8"].folder);
    assert!(
        names.len() > 500,
        "only {} foreign functions found in the v8 crate",
        names.len()
    );
    for object in compile(&names) {
        println!("cargo:rustc-link-arg-bins={}", object.display());
    }
}

struct Package {
    version: String,
    folder: PathBuf,
}

/// The packages of this build by name, as cargo itself resolved them.
fn packages() -> BTreeMap<String, Package> {
    let target = env::var("TARGET").unwrap();
    let output = Command::new(env::var("CARGO").unwrap())
        .args([
            "metadata",
            "--offline",
            "--locked",
            "--format-version=1",
            "--filter-platform",
            &target,
        ])
        .current_dir(env::var("CARGO_MANIFEST_DIR").unwrap())
        .output()
        .expect("cargo metadata runs");
    assert!(
        output.status.success(),
        "cargo metadata: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| {
            let manifest = PathBuf::from(text(&package["manifest_path"]));
            let folder = manifest.parent().unwrap().to_owned();
            (
                text(&package["name"]),
                Package {
                    version: text(&package["version"]),
                    folder,
                },
            )
        })
        .collect()
}

/// The names in all `extern "C" { .. }` blocks of the crate, macros expanded.
fn foreign_functions(v8: &Path) -> BTreeSet<String> {
    let bindings = format!("src_binding_release_{}.rs", env::var("TARGET").unwrap());
    let mut files = vec![v8.join("gen").join(bindings)];
    rust_files(&v8.join("src"), &mut files);

    let mut names = BTreeSet::new();
    for file in files {
        let source =
            fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        for (start, _) in source.match_indices("extern \"C\" {") {
            for declared in declared_in(braced(&source[start..])) {
                if declared.contains('$') {
                    names.extend(expanded(&source, &source[..start], &declared));
                } else {
                    names.insert(declared);
                }
            }
        }
    }
    names
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

/// The text between the first brace and the one that closes it.
fn braced(text: &str) -> &str {
    let start = text.find('{').unwrap() + 1;
    let mut depth = 1;
    for (at, c) in text[start..].char_indices() {
        depth += match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        if depth == 0 {
            return &text[start..start + at];
        }
    }
    panic!("unbalanced braces");
}

/// The linker names in a block: a `link_name` if there is one, else the function's own, which in a
/// macro is `$name` or `[< part $name part >]`.
fn declared_in(block: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut link_name = None;
    for line in block.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("#[link_name = \"") {
            link_name = rest
                .split('"')
                .next()
                .map(|name| name.trim_start_matches("\\u{1}").to_owned());
        } else if let Some((visibility, rest)) = line.split_once("fn ")
            && (visibility.is_empty() || visibility.starts_with("pub"))
        {
            let own = rest.split('(').next().unwrap().split("<'").next().unwrap();
            names.push(link_name.take().unwrap_or(own.trim().to_owned()));
        }
    }
    names
}

/// What a name with macro variables becomes in each call of the macro it stands in.
fn expanded(source: &str, before: &str, name: &str) -> Vec<String> {
    let definition = before
        .rfind("macro_rules! ")
        .expect("a $name stands in a macro")
        + 13;
    let (macro_name, rest) = before[definition..].split_once(" {").unwrap();
    let parameters: Vec<&str> = rest.trim_start()[1..]
        .split(')')
        .next()
        .unwrap()
        .split(',')
        .filter_map(|p| p.trim().split(':').next())
        .collect();
    let call = format!("{macro_name}!(");
    source
        .match_indices(&call)
        .map(|(at, _)| {
            let arguments = source[at + call.len()..]
                .split(')')
                .next()
                .unwrap()
                .split(',');
            let mut expanded = name
                .trim_start_matches("[<")
                .trim_end_matches(">]")
                .to_owned();
            for (parameter, argument) in parameters.iter().zip(arguments) {
                expanded = expanded.replace(parameter, argument.trim());
            }
            expanded.replace(' ', "")
        })
        .collect()
}

fn compile(names: &BTreeSet<String>) -> Vec<PathBuf> {
    let mut source = String::from(
        "#include <stdio.h>\n#include <stdlib.h>\n\
         static void refuse(void) { fputs(\"JavaScript modules need V8\\n\", stderr); abort(); }\n",
    );
    for name in names {
        source.push_str(&format!("void {name}(void) {{ refuse(); }}\n"));
    }
    let file = PathBuf::from(env::var("OUT_DIR").unwrap()).join("no_v8.c");
    fs::write(&file, source).unwrap();
    cc::Build::new().file(&file).compile_intermediates()
}

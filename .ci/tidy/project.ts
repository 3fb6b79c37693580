// The project's source files as syntax trees, and how a finding about one is made.

import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';

/** Something that does not read like our code. */
export interface Finding {
  /** Path below the project's root. */
  readonly file: string;
  /** Line, from 1 on. */
  readonly line: number;
  readonly text: string;
}

/** One file of the project. */
export interface ProjectFile {
  /** Path below the project's root, with `/`. */
  readonly path: string;
  readonly tree: SourceFile;
}

/** What runs in Node, and what runs in browsers: each is a program of its own. */
const programs = ['tsconfig.json', 'src/inspect/page/tsconfig.json'] as const;

/**
 * Parses every file that the `tsconfig.json` at `root` and that of the page include. TypeScript 7
 * offers this interface as unstable; its version is pinned, and no other part of the project uses
 * it.
 */
export function readProject(root: string): readonly ProjectFile[] {
  const api = new API({ cwd: root });
  try {
    const openProjects = programs
      .map((path) => join(root, path))
      .filter((path) => existsSync(path));
    const snapshot = api.updateSnapshot({ openProjects });
    const files: ProjectFile[] = [];
    for (const { program, rootFiles } of snapshot.getProjects()) {
      for (const name of rootFiles) {
        const tree = program.getSourceFile(name);
        if (tree !== undefined) files.push({ path: relative(root, name), tree });
      }
    }
    return files.sort((a, b) => (a.path < b.path ? -1 : 1));
  } finally {
    api.close();
  }
}

/** A finding at a node of a file. */
export function findingAt({ path, tree }: ProjectFile, node: Node, text: string): Finding {
  return { file: path, line: lineOf(tree, node.getStart(tree)), text };
}

/** The line of a position, from 1 on. */
export function lineOf(tree: SourceFile, position: number): number {
  return tree.getLineAndCharacterOfPosition(position).line + 1;
}

/** Calls `visit` for every node of a file, outer ones first. */
export function walk(tree: SourceFile, visit: (node: Node) => void): void {
  const step = (node: Node): void => {
    visit(node);
    node.forEachChild(step);
  };
  tree.forEachChild(step);
}

// Breaks comment lines that are too wide, as the formatter leaves comments alone.

import { lineColumnsMax } from './rules.ts';

/**
 * The text with every wide comment line broken at a space; what is over runs into the line below.
 */
export function wrapComments(text: string): string {
  const lines = text.split('\n');
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (line.length <= lineColumnsMax || /https?:\/\//.test(line)) continue;
    const oneLine = /^(\s*)\/\*\* (.*) \*\/$/.exec(line);
    if (oneLine !== null) {
      const [, indent = '', body = ''] = oneLine;
      lines.splice(index, 1, `${indent}/**`, `${indent} * ${body}`, `${indent} */`);
      continue;
    }
    const [, prefix, body] = /^(\s*(?:\/\/|\*) {1,3})(\S.*)$/.exec(line) ?? [];
    if (prefix !== undefined && body !== undefined) breakLine(lines, index, prefix, body);
  }
  return lines.join('\n');
}

function breakLine(lines: string[], index: number, prefix: string, body: string): void {
  const room = lineColumnsMax - prefix.length;
  const at = body.lastIndexOf(' ', room);
  if (at <= 0) return;
  // Under a tag or a list item, what is over belongs to it and is indented.
  const indent = /^[@-]/.test(body) && !prefix.endsWith('   ') ? '  ' : '';
  const rest = body.slice(at + 1);
  const below = lines[index + 1] ?? '';
  lines[index] = prefix + body.slice(0, at);
  const continued = below.startsWith(prefix + indent) ? below.slice((prefix + indent).length) : '';
  const isParagraph = /^[^\s@|*-]/.test(continued) && !continued.startsWith('biome-ignore');
  lines.splice(
    index + 1,
    isParagraph ? 1 : 0,
    `${prefix}${indent}${rest}${isParagraph ? ` ${continued}` : ''}`,
  );
}

// The line by which a worker says that a test file has ended.

/** What a worker says of a file that has ended, and of itself. */
export interface FileEnd {
  readonly isOk: boolean;
  readonly heapBytes: number;
}

const mark = '# file ended ';

/** The line for the worker's output. */
export function fileEndLine(end: FileEnd): string {
  return `${mark}${JSON.stringify(end)}`;
}

/** Reads that line; undefined for any other one. */
export function readFileEnd(line: string): FileEnd | undefined {
  return line.startsWith(mark) ? (JSON.parse(line.slice(mark.length)) as FileEnd) : undefined;
}

// Reads a secret: typed at a terminal without echo, or from whatever standard input is.

import type { ReadStream } from 'node:tty';

/** Where a secret comes from. */
export interface SecretInput {
  /** Whether somebody types it. */
  readonly isTerminal: boolean;
  /**
   * Asks for it. At a terminal that is one line; otherwise it is all of the input, whose last line
   * break does not count. Rejects when it is longer than any secret, or not given.
   */
  ask(question: string): Promise<string>;
}

/** A password that is typed or piped in; no line that a person types is longer. @bound */
const secretBytesMax = 4096;

/**
 * @param open the input, opened when it is asked for: once it is, it cannot be read otherwise
 * @param show writes the question where the person looks
 */
export function secretInput(
  isTerminal: boolean,
  open: () => NodeJS.ReadStream,
  show: (text: string) => void,
): SecretInput {
  return {
    isTerminal,
    ask: (question) => (isTerminal ? typed(open(), show, question) : piped(open())),
  };
}

async function piped(input: NodeJS.ReadStream): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of input as AsyncIterable<Buffer>) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > secretBytesMax) throw new Error('it is too long');
  }
  return withoutLineEnd(Buffer.concat(pieces).toString('utf8'));
}

/** As files and pipes end with a line break that nobody means. */
export function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}

const enter = new Set(['\r', '\n', '\u0004']);
const erase = new Set(['\u0008', '\u007f']);
const interrupt = '\u0003';

/** In raw mode the terminal echoes nothing, and its editing keys are for us to honour. */
async function typed(
  input: ReadStream,
  show: (text: string) => void,
  question: string,
): Promise<string> {
  show(question);
  input.setRawMode(true);
  input.setEncoding('utf8');
  try {
    return await lineOf(input);
  } finally {
    input.setRawMode(false);
    input.pause();
    show('\n');
  }
}

function lineOf(input: ReadStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let characters: string[] = [];
    const settle = (then: () => void) => {
      input.off('data', take);
      input.off('end', end);
      then();
    };
    const end = () => settle(() => reject(new Error('nothing was typed')));
    const take = (text: string) => {
      for (const character of text) {
        if (character === interrupt) return settle(() => reject(new Error('interrupted')));
        if (enter.has(character)) return settle(() => resolve(characters.join('')));
        if (erase.has(character)) characters = characters.slice(0, -1);
        else characters.push(character);
        if (characters.length > secretBytesMax) {
          return settle(() => reject(new Error('it is too long')));
        }
      }
    };
    input.on('data', take);
    input.on('end', end);
    input.resume();
  });
}

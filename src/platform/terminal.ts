// Reads what a person types: a secret without echo, an answer with it. A secret may also come from
// another standard input.

import type { ReadStream } from 'node:tty';

/** The source of a secret. */
export interface SecretInput {
  /** Whether a person types it. */
  readonly isTerminal: boolean;
  /**
   * Asks for the secret. At a terminal it is one line; otherwise it is the whole input without its
   * last line break. Rejects when it is too long or missing.
   */
  ask(question: string): Promise<string>;
}

/** The source of answers that may be seen, which only a person gives. */
export interface AnswerInput {
  readonly isTerminal: boolean;
  /**
   * Asks at a terminal, which shows what is typed. Rejects when the line is too long, and without
   * one.
   */
  ask(question: string): Promise<string>;
}

/** A password that is typed or piped in; no line that a person types is longer. @bound */
const secretBytesMax = 4096;

/**
 * @param open opens the input when the secret is asked for; after that it cannot be read in another
 *   way
 * @param show writes the question where the user sees it
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

/** Parameters as for `secretInput`. The terminal itself echoes, and takes care of editing keys. */
export function answerInput(
  isTerminal: boolean,
  open: () => NodeJS.ReadStream,
  show: (text: string) => void,
): AnswerInput {
  return {
    isTerminal,
    ask: async (question) => {
      const input = open();
      show(question);
      input.setEncoding('utf8');
      try {
        return await lineOf(input);
      } finally {
        input.pause();
      }
    },
  };
}

async function piped(input: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > secretBytesMax) throw new Error('it is too long');
  }
  return withoutLineEnd(Buffer.concat(chunks).toString('utf8'));
}

/** Files and pipes end with a line break that is not part of the secret. */
export function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}

const enter = new Set(['\r', '\n', '\u0004']);
const erase = new Set(['\u0008', '\u007f']);
const interrupt = '\u0003';

/** In raw mode the terminal echoes nothing, and this code must handle its editing keys. */
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

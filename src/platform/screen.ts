// One screen of text that is drawn again and again, and the keys that are typed at it. At its end
// the terminal is as before.

import { printable } from './printable.ts';

/** The part of a terminal's input that a screen uses. */
export interface KeyInput {
  /** Absent or false for a pipe, from which no keys come. */
  readonly isTTY?: boolean;
  setRawMode(isRaw: boolean): unknown;
  setEncoding(encoding: 'utf8'): unknown;
  on(event: 'data', take: (text: string) => void): unknown;
  off(event: 'data', take: (text: string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** What a screen is shown on. */
export interface ScreenTerminal {
  write(text: string): void;
  /** Opens the input when the screen begins. */
  open(): KeyInput;
  /** Lines of the terminal; undefined where they are not known. */
  rows(): number | undefined;
  /** Whether the output can replace what it has shown: no pipe, and no `TERM=dumb`. */
  readonly canReplace: boolean;
}

/** xterm, DECSET 1049 and 25: the alternate screen without a cursor, and back. */
const enter = '\x1b[?1049h\x1b[?25l';
const leave = '\x1b[?25h\x1b[?1049l';
/** ECMA-48: to the upper left corner; erase to the end of the line; erase below. */
const home = '\x1b[H';
const clearRest = '\x1b[K';
const clearBelow = '\x1b[J';

/** The screen of a process. */
export class Screen {
  readonly #terminal: ScreenTerminal;
  #input: KeyInput | undefined;
  #isShown = false;
  #take: (key: string) => void = () => undefined;

  constructor(terminal: ScreenTerminal) {
    this.#terminal = terminal;
  }

  /** Begins. @param onKey is called for each character that is typed, also for Ctrl-C */
  begin(onKey: (key: string) => void): void {
    this.#isShown = true;
    const { canReplace } = this.#terminal;
    if (canReplace) this.#terminal.write(enter);
    const input = this.#terminal.open();
    if (input.isTTY !== true) return;
    this.#input = input;
    this.#take = (text) => [...text].forEach(onKey);
    input.setRawMode(true);
    input.setEncoding('utf8');
    input.on('data', this.#take);
    input.resume();
  }

  /** Shows lines in place of the former ones, or below them where that is not possible. */
  draw(lines: readonly string[]): void {
    if (!this.#isShown) return;
    const terminal = this.#terminal;
    const shown = lines.map(printable);
    if (terminal.canReplace) {
      const fitting = shown.slice(0, terminal.rows() ?? shown.length);
      terminal.write(home + fitting.map((line) => line + clearRest).join('\r\n') + clearBelow);
    } else terminal.write(`${shown.join('\n')}\n\n`);
  }

  /** Gives the terminal back. It may be called more than once. */
  end(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    this.#input?.off('data', this.#take);
    this.#input?.setRawMode(false);
    this.#input?.pause();
    if (this.#terminal.canReplace) this.#terminal.write(leave);
  }
}

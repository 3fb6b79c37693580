// Keys of which at most one record of a home may have each.

import type { Kind } from '../../declare/kinds/kind.ts';
import { isSecretField } from '../../declare/kinds/masking.ts';
import type { Conversion, ConvertedRecord } from './conversion.ts';
import { LeftOut } from './left-out.ts';
import { quoted } from './quoted.ts';

/** The unique keys of the records that were taken over. */
export class UniqueKeys {
  /** From keys to ids, by kind and name of the key. */
  readonly #holders = new Map<string, Map<string, string>>();

  /** Takes the keys of a record. @returns why it is left out, if another one has a key of it */
  take(
    kind: Kind,
    record: ConvertedRecord['record'],
    stops: Conversion['stops'] = {},
  ): LeftOut | undefined {
    const own: [Map<string, string>, string][] = [];
    for (const { name, key } of kind.table.unique) {
      const text = key(record);
      if (text === undefined) continue;
      const holders = this.#of(kind, name);
      const holder = holders.get(text);
      if (holder !== undefined) {
        const value = isSecretField(kind, name) ? '' : ` ${quoted(text)}`;
        const reason = `Its ${name}${value} is also that of ${quoted(holder)}`;
        const stop = stops[name] ?? 'duplicate-key';
        return new LeftOut(`${reason}, which was read before and stays.`, stop);
      }
      own.push([holders, text]);
    }
    for (const [holders, text] of own) holders.set(text, record.id);
    return undefined;
  }

  /** Forgets a kind whose conversions are over, with the memory that its keys take. */
  forget({ kind, table }: Kind): void {
    for (const { name } of table.unique) this.#holders.delete(`${kind}/${name}`);
  }

  #of({ kind }: Kind, name: string): Map<string, string> {
    const place = `${kind}/${name}`;
    let holders = this.#holders.get(place);
    if (holders === undefined) this.#holders.set(place, (holders = new Map()));
    return holders;
  }
}

// The order of a list.

import { useId } from 'preact/hooks';

const orders = [
  ['', 'as it is kept'],
  ['name', 'name'],
  ['createdAt desc', 'newest'],
  ['createdAt', 'oldest'],
  ['updatedAt desc', 'last changed'],
] as const;

/** A sort of the list language; empty for none. */
export interface SortSelectProps {
  readonly sort: string;
  onSort(sort: string): void;
}

/** A few frequent orders. */
export function SortSelect({ sort, onSort }: SortSelectProps) {
  const id = useId();
  const isKnown = orders.some(([order]) => order === sort);
  return (
    <div class="choice">
      <label for={id}>Order</label>
      <select id={id} value={sort} onChange={(event) => onSort(event.currentTarget.value)}>
        {isKnown ? null : <option value={sort}>{sort}</option>}
        {orders.map(([order, text]) => (
          <option key={order} value={order}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

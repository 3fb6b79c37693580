// The plotted figures, and how each is read and formatted.

import type { Figures } from '../../messages.ts';
import { formatBytes, formatCompact, formatCount, formatMs, formatRate } from '../format.ts';

/** One plot. */
export interface FigureSeries {
  readonly title: string;
  /** One sentence of what it tells. */
  readonly hint: string;
  /** Also shown in the overview. */
  readonly isMain?: boolean;
  /** Shown in KiB and MiB. */
  readonly isBytes?: boolean;
  read(figures: Figures): number;
  write(value: number): string;
}

/** In the order they are shown. */
export const figureSeries: readonly FigureSeries[] = [
  {
    title: 'Requests a second',
    hint: 'Answers of all listeners.',
    isMain: true,
    read: ({ requestsASecond }) => requestsASecond,
    write: formatRate,
  },
  {
    title: 'Commit group size',
    hint: 'Frames that one sync of the log makes durable, the mean of a second.',
    isMain: true,
    read: ({ framesAGroup }) => framesAGroup,
    write: formatRate,
  },
  {
    title: 'LSN lag',
    hint: 'Frames that are written and not yet durable.',
    isMain: true,
    read: ({ lastLsn, durableLsn }) => lastLsn - durableLsn,
    write: formatCount,
  },
  {
    title: 'Resident memory',
    hint: 'What the process holds of the machine.',
    isMain: true,
    read: ({ residentBytes }) => residentBytes,
    isBytes: true,
    write: formatBytes,
  },
  {
    title: 'Longest pause',
    hint: 'The longest time within a second that the event loop was held up.',
    isMain: true,
    read: ({ longestPauseMs }) => longestPauseMs,
    write: formatMs,
  },
  {
    title: 'Frames a second',
    hint: 'Writing operations and their consequences.',
    read: ({ framesASecond }) => framesASecond,
    write: formatRate,
  },
  {
    title: 'Log bytes a second',
    hint: 'How fast the log grows.',
    read: ({ logBytesASecond }) => logBytesASecond,
    isBytes: true,
    write: formatBytes,
  },
  {
    title: 'Heap',
    hint: 'JavaScript objects in use.',
    read: ({ heapBytes }) => heapBytes,
    isBytes: true,
    write: formatBytes,
  },
  {
    title: 'Requests in flight',
    hint: 'Taken and not yet answered.',
    read: ({ requestsInFlight }) => requestsInFlight,
    write: formatCompact,
  },
  {
    title: 'Connections',
    hint: 'Open connections of all listeners.',
    read: ({ connections }) => connections,
    write: formatCompact,
  },
  {
    title: 'Inspectors',
    hint: 'Attached streams, this page among them.',
    read: ({ inspectors }) => inspectors,
    write: formatCount,
  },
];

import type { ShiftSummary } from '../../../../domain/production/shift-summary.ts';

type Times = readonly [
  running: number,
  pause: number,
  fault: number,
  short: number,
  offline: number,
  longFaults: number,
  longFaultMs: number,
];
type Stop = readonly [reasonId: string | null, count: number, ms: number, ownMs: number, longestMs: number];
type Work = readonly [
  partId: string | null,
  jobNumber: string | null,
  userId: string | null,
  goodParts: number,
  badParts: number,
  cycles: number,
  runningMs: number,
];

/** A summary as JSON without names: 27,600 of them are read for one answer, and names would take half of that time. */
export function writeSummary({ times, stops, work }: ShiftSummary): string {
  const texts: readonly [Times, readonly Stop[], readonly Work[]] = [
    [
      Math.round(times.runningMs),
      Math.round(times.breakMs),
      Math.round(times.faultMs),
      Math.round(times.shortMs),
      Math.round(times.offlineMs),
      times.longFaults,
      Math.round(times.longFaultMs),
    ],
    stops.map(({ reasonId, count, ms, ownMs, longestMs }) => [
      reasonId,
      count,
      Math.round(ms),
      Math.round(ownMs),
      Math.round(longestMs),
    ]),
    work.map(({ partId, jobNumber, userId, goodParts, badParts, cycles, runningMs }) => [
      partId,
      jobNumber,
      userId,
      goodParts,
      badParts,
      cycles,
      Math.round(runningMs),
    ]),
  ];
  return JSON.stringify(texts);
}

/** Reads a text of `writeSummary`. */
export function readSummary(text: string): ShiftSummary {
  const [times, stops, work]: readonly [Times, readonly Stop[], readonly Work[]] = JSON.parse(text);
  return {
    times: {
      runningMs: times[0],
      breakMs: times[1],
      faultMs: times[2],
      shortMs: times[3],
      offlineMs: times[4],
      longFaults: times[5],
      longFaultMs: times[6],
    },
    stops: stops.map((stop) => ({
      reasonId: stop[0],
      count: stop[1],
      ms: stop[2],
      ownMs: stop[3],
      longestMs: stop[4],
    })),
    work: work.map((sum) => ({
      partId: sum[0],
      jobNumber: sum[1],
      userId: sum[2],
      goodParts: sum[3],
      badParts: sum[4],
      cycles: sum[5],
      runningMs: sum[6],
    })),
  };
}

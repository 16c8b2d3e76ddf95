import { useLayoutEffect, useRef } from 'preact/hooks';
import { onScan } from './wedge.ts';

/**
 * Hears scans while the component is shown. It is registered once: a place that renders again does not take the scans
 * from a sheet that was opened over it. The listener of the newest rendering hears them.
 */
export function useScan(listener: (code: string) => void): void {
  const newest = useRef(listener);
  newest.current = listener;
  useLayoutEffect(() => onScan((code) => newest.current(code)), []);
}

import { useEffect, useRef } from 'preact/hooks';

/**
 * Gives a function that tells whether the component is still on the page. A place that was left must not show late
 * refusals: another person may be signed in by now.
 */
export function useShown(): () => boolean {
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return () => isShown.current;
}

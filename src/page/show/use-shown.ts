import { useEffect, useRef } from 'preact/hooks';

/**
 * Whether a component is still on the page. A place that was left tells no outcome of its loads, such as a refusal
 * because another person is signed in by now.
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

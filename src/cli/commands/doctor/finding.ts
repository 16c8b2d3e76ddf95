/** One finding of the doctor, with the advice if it is a fault. */
export type Finding =
  | { readonly check: string; readonly state: 'ok'; readonly found: string }
  | {
      readonly check: string;
      readonly state: 'warning' | 'fault';
      readonly found: string;
      readonly remedy: string;
    };

export function ok(check: string, found: string): Finding {
  return { check, state: 'ok', found };
}

export function warning(check: string, found: string, remedy: string): Finding {
  return { check, state: 'warning', found, remedy };
}

export function fault(check: string, found: string, remedy: string): Finding {
  return { check, state: 'fault', found, remedy };
}

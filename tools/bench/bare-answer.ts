/** The answer of the bare responders: no rules, no memory, no disk. */
export function bareAnswer(status: string): readonly (readonly [string, string])[] {
  const { machinePower } = JSON.parse(status) as { readonly machinePower?: boolean };
  const runEnabled = machinePower === true;
  const command = JSON.stringify({
    runEnabled,
    attentionNeeded: false,
    message: null,
    timestamp: new Date().toISOString(),
  });
  return [
    ['command', command],
    ['command/run-enabled', runEnabled ? '1' : '0'],
    ['command/attention-needed', '0'],
  ];
}

export const STATUS_SUFFIX = '/status';

export function ready(port: number): void {
  console.log(JSON.stringify({ msg: 'ready', mqttPort: port, httpPort: port }));
}

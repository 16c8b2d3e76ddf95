import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SystemView } from '../../../flows/local-api/system-ports.ts';
import { call } from '../../api/call.ts';
import { mayRead } from '../../people/who.ts';
import type { Machine } from '../../plant/shown-state.ts';
import { words } from '../../words/words.ts';
import { type MessageProps, Said } from './said.tsx';

/** No message of the device came yet: shows the addresses that it should use, and a line to try them by hand. */
export function NeverHeard({ machine, message }: MessageProps) {
  const port = useSignal<number | null>(null);
  useEffect(() => {
    // Viewers may not read the ports.
    if (!mayRead('technician')) return;
    void call<SystemView>('GET', '/system').then((outcome) => {
      if (outcome.kind === 'done') port.value = outcome.value.addresses?.mqttPort ?? null;
    });
  }, [port]);
  const said = words.value.machine;
  return (
    <li class="rung rung-fail rung-note">
      <Said icon="silent" message={said.noMessageYet} since={said.countsAs(message)} />
      <ol class="checklist checklist-tall">
        {port.value !== null && (
          <li>
            <span>{said.sendsTo}</span>
            <code>{`mqtt://${location.hostname}:${port.value}`}</code>
          </li>
        )}
        <li>
          <span>{said.sendsOn}</span>
          <code>{`${machine.topicRoot}/status`}</code>
        </li>
        <li>
          <span>{said.orHttp}</span>
          <code>{`POST ${location.origin}/api/device/status`}</code>
        </li>
      </ol>
      {port.value !== null && (
        <>
          <p>{said.tryIt}</p>
          <pre class="raw">{tryLine(machine, port.value)}</pre>
        </>
      )}
      <div class="do">
        <a class="btn btn-wide" href="/docs#machine">
          {said.connect}
        </a>
      </div>
    </li>
  );
}

function tryLine({ machineId, topicRoot }: Machine, port: number): string {
  const counters = '"mSecSinceBoot":1000,"cycle":1,"goodPart":1,"badPart":0,"partId":"P-100"';
  const status = `{"machineId":"${machineId}","running":true,"machinePower":true,"override":false,${counters}}`;
  return `mosquitto_pub -h ${location.hostname} -p ${port} -q 1 -t ${topicRoot}/status -m '${status}'`;
}
